//! What goes into a session and what comes out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::Clocks;
use crate::shogi::{Color, Game, Move, Score};

use super::super::codec::{Line, clip};
use super::super::event::GameEvent;
use super::super::message::ClientMessage;
use super::super::summary::GameSummary;

/// What comes in.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// The connection stands; the session speaks first.
    Connected,
    /// A line from the server.
    Line(&'a Line),
    /// The player's answer to a [`Action::Think`].
    Chosen(Chosen),
    /// Time has passed; due at the instant of the last [`Action::WakeAt`], harmless at any other.
    Tick,
    /// The connection is gone. The lines read before it must have been handed in.
    Lost(Cause),
    /// The user wants to stop.
    Quit(When),
}

/// Why a connection is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server closed it.
    EndOfStream,
    /// It broke; the operating system's words.
    Broken(String),
    /// We left, in the middle of a game.
    Left,
}

impl Cause {
    /// In words, cleaned.
    pub fn words(&self) -> String {
        match self {
            Self::EndOfStream => "the server closed it".to_owned(),
            Self::Broken(reason) => clip(reason),
            Self::Left => "we left".to_owned(),
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// Finish the running game, then log out.
    AfterGame,
    /// Resign as soon as the rules let us, and leave.
    Now,
}

/// The player's word on one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The [`GameSnapshot::id`] that it answers; an answer to any other request is ignored.
    pub id: u64,
    /// What to do.
    pub answer: Answer,
    /// The evaluation, from the view of the side to move.
    pub score: Option<Score>,
    /// The expected line; may begin with the chosen move or with the reply to it.
    pub pv: Vec<Move>,
    /// The reply that the player would like to ponder on.
    pub ponder: Option<Move>,
    /// Search depth.
    pub depth: Option<u32>,
    /// Positions looked at.
    pub nodes: Option<u64>,
}

impl Chosen {
    /// An answer without anything about how it was found.
    pub fn plain(id: u64, answer: Answer) -> Self {
        Self { id, answer, score: None, pv: Vec::new(), ponder: None, depth: None, nodes: None }
    }
}

/// What a player can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Play this move.
    Move(Move),
    /// Give up.
    Resign,
    /// Declare a win by entering king; checked before it is sent.
    Declare,
}

/// A game as the player gets it: the start position with all moves, and the clocks.
#[derive(Clone, Debug)]
pub struct GameSnapshot {
    /// Number of the request, unique in a session (and beyond, see [`first_request`](super::SessionSettings::first_request)).
    pub id: u64,
    /// Start position and all moves; for [`Action::Ponder`] the expected reply is the last of them.
    pub game: Game,
    /// Both clocks as the server left them, without the time of the running turn.
    pub clocks: Clocks,
    /// The offer that the game was played under.
    pub summary: Arc<GameSummary>,
    /// The side we play.
    pub color: Color,
    /// When the running turn began, as far as we can see.
    pub turn_started: Instant,
}

/// What goes out, to be carried out in order.
#[derive(Clone, Debug)]
pub enum Action {
    /// Send this line, in one write.
    Send(ClientMessage),
    /// Ask the player for a move.
    Think(Box<GameSnapshot>),
    /// Let the player think on the opponent's time; its answer is not wanted.
    Ponder(Box<GameSnapshot>),
    /// Stop thinking or pondering; an answer still under way will be ignored.
    StopThinking,
    /// Something that belongs to the record of the game: journal it, then show it.
    Save(GameEvent),
    /// Something for the watchers and the log only.
    Show(GameEvent),
    /// Hand in [`Input::Tick`] at this instant; replaces the one before.
    WakeAt(Instant),
    /// Close the connection. The session is over; nothing follows.
    Close(Farewell),
}

/// How a session ended, for whoever decides about the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// All is done that was asked for.
    Done,
    /// The server wants a new login for the next game.
    NextGame,
    /// The login was refused; the server's reason, when it gave one.
    LoginRefused(Option<String>),
    /// The server did not answer the login.
    NoAnswer,
    /// Logged in, but the server said that no game will come: its words.
    NotQueued(String),
    /// The connection was lost in a game that may go on: see
    /// [`Session::take_suspended`](super::Session::take_suspended).
    Suspended {
        /// What happened.
        cause: Cause,
        /// The longest that the game can still run on the server.
        game_left: Duration,
    },
    /// The connection was lost outside a game.
    Lost(Cause),
    /// The connection was lost in a game, which is lost by rule with most servers. A new login may be refused until
    /// the server has noticed: for about this long.
    LostInGame {
        /// What happened.
        cause: Cause,
        /// The longest that the game can still run on the server.
        game_left: Duration,
    },
}
