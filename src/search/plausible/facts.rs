//! One move, as the generators read it.

use crate::shogi::{Bitboard, Move, PieceKind, Square};

/// A legal move of the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    pub(super) mv: Move,
    pub(super) to: Square,
    /// `None` for a drop.
    pub(super) from: Option<Square>,
    /// What it was before the move, in hand or on the board.
    pub(super) before: PieceKind,
    /// What it is after the move.
    pub(super) after: PieceKind,
    pub(super) captured: Option<PieceKind>,
    /// The exchange value is not negative.
    pub(super) good: bool,
    /// What it attacked where it stood.
    pub(super) attacked: Bitboard,
    /// What it attacks from its new square.
    pub(super) reach: Bitboard,
    /// What of that it did not attack before, its old square left out: N⁺.
    pub(super) fresh: Bitboard,
    /// What own sliders newly attack through the square it left: U.
    pub(super) opened: Bitboard,
    /// What the learned squares say of it, in points.
    pub(super) learned: i32,
}

impl Facts {
    /// Neither capture nor promotion.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.captured.is_none() && !self.mv.is_promotion()
    }

    /// What is newly attacked, by itself or by a slider behind it.
    #[inline]
    pub(super) fn covers(&self) -> Bitboard {
        self.fresh | self.opened
    }
}
