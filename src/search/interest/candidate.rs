//! One move, as the terms of interest read it.

use crate::shogi::{Bitboard, Move, Piece, PieceKind, Square};

/// A legal move of the node that an [`Eye`](super::eye::Eye) looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    pub(super) to: Square,
    /// `None` for a drop.
    pub(super) from: Option<Square>,
    /// The piece that moves; `None` for a drop.
    pub(super) piece: Option<Piece>,
    /// What it was before the move, in hand or on the board.
    pub(super) before: PieceKind,
    /// What it is after the move.
    pub(super) after: PieceKind,
    pub(super) captured: Option<PieceKind>,
    pub(super) check: bool,
    /// What the moved piece attacks that it did not attack before; nothing for a king.
    pub(super) fresh: Bitboard,
}

impl Candidate {
    /// Neither capture nor promotion.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.captured.is_none() && !self.mv.is_promotion()
    }
}
