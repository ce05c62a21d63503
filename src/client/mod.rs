//! The tournament client (floor 5): connect, log in, play, ponder, and again.
//!
//! - [`Report`] is what watchers get, through a [`Watcher`].

mod report;

pub use report::{GameResult, Report, Reports, Watcher, end_word, watch};
