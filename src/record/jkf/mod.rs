//! JKF, the JSON record format of web viewers (`json-kifu-format`).
//!
//! A file is one object: `header` with the Japanese keys of KIF, `initial` (a handicap by name, or board,
//! hands and side to move), and `moves`, whose first element stands for the start position. An element
//! has a `move` or a `special` (an end word of CSA), `time`, `comments` and `forks`: lists of elements
//! that might have been played instead of it.
//!
//! Read is also what is not complete: of a move the squares are enough, and the piece for a drop; what
//! can be derived is checked, with a warning where it is wrong. What engines said stands in comments, as
//! in KIF. Times are whole seconds.

mod json;
mod read;
mod start;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub use read::read_each;
pub use write::write;
