//! The inputs and outputs of a session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kyomi_shogi::clock::Clocks;
use kyomi_shogi::{Color, Finding, Game, Move};

use super::super::codec::clip;
use super::super::event::GameEvent;
use super::super::message::ClientMessage;
use super::super::summary::GameSummary;
use crate::text::Line;

/// An input of the session.
#[derive(Clone, Debug)]
pub enum Input {
    /// The connection is established. The client sends the first line.
    Connected,
    /// A line from the server.
    Line(Line),
    /// The player's answer to an [`Action::Think`].
    Chosen(Chosen),
    /// The player is prepared for the game that was offered last. Needed only with
    /// [`super::SessionSettings::agree_when_prepared`], harmless at any other time.
    Prepared,
    /// Time has passed. Expected at the instant of the last [`Action::WakeAt`], harmless at any other time.
    Tick,
    /// The connection is lost. All lines read from it must have been passed in before.
    Lost(Cause),
    /// The user requests to suspend the game. It is proposed to the opponent where the server knows such proposals.
    Suspend,
    /// The user requests to stop.
    Quit(When),
}

/// Why a connection was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server closed it.
    EndOfStream,
    /// An I/O error, with the operating system's message.
    Broken(String),
    /// We left during a game.
    Left,
}

impl Cause {
    /// A description without control characters.
    pub fn text(&self) -> String {
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
    /// Resign as soon as the rules allow it, then leave.
    Now,
}

/// The player's answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The [`GameSnapshot::id`] of the request; an answer to any other request is ignored.
    pub id: u64,
    /// What to do.
    pub answer: Answer,
    /// The reply on which the player can ponder.
    pub ponder: Option<Move>,
    /// What it found, with the score from the view of the side to move. The line may begin with the chosen move or with
    /// the reply to it.
    pub finding: Finding,
}

impl Chosen {
    /// An answer without a finding.
    pub fn plain(id: u64, answer: Answer) -> Self {
        Self { id, answer, ponder: None, finding: Finding::default() }
    }
}

/// What a player does in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Play this move.
    Move(Move),
    /// Resign.
    Resign,
    /// Declare a win by entering king. The rule is checked before the declaration is sent.
    Declare,
}

/// The state of the game for the player: the start position with all moves, and the clocks.
#[derive(Clone, Debug)]
pub struct GameSnapshot {
    /// Number of the request, unique in a session (and across sessions, see
    /// [`first_request`](super::SessionSettings::first_request)).
    pub id: u64,
    /// Start position and all moves; for [`Action::Ponder`] the expected reply is the last of them.
    pub game: Game,
    /// Both clocks as of the last move, without the time of the current turn.
    pub clocks: Clocks,
    /// The offer of the game.
    pub summary: Arc<GameSummary>,
    /// The side we play.
    pub color: Color,
    /// When the current turn began by our clock.
    pub turn_started: Instant,
}

/// An output of the session. Actions are to be carried out in order.
#[derive(Clone, Debug)]
pub enum Action {
    /// Send this line, in one write.
    Send(ClientMessage),
    /// Ask the player for a move.
    Think(Box<GameSnapshot>),
    /// Let the player think on the opponent's time; its answer is not used.
    Ponder(Box<GameSnapshot>),
    /// Stop thinking or pondering; an answer that still arrives is ignored.
    StopThinking,
    /// An event that belongs to the game record: write it to the journal, then show it.
    Save(GameEvent),
    /// An event for the watchers and the log only.
    Show(GameEvent),
    /// Pass in [`Input::Tick`] at this instant; replaces the previous instant.
    WakeAt(Instant),
    /// Close the connection. The session is over; nothing follows.
    Close(SessionEnd),
}

/// How a session ended, for the code that decides about the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The requested number of games is finished, or the user asked to stop.
    Done,
    /// The server requires a new login for the next game.
    NextGame,
    /// The login was refused; the server's reason, when it gave one.
    LoginRefused(Option<String>),
    /// The server did not answer the login.
    NoAnswer,
    /// Logged in, but by the server's message no game will be offered.
    NotQueued(String),
    /// The connection was lost during a game that may be resumed: see
    /// [`Session::take_unfinished`](super::Session::take_unfinished).
    Disconnected {
        /// Why the connection was lost.
        cause: Cause,
        /// The longest time that the game can still run on the server.
        game_left: Duration,
    },
    /// The connection was lost outside a game.
    Lost(Cause),
    /// The connection was lost during a game, which most servers adjudge lost. The server may refuse a new login
    /// until it ends the game: for at most `game_left`.
    LostInGame {
        /// Why the connection was lost.
        cause: Cause,
        /// The longest time that the game can still run on the server.
        game_left: Duration,
    },
}
