//! The CSA server protocol without I/O: lines in, events out; events in, lines out.
//!
//! - [`LineCodec`] converts between bytes and lines, [`ServerMessage`] and [`ClientMessage`] are typed lines,
//!   [`GameSummary`] is an offer of a game.
//! - [`Session`] is the client's side of the protocol as a state machine: it takes [`Input`]s with the time and
//!   returns [`Action`]s. It owns the game and its clocks.
//! - [`Profile`] describes the differences between servers.
//! - [`ExtendedCommand`] is a command of extended mode.
//! - [`server`] is the server's side: its clients, their games and the rules of these.
//! - [`spy`] is the client's side for watching the games of others.
//! - [`league`] decides who plays whom in an event with rounds.
//!
//! Invariants: no move is sent out of turn, no illegal move is sent, an answer to an outdated request is dropped,
//! and no received line can cause a panic or unbounded memory use.
//!
//! Not here: sockets, timers, when to log in again, files.

mod codec;
mod end_lines;
mod event;
mod extended;
mod game_name;
mod message;
mod profile;
mod reconnect;
mod session;
mod summary;

pub mod league;
pub mod server;
pub mod spy;
pub mod text;

pub use codec::without_token;
pub use end_lines::{reason_line, result_line};
pub use event::{
    EndEvent, GameEvent, GameStart, MoveEvent, Standstill, Unfinished, Warning, comment_score,
};
pub use extended::{ExtendedCommand, GameSelection, MonitorForm, split_moves};
pub use game_name::GameName;
pub use message::{
    ClientMessage, LoginMode, MoveWord, ReasonWord, ResultWord, ServerMessage, Special, WireTime,
};
pub use profile::{
    AfterGame, Behaviour, EarlyError, LoginWarning, LostConnection, Profile, SetUpTimes, SpentUnit,
    Suspension, login_warning,
};
pub use reconnect::{ReconnectState, ReconnectStateReader};
pub use session::{
    Action, Answer, Cause, Chosen, GameSnapshot, Input, PonderMove, PonderStart, RequestCommand,
    Session, SessionEnd, SessionSettings, UnfinishedGame, When,
};
pub use summary::{
    GameSummary, ReadOptions, SetupMove, SummaryError, SummaryReader, SummaryWarning,
};
pub use text::{Line, LineCodec, MAX_LINE};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
