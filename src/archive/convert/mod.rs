//! Records of one format become records of another, by files and folders.
//!
//! - [`find`]: which files there are to convert, in a stable order.
//! - [`Converter`]: converts one after the other; each file has a [`FileReport`] of its own, and all
//!   of them a [`Totals`].
//!
//! A file is read in pieces where its format allows it and written game by game, so that its size
//! does not matter. It is written beside its name and renamed at the end: there are no half files,
//! and no file that was there before is touched unless that is asked for, one of the same run never.
//!
//! Not here: how a format is read and written (`record`), what is said about it (`cli`).

mod converter;
mod fault;
mod find;
mod pieces;
mod report;
mod sink;

#[cfg(test)]
mod tests;

pub use converter::{Converter, Options, Progress, Target};
pub use fault::ConvertError;
pub use find::{Found, Source, find};
pub use report::{FileReport, Totals};
