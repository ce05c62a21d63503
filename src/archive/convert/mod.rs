//! Converts files and folders of records from one format to another.
//!
//! - [`find`]: finds the files to convert, in a stable order.
//! - [`Converter`]: converts them one after the other. Each file has a [`FileReport`], all of them together have
//!   [`Totals`].
//!
//! A file is read in pieces where its format allows it, and written game by game, so that its size does not matter.
//! It is written under a temporary name and renamed at the end, so that files are always complete. Existing files
//! are replaced only if that is asked for, files of the same run never.
//!
//! Not here: how a format is read and written (`record`), messages (`cli`).

mod converter;
mod fault;
mod find;
mod input;
mod output;
mod report;

#[cfg(test)]
mod tests;

pub use converter::{Converter, Options, Progress, Target};
pub use fault::ConvertError;
pub(super) use find::is_record_text;
pub use find::{FoundFiles, Source, find};
pub use report::{Capped, Faults, FileReport, Totals};
