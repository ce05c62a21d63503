//! The tournament client: connects, logs in, plays, ponders, and repeats.
//!
//! - [`run`] plays with one [`Account`] or with several at once, each in its own task: one game after another on a
//!   server, or (`local`) on an embedded server against a second client, over real TCP.
//! - [`Request`] is a request of the user to a running client from another terminal: show the status, stop, pause.
//! - [`watch_client`] follows a running client from another process.
//! - [`write_events`] writes the reports as lines of JSON.
//! - [`spy`] records games that others play on a server; [`ask`] asks a server for its players and games.
//! - [`check`] tests everything that a run needs, without playing.
//! - Events are reported to [`Watchers`](crate::watch::Watchers).
//!
//! A game whose connection is lost is kept ([`UnfinishedGame`](kyomi_csa::UnfinishedGame)) if the server may
//! resume it: `run` logs in again with growing pauses while the player goes on thinking, and `session_loop` resumes it.
//! With other servers, and when it cannot be resumed any more, it ends as interrupted. A client that was killed in a
//! game finds it in its records at the next start (`saved_game`) and resumes it in the same way.
//!
//! Not here: the protocol state machine (`csa`), finding moves (`engine`).

mod account;
mod backoff;
mod check;
mod client_state;
mod connection;
mod control;
mod error;
mod event_file;
mod game_notes;
mod local;
mod login;
mod player_settings;
mod record_writer;
mod recorder;
mod run;
mod saved_game;
mod schedule;
mod server_games;
mod server_stream;
mod session_loop;
mod session_player;
mod shutdown;
mod spy;
mod surroundings;
#[cfg(test)]
mod week;
mod workers;

pub use account::Account;
pub use check::{CheckStatus, Finding, Rehearsal, check, rehearse};
pub use control::{ParseRequestError, Request, send_request, watch_client};
pub use error::ClientError;
pub use event_file::{open_events, write_events};
pub use player_settings::{book_options, player_spec};
pub use run::{ReadConfig, run};
pub use shutdown::Shutdown;
pub use spy::{Question, SpyEvent, SpySettings, ask, spy};
