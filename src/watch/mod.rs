//! Reports about running games: one stream of [`Report`]s for any number of watchers.
//!
//! - The client, the players and the server report to [`Watchers`]; clones report to the same watchers.
//! - [`Watchers::subscribe`] adds a watcher: a terminal, a page, a second terminal. Its [`Reports`] begin with a
//!   [`Snapshot`] of the current state, so that it can subscribe at any time.
//! - Queues are bounded. A watcher that is too slow loses reports and receives a new snapshot instead; reporting never
//!   blocks.
//!
//! [`event_json`] gives a report as JSON, and an [`EventReader`] reads it in another process.
//!
//! Not here: display, sockets, files. A live page is a module beside `terminal` that subscribes here; the
//! commands start it (`cli/context.rs`, `cli/serve.rs`).

mod fan_out;
mod follow;
mod json;
mod merged;
mod moment;
mod read;
mod report;
mod sleep_reason;
mod snapshot;
mod wall_clock;

pub use fan_out::{Reports, Watchers};
pub use json::{EVENTS_VERSION, event_json};
pub(crate) use json::{color, ms, with};
pub use merged::MergedReports;
pub use moment::{moment_words, next_pairing, next_time_of_day, sleeping_words, waiting_words};
pub use read::{EventReader, attach_json};
pub use report::Report;
pub use sleep_reason::SleepReason;
pub use snapshot::{Connection, Line, LiveEngine, LiveGame, LiveMove, Snapshot};
pub use wall_clock::WallClock;

#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
