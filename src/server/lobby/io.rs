//! The inputs and outputs of the lobby.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::RulesConfig;
use crate::league::EventState;
use kyomi_record::{Header, RecordMove, RecordTime};
use kyomi_shogi::clock::Controls;
use kyomi_shogi::{GameEnd, Move, Position};

use super::super::saved_game::SavedGame;

/// Identifies a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::server) struct ClientId(pub(in crate::server) u64);

/// Identifies a hosted game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::server) struct GameNumber(pub(in crate::server) u64);

/// An input of the lobby.
#[derive(Debug)]
pub(in crate::server) enum Input {
    /// A client connected.
    Connected(ClientId, Option<IpAddr>),
    /// A line, read at the given instant.
    Line(ClientId, String, Instant),
    /// A line over the limit.
    TooLong(ClientId),
    /// The connection is closed.
    Gone(ClientId),
    /// Time has passed.
    Tick,
    /// Start no new games.
    Finish,
    /// End all games.
    Abort,
}

/// An output of the lobby.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::server) enum Action {
    /// Send a line.
    Send(ClientId, String),
    /// Send lines that belong together.
    SendLines(ClientId, Vec<String>),
    /// Close the connection after everything before is sent.
    Close(ClientId),
    /// An event for the record of a game.
    Record(GameNumber, RecordEvent),
    /// The event that the server runs has changed: store this.
    EventChanged(Box<EventState>),
}

/// An event for the record of a game.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::server) enum RecordEvent {
    /// The game begins.
    Begin(Box<GameHeader>),
    /// A move.
    Move { mv: Move, spent: Duration, comment: Option<String> },
    /// The clock of the side to move is stopped: that side has not come back to a restored game.
    ClockStopped,
    /// That side has come back, and its clock runs.
    ClockRuns,
    /// The end.
    End {
        end: GameEnd,
        /// The line that was not a legal move.
        illegal_line: Option<String>,
        spent: Option<Duration>,
        plies: usize,
        at: Timestamp,
    },
}

/// The header of a game for its record.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::server) struct GameHeader {
    pub(in crate::server) game_id: String,
    pub(in crate::server) names: [String; 2],
    pub(in crate::server) controls: Controls,
    pub(in crate::server) start: Position,
    /// Moves that are already made when the game begins.
    pub(in crate::server) setup: Vec<RecordMove>,
    pub(in crate::server) max_moves: u32,
    pub(in crate::server) began: Timestamp,
    /// The data that the next process needs to restore the game if the server is killed.
    pub(in crate::server) saved: Option<Box<SavedGame>>,
}

impl GameHeader {
    /// The header of the record.
    pub(in crate::server) fn record_header(&self, rules: &RulesConfig) -> Header {
        let [black, white] = self.names.clone();
        let mut header = Header {
            black: Some(black),
            white: Some(white),
            event: Some(self.game_id.clone()),
            start_time: Some(RecordTime::from_zoned(&self.began.to_zoned(TimeZone::system()))),
            controls: Some(self.controls),
            max_moves: Some(self.max_moves).filter(|limit| *limit > 0),
            ..Header::default()
        };
        header.set_entering_king_rule(rules.declaration);
        header
    }
}

/// The time of an input, by two clocks.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct Now {
    /// Monotonic, for measuring.
    pub(in crate::server) instant: Instant,
    /// Wall clock, for records.
    pub(in crate::server) wall: Timestamp,
}
