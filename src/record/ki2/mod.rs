//! KI2, the record format for reading: moves as papers print them, several on a line.
//!
//! A move is told by the side, the square it goes to, the piece, and what distinguishes it from other
//! moves of such pieces: `▲５八金右`. It has no times, and what engines said is not written. Read are
//! all dialects, see [`read_each`].

mod write;

#[cfg(test)]
mod tests;

pub use super::japanese::{Games, read_each};
pub use write::write;
