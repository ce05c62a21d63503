//! The index of games: an `SQLite` database over the record files.
//!
//! - [`Index`]: an open database, migrated to the schema of this program (`schema`).
//! - [`GameRows`]: a game as rows; [`Batch`] adds games, [`Index::record`] returns one.
//! - [`Filter`]: selects games; [`Index::games`] lists them, [`Index::search`] finds a position in them.
//! - [`Index::own_games`]: the results of our own games over time.
//! - [`Analyses`]: stored analyses of positions.
//!
//! The record files are authoritative. Everything here except the analyses can be rebuilt from them.
//!
//! Several processes may use one database at the same time: readers never wait, and writers wait for each other
//! (write-ahead log).

mod analyses;
mod error;
mod filter;
mod list;
mod load;
mod open;
mod own;
mod rows;
mod schema;
mod score;
mod search;
mod stats;
mod store;

pub use analyses::Analyses;
pub use error::IndexError;
pub use filter::{Filter, WantedResult};
pub use list::{GameLine, Order};
pub use open::Index;
pub use own::OwnGame;
pub use rows::GameRows;
pub use search::{Found, Results};
pub use stats::{OwnTimes, PlayerStats, Score, Stats};
pub use store::{Batch, Counts, KnownFile, KnownFiles};
