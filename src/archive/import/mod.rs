//! Imports games into the index: files, folders, archives, lists.
//!
//! - [`find_files`]: the files of a folder and its sub-folders that can hold games.
//! - [`import`]: reads files in several threads, and writes their games in the order of the files.
//! - [`catch_up`]: imports what is new in folders of our own records.
//! - [`Sources`]: the list of what was imported, in a file beside the database, so that it can be made again.
//!
//! What is read is outside input: names inside archives are never used as paths, and what unpacks to more than its limit
//! is not read further. A file that is broken is reported and stops nothing.

mod catch_up;
mod find;
mod produce;
mod run;
mod sources;
mod unit;

#[cfg(test)]
mod tests;

pub use catch_up::catch_up;
pub use find::find_files;
pub use run::{Fault, ImportOptions, Progress, Report, import};
pub use sources::Sources;
