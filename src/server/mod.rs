//! The local CSA server: practice, tests, tournaments on a LAN.
//!
//! [`Server::bind`] opens the port, [`Server::run`] serves until [`Shutdown`] is requested.
//!
//! | file | contents | I/O |
//! |---|---|---|
//! | `connection` | the socket of one peer, with bounded queues | sockets |
//! | `waiting` | the bytes that wait to be written | none |
//! | `hub` | the task that owns the lobby; timers | channels |
//! | `recorder` | the thread that writes the records | files |
//! | `saved_game` | running games on disk, for the next start of a killed server | files |
//! | `host` | the whole server | |
//! | `shutdown`, `error` | shutdown requests, start errors | none |
//!
//! What clients are answered, and the rules of their games, are in [`kyomi_csa::server`]; here are the sockets, files and
//! timers.
//!
//! Invariants: no peer can delay another one or use unbounded memory; every move that was echoed is in the record.

mod connection;
mod error;
mod host;
mod hub;
mod recorder;
mod saved_game;
mod shutdown;
mod waiting;

pub use error::ServerError;
pub use host::Server;
#[cfg(test)]
pub(crate) use host::memory::{MemoryServer, wait_until_unlocked};
pub use kyomi_csa::server::{PeerLimits, ServerSettings};
pub use shutdown::Shutdown;
