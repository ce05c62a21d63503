//! What the session tells the rest of the program: for the record, the watchers and the log.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clocks;
use crate::shogi::{Color, GameEnd, Move, Outcome, Score};

use super::summary::{GameSummary, SummaryError, SummaryWarning};

/// A score as comments carry it, in centipawns: forced wins and losses become ±100000.
pub fn comment_score(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value.clamp(-99_999, 99_999),
        Score::Win(_) => 100_000,
        Score::Loss(_) => -100_000,
    }
}

/// What the engine thought about a move.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Analysis {
    /// The evaluation, seen from **Black's** side.
    pub score: Option<Score>,
    /// The line expected after the move itself.
    pub pv: Vec<Move>,
    /// Search depth.
    pub depth: Option<u32>,
    /// Positions looked at.
    pub nodes: Option<u64>,
}

/// A move that the server has confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEvent {
    /// Number of the move in the game, 1 for the first; moves set up by the offer count.
    pub ply: u32,
    /// The move.
    pub mv: Move,
    /// Its CSA word, e.g. `+7776FU`.
    pub word: String,
    /// Who made it.
    pub color: Color,
    /// What the server counts for it (our own measure where the server says nothing sensible).
    pub spent: Duration,
    /// What we measured, network included.
    pub measured: Duration,
    /// What its maker has left afterwards, without byoyomi; `None` without a limit.
    pub remaining: Option<Duration>,
    /// The comment that the server relayed with it, without its apostrophe, control characters removed.
    pub comment: Option<String>,
    /// What our own engine thought; `None` for the opponent's moves.
    pub analysis: Option<Analysis>,
}

/// The end of a game as the server told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndEvent {
    /// Who won, why, and who was to move.
    pub end: GameEnd,
    /// For us.
    pub outcome: Outcome,
    /// What the server counted for a last `%` word (resignation, declaration), unless that is absurd.
    pub spent: Option<Duration>,
    /// The server's own lines about the end, in order (`%TORYO`, `#RESIGN`, `#WIN`).
    pub lines: Vec<String>,
}

/// Our side's view of the game that begins.
#[derive(Clone, Debug)]
pub struct GameStart {
    /// The offer: names, clocks, start position, moves made already.
    pub summary: Arc<GameSummary>,
    /// The side we play.
    pub color: Color,
}

/// What happens, in the order it happens.
#[derive(Clone, Debug)]
pub enum GameEvent {
    /// We are logged in under this name and wait for a game.
    LoggedIn {
        /// The name as the server says it.
        name: String,
    },
    /// A game is offered; the answer is on its way.
    Offered(Arc<GameSummary>),
    /// An offer we turned down.
    Refused {
        /// Its id as far as it could be read.
        game_id: Option<String>,
        /// What is wrong with it.
        reason: SummaryError,
    },
    /// An agreed offer came to nothing.
    Rejected {
        /// Its id.
        game_id: String,
        /// Who turned it down, in the server's words.
        by: String,
    },
    /// The game begins.
    Started(Arc<GameStart>),
    /// A move was made, by either side.
    Move(MoveEvent),
    /// The game goes on over a new connection, with these clocks. The moves that were made meanwhile follow.
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
    /// Something the user should know; the session goes on.
    Warning(Warning),
    /// A notice, chat or line we do not know, for the log.
    Notice(String),
}

/// Something odd that was coped with, or that the user can mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A line over the limit was dropped.
    #[error("the server sent a line that was too long; it was dropped")]
    LineTooLong,
    /// The server complained.
    #[error("the server says: {0}")]
    ServerError(String),
    /// An offer that is odd, but can be played.
    #[error(transparent)]
    OddOffer(SummaryWarning),
    /// A line that makes no sense at this point.
    #[error("\"{line}\" makes no sense {state}; ignored")]
    Unexpected {
        /// The line or input.
        line: String,
        /// What we are doing, e.g. `while waiting for a game`.
        state: &'static str,
    },
    /// The server echoed another move than the one we sent.
    #[error("we sent {sent}, but the server says {said}; going on with the server's")]
    OtherMove {
        /// Ours; `nothing` when we had sent none.
        sent: String,
        /// The server's.
        said: String,
    },
    /// The opponent's answer to our move came, but not the echo of the move.
    #[error("the server never confirmed {word}, but the opponent answers it; it counts as played")]
    NotEchoed {
        /// Our move.
        word: String,
    },
    /// A move of the server's that cannot be made in our position.
    #[error(
        "the server says {line}, which cannot be played here ({fault}); waiting for the result"
    )]
    Adrift {
        /// The line.
        line: String,
        /// Why not.
        fault: String,
    },
    /// The player answered with a move that is not legal; it was not sent, we resign.
    #[error("the player wants to play {mv}, which is not legal here; resigning")]
    IllegalAnswer {
        /// The move in USI notation.
        mv: String,
    },
    /// The player wanted to declare although the rule is not met; it was not sent.
    #[error("the player wants to declare, but {fault}; {instead}")]
    BadDeclaration {
        /// What is missing.
        fault: String,
        /// What we do instead.
        instead: &'static str,
    },
    /// The server's time for a move is missing, cannot be true, or is far from our own measure.
    #[error("the server counts {} for {word}, we measured {measured:?}; {booked:?} is booked", said.map_or_else(|| "nothing".to_owned(), |said| format!("{said:?}")))]
    OddTime {
        /// The move.
        word: String,
        /// The server's value; `None` when it gave none.
        said: Option<Duration>,
        /// Our own measure.
        measured: Duration,
        /// What our clock took.
        booked: Duration,
    },
    /// The unit of the server's times is not the one we suppose.
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
        /// What follows from the reason.
        outcome: Outcome,
    },
    /// The game was cut off.
    #[error(
        "the connection was lost in the game ({cause}); by rule the game is lost with most servers"
    )]
    GameCutOff {
        /// What happened.
        cause: String,
    },
    /// The game may go on over another connection.
    #[error("the connection was lost in the game ({cause}); the game is suspended")]
    GameSuspended {
        /// What happened.
        cause: String,
    },
    /// The user did not want to wait for the end.
    #[error("left the game unfinished; by rule it is lost with most servers")]
    LeftGame,
    /// No line for too long after a keep-alive line.
    #[error("the server has not answered for {0:?}; the connection is dead")]
    NoAnswer(Duration),
    /// An offer that both should have agreed to, and no `START`.
    #[error(
        "no START for the game {game_id} within {} s of our AGREE; rejecting it and logging in anew",
        limit.as_secs()
    )]
    NoStart {
        /// Its id.
        game_id: String,
        /// The time that was given.
        limit: Duration,
    },
    /// Logged in, but in no queue.
    #[error(
        "logged in, but the server says \"{0}\" and offers no game: none will come; logging out"
    )]
    NotQueued(String),
}
