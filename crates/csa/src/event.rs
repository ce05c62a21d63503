//! Events that a session reports to the rest of the program: for the record, the watchers and the log.

use std::sync::Arc;
use std::time::Duration;

use kyomi_shogi::clock::{Clocks, GameClocks, OwnTurn};
use kyomi_shogi::{Color, Finding, GameEnd, Move, Outcome, Score};

use super::profile::SpentUnit;
use super::summary::{GameSummary, SummaryError, SummaryWarning};

/// The score as written in comments, in centipawns. Forced wins and losses become ±100000.
pub fn comment_score(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value.clamp(-99_999, 99_999),
        Score::Win(_) => 100_000,
        Score::Loss(_) => -100_000,
    }
}

/// A move that the server has confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEvent {
    /// Number of the move in the game, starting at 1. Moves that the offer already contains are counted.
    pub ply: u32,
    /// The move.
    pub mv: Move,
    /// The move in CSA notation, e.g. `+7776FU`.
    pub word: String,
    /// The side that made it.
    pub color: Color,
    /// The time charged by the server, or our own measurement when the server's value is missing or impossible.
    pub spent: Duration,
    /// The time that we measured, including network delay.
    pub measured: Duration,
    /// Main time that the side has left afterwards, without byoyomi; `None` without a limit.
    pub remaining: Option<Duration>,
    /// The comment that the server relayed with the move, without its apostrophe and control characters.
    pub comment: Option<String>,
    /// What our own engine found, with the score from **black's** view and the line after the move; `None` for the
    /// opponent's moves.
    pub analysis: Option<Finding>,
    /// Where the time of our turn went; `None` for the opponent's moves.
    pub own_turn: Option<OwnTurn>,
}

/// The end of a game as reported by the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndEvent {
    /// Winner, reason and side to move.
    pub end: GameEnd,
    /// The outcome for our side.
    pub outcome: Outcome,
    /// The time that the server charged for a final `%` line (resignation, declaration); `None` if missing or
    /// impossible.
    pub spent: Option<Duration>,
    /// Where the time of our turn went, if the game ended in our turn or with our last line.
    pub own_turn: Option<OwnTurn>,
    /// What our own engine found, from black's view, if it ended the game: about the position in which it resigned or
    /// declared a win.
    pub analysis: Option<Finding>,
    /// The server's own lines about the end, in order (`%TORYO`, `#RESIGN`, `#WIN`).
    pub lines: Vec<String>,
    /// Set for a game that ended unfinished.
    pub unfinished: Option<Box<Unfinished>>,
}

/// Why a game stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standstill {
    /// Its connection was lost.
    Disconnected,
    /// The user left.
    Left,
    /// The server has suspended it, by itself or because both players wanted it.
    Suspended,
}

/// The state of a game that ended unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Why it did not go on.
    pub why: Standstill,
    /// Both clocks as of the last move.
    pub clocks: Clocks,
}

impl Unfinished {
    /// The state of a game with these clocks.
    pub fn new(why: Standstill, clocks: &GameClocks) -> Self {
        Self { why, clocks: *clocks.clocks() }
    }
}

/// A game that begins, from our side.
#[derive(Clone, Debug)]
pub struct GameStart {
    /// The offer: names, clocks, start position, moves already made.
    pub summary: Arc<GameSummary>,
    /// The side we play.
    pub color: Color,
    /// The times of the moves already made, as far as the offer gives them.
    pub move_times: Vec<Option<Duration>>,
}

impl GameStart {
    /// The game of this offer. `unit`: what the server counts.
    pub fn new(summary: Arc<GameSummary>, unit: SpentUnit) -> Self {
        let (color, move_times) = (summary.your_turn, summary.move_times(unit));
        Self { summary, color, move_times }
    }
}

/// What happens in a session, in order.
#[derive(Clone, Debug)]
pub enum GameEvent {
    /// The login succeeded; the session waits for a game.
    LoggedIn {
        /// The name that the server confirmed.
        name: String,
    },
    /// A game was offered, and the session agreed.
    Offered(Arc<GameSummary>),
    /// A game was offered that cannot be played; the session rejected it.
    RejectedByUs {
        /// The game's id, if it could be read.
        game_id: Option<String>,
        /// Why it cannot be played.
        reason: SummaryError,
    },
    /// The server reported `REJECT` for an offer.
    RejectedByServer {
        /// The game's id.
        game_id: String,
        /// Who rejected it, as the server states it.
        by: String,
    },
    /// The game begins.
    Started(Arc<GameStart>),
    /// Either side made a move.
    Move(MoveEvent),
    /// The server has suspended the game. It is resumed, or it ends as adjourned.
    Suspended,
    /// The game goes on, over this connection or a new one. The moves that were made in between follow.
    Resumed {
        /// Both clocks as the server states them.
        clocks: Box<Clocks>,
    },
    /// The game is over. Exactly one for each `Started`.
    Ended(EndEvent),
    /// The server refused the login.
    LoginRefused {
        /// The server's reason, when it gave one.
        reason: Option<String>,
    },
    /// Something the user should know about; the session continues.
    Warning(Warning),
    /// A notice, a chat message or an unknown line, for the log.
    Notice(String),
}

/// An irregularity that was handled, or that the user can correct.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A line over the limit was dropped.
    #[error("the server sent a line that was too long; it was dropped")]
    LineTooLong,
    /// The server sent an error message.
    #[error("the server says: {0}")]
    ServerError(String),
    /// An offer is irregular, but can be played.
    #[error(transparent)]
    OddOffer(SummaryWarning),
    /// A line that is not valid in the current state.
    #[error("\"{line}\" makes no sense {state}; ignored")]
    Unexpected {
        /// The line or input.
        line: String,
        /// The session's state in words, e.g. `while waiting for a game`.
        state: &'static str,
    },
    /// The server echoed another move than the one we sent.
    #[error("we sent {sent}, but the server says {stated}; going on with the server's")]
    OtherMove {
        /// Our line; `nothing` when we had sent none.
        sent: String,
        /// The server's move.
        stated: String,
    },
    /// The opponent's reply to our move arrived, but not the echo of our move.
    #[error("the server never confirmed {word}, but the opponent answers it; it counts as played")]
    NotEchoed {
        /// Our move.
        word: String,
    },
    /// The server sent a move that is not possible in our position.
    #[error(
        "the server says {line}, which cannot be played here ({fault}); waiting for the result"
    )]
    OutOfSync {
        /// The line.
        line: String,
        /// Why it cannot be played.
        fault: String,
    },
    /// The player chose an illegal move. It was not sent.
    #[error("the player wants to play {mv}, which is not legal here; {instead}")]
    IllegalAnswer {
        /// The move in USI notation.
        mv: String,
        /// What the session does instead.
        instead: String,
    },
    /// The player chose to declare a win, but the rule is not met. The declaration was not sent.
    #[error("the player wants to declare, but {fault}; {instead}")]
    BadDeclaration {
        /// The condition that is not met.
        fault: String,
        /// What the session does instead.
        instead: String,
    },
    /// The server's time for a move is missing, impossible, or far from our own measurement.
    #[error("the server counts {} for {word}, we measured {measured:?}; {charged:?} is booked", stated.map_or_else(|| "nothing".to_owned(), |stated| format!("{stated:?}")))]
    OddTime {
        /// The move.
        word: String,
        /// The server's value; `None` when it sent none.
        stated: Option<Duration>,
        /// Our own measurement.
        measured: Duration,
        /// The time that was charged to our copy of the clock.
        charged: Duration,
    },
    /// The unit of the server's times does not seem to be the expected one.
    #[error(
        "the server's times for moves look like units of {unit:?}, not seconds; \
         set the profile if clocks are wrong"
    )]
    OddUnit {
        /// The offer's unit.
        unit: Duration,
    },
    /// The connection ended after the reason but before the result.
    #[error("the server never said the result; what it did say means: {outcome}")]
    ResultNotStated {
        /// The outcome derived from the reason.
        outcome: Outcome,
    },
    /// The connection was lost during a game, which ends.
    #[error(
        "the connection was lost in the game ({cause}); by rule the game is lost with most servers"
    )]
    GameCutOff {
        /// Why the connection was lost.
        cause: String,
    },
    /// The connection was lost during a game, which may be resumed over another one.
    #[error("the connection was lost in the game ({cause}); the game can be resumed")]
    GameDisconnected {
        /// Why the connection was lost.
        cause: String,
    },
    /// The user left before the game ended.
    #[error("left the game unfinished; by rule it is lost with most servers")]
    LeftGame,
    /// The server sent no line for too long after a keep-alive line.
    #[error("the server has not answered for {0:?}; the connection is dead")]
    NoAnswer(Duration),
    /// The server said `START` before our `AGREE`.
    #[error("\"START:{stated}\" came before our AGREE to the game {offered}; no game begins")]
    StartTooEarly {
        /// The id in the server's line; empty when it sent none.
        stated: String,
        /// The id of the game that was offered.
        offered: String,
    },
    /// The server said `START` for another game than the one that we agreed to, or for none.
    #[error("\"START:{stated}\" is not for the game {agreed}, to which we agreed; no game begins")]
    OtherStart {
        /// The id in the server's line; empty when it sent none.
        stated: String,
        /// The id of the game that we agreed to.
        agreed: String,
    },
    /// The server sent no `START` for an offer within the time limit.
    #[error(
        "no START for the game {game_id} within {} s of our AGREE; rejecting it and logging in anew",
        limit.as_secs()
    )]
    NoStart {
        /// The game's id.
        game_id: String,
        /// The time limit after our `AGREE`.
        limit: Duration,
    },
    /// The login succeeded, but the server did not put the player in a queue.
    #[error(
        "logged in, but the server says \"{0}\" and offers no game: none will come; logging out"
    )]
    NotQueued(String),
}
