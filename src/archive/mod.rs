//! Games kept on disk: the journal of a running game and finished records (layer 4).
//!
//! - [`Journal`]: the record of one running game, appended and flushed line by line, so that a
//!   killed process loses no move it had read; finished by rename.
//! - [`recover`]: turns journals left behind by killed processes into records marked interrupted.
//! - [`convert`]: records of one format become records of another, by files and folders.
//! - [`write_whole`]: a file that is there as a whole or not at all.
//! - [`file_stem`]: a safe file name from what a server said.
//!
//! Nothing is ever overwritten, and no name leads outside the folder.

pub mod convert;
mod draft;
mod folder;
mod journal;
mod name;
mod place;
mod recover;

#[cfg(test)]
mod tests;

pub use draft::write_whole;
pub use folder::{check_folder, open_folder};
pub use journal::{Journal, JournalError};
pub use name::file_stem;
pub use recover::{Recovered, recover};
