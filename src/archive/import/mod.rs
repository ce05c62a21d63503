//! Imports games into the index: files, folders, archives, lists.
//!
//! - [`find_files`]: the files of a folder and its sub-folders that can hold games.
//! - [`import`]: reads files in several threads, and writes their games in the order of the files.
//! - [`catch_up`]: imports new files in the folders of our own records.
//! - [`Sources`]: the list of imported files and folders, beside the database, so that the database can be rebuilt.
//!
//! All files are untrusted: names inside archives are never used as paths, and unpacking stops at a limit. A broken
//! file is reported and does not stop the import.

mod budget;
mod catch_up;
mod fault;
mod find;
mod member_name;
mod produce;
mod run;
mod sources;
mod unit;
mod utf16;

#[cfg(test)]
mod tests;

pub use catch_up::catch_up;
pub use fault::Fault;
pub use find::find_files;
pub use run::{ImportOptions, Progress, Report, import};
pub use sources::Sources;
