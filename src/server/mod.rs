//! The local CSA server (layer 5): practice, tests, tournaments on a LAN.
//!
//! [`Server::bind`] opens the port, [`Server::run`] serves until its [`Shutdown`] says otherwise.
//!
//! | file | what it is | I/O |
//! |---|---|---|
//! | `gamename` | what a login password asks for: pool, clock, colour, handicap | none |
//! | `judge` | one running game: clocks, legality, repetition, declaration, limit | none |
//! | `table` | two players: offer, agreement, moves, end | none |
//! | `lobby` | everybody: login, pairing, limits, after the game, shutting down | none |
//! | `connection` | one peer's socket: lines in, lines out, all bounded | sockets |
//! | `hub` | the one task that owns the lobby; timers | channels |
//! | `recorder` | the thread that keeps the records | files |
//! | `host` | all of it brought together | |
//!
//! The judge follows the reference server (its clock counts from line dealt with to line read, in
//! whole units; the order of its judgement; repetition without the start position unless set
//! otherwise). Where the reference server leaves something open or tournaments want more, the
//! module concerned says what is done: early lines and leaving in `table`, names and waiting in
//! `lobby`, `%CHUDAN` in `judge`, the stop-watch clock in `gamename`.
//!
//! Invariants: no peer can make another one wait, grow our memory without bound, or see what a
//! third one sent; a game ends once, with the same reason for both; every move that was echoed is
//! in the record.
//!
//! Not here: extended mode (`x1`, `%%` commands), buoys, resuming a broken connection.

mod allowance;
mod connection;
mod gamename;
mod host;
mod hosted_game;
mod hub;
mod judge;
mod lobby;
mod recorder;
mod settings;
mod timers;

pub use host::{Server, ServerError, Shutdown};
pub use settings::{PeerLimits, ServerSettings};
