//! The CSA record format.
//!
//! Written is 3.0 (2024-05-14), or 2.2 on wish. Beyond the format stand four comment lines of our
//! own, which other programs pass over: `'*clock` for what the `$TIME` keys cannot tell, `'*info` for
//! the depth of an analysis and the length of a mate, `'*end` for an end that the version has no word
//! for, and `'*key` for a header of another format. A comment that begins like a key (`'$NOTE:`) is read as that key, since shogi-server
//! writes such ones, and 2.2 is written so where only 3.0 has the key.

mod analysis;
mod keys;
mod read;
mod statement;
mod write;

#[cfg(test)]
mod tests;

pub(super) use analysis::read_analysis;
pub use analysis::read_thought;
pub use read::{Games, read, read_each};
pub(super) use write::encoding_line;
pub use write::{Version, write, write_as, write_comment, write_end, write_header, write_move};
