//! Positions in 32 bytes, and the rows of files for training made of them.
//!
//! A packed position is a string of 256 bits, the lowest bit of each byte first: side to move, squares
//! of both kings (7 bits each), the other 79 squares in the order of their indices, the hands, and the
//! pieces that are in neither ("piece box"). Every piece has a code as long as its kind asks, one bit
//! shorter off the board, so that all 40 pieces together always fill the string exactly.
//!
//! - [`code`]: the codes, one set for psv and one for hcpe.
//! - [`position`]: a position to bits and back.
//! - [`layout`]: what follows the position in a row of each format.
//! - [`rows`]: rows of position, move, score and result to records and back.

mod code;
mod layout;
mod position;
mod rows;

#[cfg(test)]
mod tests;

pub(super) use code::Dialect;
pub(super) use layout::{MoveBits, ResultCode, RowLayout};
pub(super) use position::{BYTES, pack, unpack};
pub(super) use rows::{Rows, write};
