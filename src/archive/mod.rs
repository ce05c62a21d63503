//! Records on disk: the journal of a running game, and finished records.
//!
//! - [`Journal`]: the record of one running game, appended and flushed line by line, so that a killed process loses
//!   no move it had received; finished by a rename.
//! - [`DiskThread`]: a thread that writes, so that no game waits for a disk that hangs.
//! - [`PrivateFile`]: the other data needed to resume a running game, beside its journal.
//! - [`recover`]: turns journals left by killed processes into records marked as interrupted.
//! - [`convert`]: converts files and folders of records from one format to another.
//! - [`Indexer`]: adds finished records to the index, in a thread of its own.
//! - [`ratings`]: ratings from results; [`performance`]: the performance against known opponents.
//! - [`write_atomic`]: writes a file as a whole or not at all; [`Draft`] does it piece by piece.
//! - [`is_analysis_name`]: recognises files that `kyomi analyze` writes.
//! - [`file_stem`]: makes a safe file name from names that a server sent.
//!
//! - [`index`]: the database over the record files; [`import`] reads games into it.
//!
//! Every record of a finished game of the client and the server is written by [`Journal::finish`] or [`recover`].
//! `match` writes its records itself (`matches/store.rs`).
//!
//! No file is overwritten without a request, and no name leads outside the folder.

mod analysis_name;
pub mod convert;
mod disk_thread;
mod draft;
mod folder;
pub mod import;
pub mod index;
mod indexer;
mod journal;
mod name;
pub mod performance;
mod private_file;
pub mod ratings;
mod recover;
mod rename;

#[cfg(test)]
mod tests;

pub use analysis_name::{ANALYSIS_MIDDLE, is_analysis_name};
#[cfg(test)]
pub use disk_thread::testing as disk_testing;
pub use disk_thread::{DiskPace, DiskThread};
pub use draft::{Draft, Sync, write_atomic, write_output};
pub use folder::{check_folder, open_folder};
pub use indexer::Indexer;
pub use journal::{Journal, JournalError};
pub use name::file_stem;
pub use private_file::PrivateFile;
pub use recover::{Recovered, recover};
