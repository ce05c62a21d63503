//! The inputs and outputs of the lobby.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::league::EventState;
use kyomi_record::{Header, RecordMove, RecordTime};
use kyomi_shogi::clock::Controls;
use kyomi_shogi::{GameEnd, Move, Position};

use super::super::rules::GameRules;
use super::super::saved_game::SavedGame;

/// Identifies a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

/// Identifies a hosted game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNumber(pub u64);

/// An input of the lobby.
#[derive(Debug)]
pub enum Input {
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
pub enum Action {
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
pub enum RecordEvent {
    /// The game begins.
    Begin(Box<GameHeader>),
    /// A move.
    Move {
        /// The move.
        mv: Move,
        /// The time charged for it.
        spent: Duration,
        /// The player's comment.
        comment: Option<String>,
    },
    /// The clock of the side to move is stopped: that side has not come back to a restored game.
    ClockStopped,
    /// That side has come back, and its clock runs.
    ClockRuns,
    /// The end.
    End {
        /// The result and its reason.
        end: GameEnd,
        /// The line that was not a legal move.
        illegal_line: Option<String>,
        /// The time charged for the last turn.
        spent: Option<Duration>,
        /// The number of moves.
        plies: usize,
        /// When it ended.
        at: Timestamp,
    },
}

/// The header of a game for its record.
#[derive(Debug, Clone, PartialEq)]
pub struct GameHeader {
    /// The id of the game.
    pub game_id: String,
    /// The players, `[black, white]`.
    pub names: [String; 2],
    /// Their clocks.
    pub controls: Controls,
    /// The position before all moves.
    pub start: Position,
    /// Moves that are already made when the game begins.
    pub setup: Vec<RecordMove>,
    /// Number of moves after which the game is drawn; 0: no limit.
    pub max_moves: u32,
    /// When both sides had agreed.
    pub began: Timestamp,
    /// The data that the next process needs to restore the game if the server is killed.
    pub saved: Option<Box<SavedGame>>,
}

impl GameHeader {
    /// The header of the record.
    pub fn record_header(&self, rules: &GameRules) -> Header {
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
pub struct Now {
    /// Monotonic, for measuring.
    pub instant: Instant,
    /// Wall clock, for records.
    pub wall: Timestamp,
}
