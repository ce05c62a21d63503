//! The CSA record format.
//!
//! Written is 3.0 (2024-05-14) in UTF-8. Beyond the format stand two comment lines of our own,
//! which other programs pass over: `'*clock` for what the `$TIME` keys cannot tell, and `'*info`
//! for the depth of an analysis and the length of a mate.

mod analysis;
mod error;
mod keys;
mod read;
mod statement;
mod write;

#[cfg(test)]
mod tests;

pub use error::{RecordError, RecordFault};
pub use read::{Games, ReadRecord, Warning, read, read_each};
pub use write::{write, write_comment, write_end, write_header, write_move};
