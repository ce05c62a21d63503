//! The tournament client (layer 5): connects, logs in, plays, ponders, and repeats.
//!
//! - [`run`] plays one game after another on a server; [`local`] on an embedded server, against a
//!   second client, over real TCP.
//! - [`check`] tests what a run needs, without playing.
//! - Events are reported to [`Watchers`](crate::watch::Watchers).
//!
//! A game whose connection is lost is suspended ([`SuspendedGame`](crate::csa::SuspendedGame)) if the server may resume
//! it: `run` logs in again with growing pauses while the player goes on thinking, and `session_loop` resumes the game.
//! With other servers, and when it cannot be resumed any more, it ends as interrupted.
//!
//! Not here: what to do in which state of the protocol (`csa`), how to find a move (`engine`).

mod check;
mod connection;
pub mod local;
mod pause;
mod recorder;
mod run;
mod session_loop;
mod session_player;

pub use check::{CheckStatus, Finding, check};
pub use run::{ClientError, run};
pub use session_loop::Shutdown;
