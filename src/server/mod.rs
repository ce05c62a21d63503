//! The local CSA server: practice, tests, tournaments on a LAN.
//!
//! [`Server::bind`] opens the port, [`Server::run`] serves until [`Shutdown`] is requested.
//!
//! | file | contents | I/O |
//! |---|---|---|
//! | `gamename` | the game that a login password requests: pool, clock, colour, handicap | none |
//! | `judge` | the rules of a game: clocks, legality, repetition, declaration, limit | none |
//! | `hosted_game` | a game of two players: offer, agreement, moves, end | none |
//! | `lobby` | all clients: login, pairing, limits, after the game, shutdown | none |
//! | `connection` | the socket of one peer, with bounded queues | sockets |
//! | `hub` | the task that owns the lobby; timers | channels |
//! | `recorder` | the thread that writes the records | files |
//! | `saved_game` | running games on disk, for the next start of a killed server | files |
//! | `password` | salted password digests | none |
//! | `host` | the whole server | |
//! | `settings`, `shutdown`, `error` | settings, shutdown requests, start errors | none |
//!
//! The rules follow the reference server: its clock measures from when a line was handled to when the next one
//! was read, in whole units; the order of its checks; repetition without the start position unless configured.
//! Where the reference server leaves something open or tournaments need more, the module concerned documents
//! the behaviour: early lines and leaving in `hosted_game`, names and waiting in `lobby`, `%CHUDAN` in `hosted_game`,
//! the stop-watch clock in `gamename`.
//!
//! Invariants: no peer can delay another one, use unbounded memory, or see the lines of other games; a game ends
//! once, with the same reason for both sides; every move that was echoed is in the record.

mod connection;
mod error;
mod gamename;
mod host;
mod hosted_game;
mod hub;
mod judge;
mod lobby;
mod password;
mod recorder;
mod saved_game;
mod settings;
mod shutdown;
mod timers;
mod token_bucket;

pub use error::ServerError;
pub use host::Server;
pub use settings::{PeerLimits, ServerSettings};
pub use shutdown::Shutdown;
