//! Positions in 32 bytes, and the rows of training files that contain them.
//!
//! A packed position is a string of 256 bits, the lowest bit of each byte first: side to move, squares of both kings
//! (7 bits each), the other 79 squares in the order of their indices, the hands, and the pieces that are not in the
//! game ("piece box"). The length of a piece's code depends on its kind and is one bit shorter off the board, so all
//! 40 pieces together always fill the string exactly.
//!
//! - [`code`]: the codes, one set for psv and one for hcpe.
//! - [`position`]: packs and unpacks a position.
//! - [`layout`]: what follows the position in a row of each format.
//! - [`rows`]: converts rows to records and back.

mod code;
mod layout;
mod position;
mod rows;

#[cfg(test)]
mod tests;

pub(super) use code::CodeSet;
pub(super) use layout::{MoveBits, ResultCode, RowLayout};
pub(super) use position::{BYTES, pack, unpack};
pub(super) use rows::{Rows, write};
