//! The opening book: moves that are played without a search (YaneuraOu's text format, `.db`).
//!
//! - `text` reads and writes the lines of the format. [`BookTable`] is a book in memory, [`DiskBook`] a large sorted
//!   one that stays on disk. [`Book`] is either of them.
//! - [`OpeningBook`] chooses a move for a game by [`BookRules`]. It is the only place that does.
//! - [`BookOptions`] are the settings, from `[book]` and from USI options; [`BookOptions::spec`] returns the
//!   resulting [`BookSpec`].
//! - [`BookBuilder`] counts the moves of games.
//!
//! Invariants: a move that is returned is legal and leads to no position that has already occurred in the game. A
//! damaged file loses its damaged lines, never a game. The same seed and game give the same move. What is read is written
//! again, unknown values and comments too.
//!
//! Not here: which games are counted, the command line.

mod build;
mod choice;
mod comment;
mod disk;
mod entry;
mod opening_book;
mod options;
mod source;
mod spec;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use build::{BookBuilder, BuildRules};
pub use choice::BookRules;
pub use comment::{BookComment, HEADER};
pub use disk::DiskBook;
pub use entry::{BookEntry, BookMove, combine};
pub use opening_book::{BookAnswer, OpeningBook};
pub use options::BookOptions;
pub use source::{Book, BookError, BookSource};
pub use spec::BookSpec;
pub use table::{BookFilter, BookTable};
pub use text::{BookFault, BookFaults, LineFault};
