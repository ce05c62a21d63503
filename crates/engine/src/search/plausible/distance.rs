//! The distance of two squares.

use kyomi_shogi::Square;

/// The number of king's moves from one square to another.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> u8 {
    a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank()))
}
