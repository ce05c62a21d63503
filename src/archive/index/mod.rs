//! The index of games: an `SQLite` database over the record files.
//!
//! - [`Index`]: an open database, brought to the schema of this program (`schema`).
//! - [`Analyses`]: stored analyses of positions.
//!
//! The record files stay the truth. Everything here except the analyses can be made again from them.
//!
//! Several processes may use one database at the same time: readers never wait, and writers wait for each other
//! (write-ahead log).

mod analyses;
mod error;
mod open;
mod schema;

pub use analyses::Analyses;
pub use error::IndexError;
pub use open::Index;
