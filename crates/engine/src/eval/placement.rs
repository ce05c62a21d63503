//! The value of a piece on different squares, by the sum over pieces.

use kyomi_shogi::{Color, Piece, PieceKind, Position, Square};

use super::{
    layout::{Row, View},
    weights::TaperedWeight,
};

/// The value of a piece for its side on each square, whatever is there now. The unit is a fraction of a centipawn;
/// values are for comparison only. When a king moves, the values of other pieces change as well, which is not included.
#[derive(Debug, Clone, Copy)]
pub struct Placements {
    /// From the view of its side and of the other side.
    rows: [Row; 2],
    /// The piece if it is a king, whose square determines the view of its side.
    king: Option<Piece>,
}

impl Placements {
    /// The values of a piece of a position.
    #[inline]
    pub fn of(position: &Position, piece: Piece) -> Self {
        let row = |color: Color| View::new(color, position.king_square(color)).row(piece);
        let king = (piece.kind() == PieceKind::King).then_some(piece);
        Self { rows: [row(piece.color()), row(!piece.color())], king }
    }

    /// The value on a square.
    #[inline]
    pub fn at(&self, square: Square) -> i32 {
        let [own, other] = &self.rows;
        let own = match self.king {
            Some(king) => View::new(king.color(), Some(square)).piece(king, square),
            None => own.feature(square),
        };
        let worth = |feature: usize| {
            let worth = TaperedWeight::of(feature);
            worth.begin() + worth.end()
        };
        worth(own) - worth(other.feature(square))
    }
}
