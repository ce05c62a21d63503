//! A move with the data that terms of interest read.

use kyomi_shogi::{Bitboard, Move, Piece, PieceKind, Square};

/// A legal move of the node that a [`Scorer`](super::scorer::Scorer) scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct MoveFeatures {
    pub(super) mv: Move,
    pub(super) to: Square,
    /// `None` for a drop.
    pub(super) from: Option<Square>,
    /// The kind before the move, in hand or on the board.
    pub(super) before: PieceKind,
    /// The kind after the move.
    pub(super) after: PieceKind,
    pub(super) captured: Option<PieceKind>,
    pub(super) check: bool,
    /// The squares that the moved piece newly attacks; empty for a king.
    pub(super) new_attacks: Bitboard,
}

impl MoveFeatures {
    /// A move of a piece, or a drop. The caller fills in `captured`, `check` and `new_attacks`.
    #[inline]
    pub(super) fn new(mv: Move, piece: Option<Piece>) -> Self {
        let before = match piece {
            Some(piece) => piece.kind(),
            None => mv.dropped().unwrap_or(PieceKind::Pawn),
        };
        let after = if mv.is_promotion() { before.promoted().unwrap_or(before) } else { before };
        Self {
            mv,
            to: mv.to(),
            from: mv.from(),
            before,
            after,
            captured: None,
            check: false,
            new_attacks: Bitboard::EMPTY,
        }
    }

    /// Whether it is neither a capture nor a promotion.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.captured.is_none() && !self.mv.is_promotion()
    }
}
