//! What can be seen of running games (layer 4): one stream of [`Report`]s for any number of watchers.
//!
//! - A [`Watchers`] is where the client, the players and the server report; clones speak to the same watchers.
//! - [`Watchers::subscribe`] adds a watcher: a terminal, a page, a second terminal. Its [`Reports`] begin with a
//!   [`Snapshot`] of what stands, so that it may come at any time.
//! - Queues are bounded. A watcher that is too slow loses reports and gets a new snapshot instead; nobody who reports
//!   ever waits.
//!
//! Not here: how anything looks, sockets, files.

mod fan_out;
mod follow;
mod report;
mod snapshot;

pub use fan_out::{Reports, Watchers};
pub use report::Report;
pub use snapshot::{Connection, Line, LiveGame, LiveMove, Snapshot};

#[cfg(test)]
mod tests;
