//! The CSA server protocol without I/O: lines in, events out; events in, lines out (layer 3).
//!
//! - [`LineCodec`] makes lines of bytes and bytes of lines, [`ServerMessage`] and [`ClientMessage`] are one
//!   line each, typed both ways, [`GameSummary`] is an offer; the local server uses all of them too.
//! - [`Session`] is the client's side of the protocol as a state machine: [`Input`]s go in with the time,
//!   [`Action`]s come out. It owns the game and its clocks.
//! - [`Profile`] says what differs from server to server.
//!
//! Invariants: nothing is sent out of turn, nothing is sent that our own rules call illegal, an answer
//! that belongs to another position is dropped, and no line from outside can make it panic or grow without bound.
//!
//! Not here: sockets, timers, when to try again, records.

mod codec;
mod end_lines;
mod event;
mod message;
mod profile;
mod session;
mod summary;

pub use codec::{Line, LineCodec, MAX_LINE, printable};
pub use end_lines::{reason_line, result_line};
pub use event::{Analysis, EndEvent, GameEvent, GameStart, MoveEvent, Warning, comment_score};
pub use message::{
    ClientMessage, MoveWord, ReasonWord, ResultWord, ServerMessage, Special, WireTime,
};
pub use profile::{
    AfterGame, Behaviour, EarlyError, LoginWarning, Profile, SetUpTimes, SpentUnit, login_warning,
};
pub use session::{
    Action, Answer, Cause, Chosen, Farewell, GameSnapshot, Input, PonderMove, Session,
    SessionSettings, SuspendedGame, When,
};
pub use summary::{
    GameSummary, ReadOptions, SetupMove, SummaryError, SummaryReader, SummaryWarning,
};
