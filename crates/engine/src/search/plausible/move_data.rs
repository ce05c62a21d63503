//! A move with the data that generators read.

use kyomi_shogi::{Bitboard, Move, PieceKind, Square};

/// A legal move of the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct MoveData {
    pub(super) mv: Move,
    pub(super) to: Square,
    /// `None` for a drop.
    pub(super) from: Option<Square>,
    /// The kind before the move, in hand or on the board.
    pub(super) before: PieceKind,
    /// The kind after the move.
    pub(super) after: PieceKind,
    pub(super) captured: Option<PieceKind>,
    /// Whether the exchange value is at least 0.
    pub(super) good: bool,
    /// Squares that the piece attacked before the move; empty for a drop.
    pub(super) attacked: Bitboard,
    /// Squares that the piece attacks after the move.
    pub(super) reach: Bitboard,
    /// Squares that the piece newly attacks, without its old square.
    pub(super) new_attacks: Bitboard,
    /// Squares that own sliders newly attack through the square that the piece leaves.
    pub(super) opened: Bitboard,
    /// The points of the learned squares.
    pub(super) learned: i32,
}

impl MoveData {
    /// Whether it is neither a capture nor a promotion.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.captured.is_none() && !self.mv.is_promotion()
    }

    /// Squares that the piece or a slider behind it newly attacks.
    #[inline]
    pub(super) fn covers(&self) -> Bitboard {
        self.new_attacks | self.opened
    }
}
