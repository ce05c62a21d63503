//! What a piece is worth to its side on one square or another, as the sum over pieces has it.

use crate::shogi::{Color, Piece, PieceKind, Position, Square};

use super::{
    layout::{Row, View},
    weights::Pair,
};

/// What a piece would be worth to its side on each square, whatever is there now, in parts of a centipawn for
/// comparison. The change of other pieces' worth when a king moves is not in it.
#[derive(Debug, Clone, Copy)]
pub struct Placements {
    /// As its side and as the other one sees it.
    rows: [Row; 2],
    /// A king's own view goes with it.
    king: Option<Piece>,
}

impl Placements {
    /// Those of a piece of a position.
    #[inline]
    pub fn of(position: &Position, piece: Piece) -> Self {
        let row = |color: Color| View::new(color, position.king_square(color)).row(piece);
        let king = (piece.kind() == PieceKind::King).then_some(piece);
        Self { rows: [row(piece.color()), row(!piece.color())], king }
    }

    /// What it is worth on a square.
    #[inline]
    pub fn at(&self, square: Square) -> i32 {
        let [own, other] = &self.rows;
        let own = match self.king {
            Some(king) => View::new(king.color(), Some(square)).piece(king, square),
            None => own.feature(square),
        };
        let worth = |feature: usize| {
            let worth = Pair::of(feature);
            worth.begin() + worth.end()
        };
        worth(own) - worth(other.feature(square))
    }
}
