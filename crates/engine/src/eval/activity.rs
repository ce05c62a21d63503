//! The mobility of sliders.

use kyomi_shogi::{Bitboard, PieceKind};

use super::layout::{FREE, MOBILITY};

/// The feature of a slider that can go to `squares`.
#[inline]
pub(super) fn mobility(kind: PieceKind, squares: Bitboard) -> usize {
    let row = match kind {
        PieceKind::Lance => 0,
        PieceKind::Bishop => 1,
        PieceKind::Rook => 2,
        PieceKind::Horse => 3,
        _ => 4,
    };
    MOBILITY + row * FREE + (squares.count() as usize).min(FREE - 1)
}
