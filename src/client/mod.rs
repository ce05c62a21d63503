//! The tournament client (layer 5): connect, log in, play, ponder, and again.
//!
//! - [`run`] plays one game after another on a server; [`local`] on one of its own, against a
//!   second client, over real TCP.
//! - [`check`] tries what a run needs, without playing.
//! - What happens is reported to [`Watchers`](crate::watch::Watchers).
//!
//! Not here: what to do in which state of the protocol (`csa`), how to find a move (`engine`).

mod check;
mod connection;
mod keeper;
pub mod local;
mod pause;
mod run;
mod session_loop;
mod session_player;

pub use check::{CheckStatus, Finding, check};
pub use run::{ClientError, run};
pub use session_loop::Shutdown;
