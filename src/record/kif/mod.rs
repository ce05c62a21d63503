//! KIF, the record format of Kifu for Windows, which most Japanese programs read.
//!
//! A move is told by the square it goes to, the piece, and the square it comes from, one on a line
//! with its number and time: `   1 ７六歩(77)   ( 0:16/00:00:16)`. Read are all dialects, see
//! [`read_each`]; written is what Kifu for Windows writes, with what engines said in comments.
//! Times are whole seconds.

mod write;

#[cfg(test)]
mod tests;

pub use super::japanese::{Games, read_each};
pub use write::write;
