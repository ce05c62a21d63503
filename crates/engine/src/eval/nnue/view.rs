//! From the numbers of pieces to the rows of weights, for one side's view.

use super::{
    architecture::InputFeatures,
    pieces::{ENEMY_KING, KINGS, PieceNumber, mirrored},
};
use kyomi_shogi::{Color, Square};

/// One side's view of the pieces: the rows that belong to the square of its king.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct View {
    /// The first row.
    first: u32,
    /// Whether the board is mirrored.
    is_mirrored: bool,
}

/// The square that stands for a missing king.
const USUAL_KING: usize = 44;

impl View {
    /// The view of a side whose king stands on `king`.
    pub(super) fn new(features: InputFeatures, color: Color, king: Option<Square>) -> Self {
        if !features.hang_on_king() {
            return Self::default();
        }
        let king = king.map_or(USUAL_KING, |square| match color {
            Color::Black => square.index(),
            Color::White => 80 - square.index(),
        });
        let is_mirrored = features.are_mirrored() && king >= 45;
        let king = if is_mirrored { king + 72 - king / 9 * 18 } else { king };
        let planes = if features.have_kings() { ENEMY_KING } else { KINGS };
        Self { first: king as u32 * u32::from(planes), is_mirrored }
    }

    /// The row of a piece, `None` for a king that is no input.
    #[inline]
    pub(super) fn row(
        self,
        features: InputFeatures,
        color: Color,
        piece: PieceNumber,
    ) -> Option<u32> {
        let number = piece.0[color.index()];
        if number >= KINGS && !features.have_kings() {
            return None;
        }
        let number = if self.is_mirrored { mirrored(number) } else { number };
        // Both kings share a plane where they are inputs of a king's square.
        let shared = features.hang_on_king() && number >= ENEMY_KING;
        let number = if shared { number - 81 } else { number };
        Some(self.first + u32::from(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;

    #[test]
    fn rows_are_within_the_weights_and_equal_for_mirrored_boards() {
        for features in [
            InputFeatures::KingAndPiece,
            InputFeatures::HalfKp,
            InputFeatures::HalfKpMirrored,
            InputFeatures::HalfKaMirrored,
        ] {
            let rows = |sfen: &str, color: Color| {
                let position = Position::from_sfen(sfen).unwrap();
                let view = View::new(features, color, position.king_square(color));
                let mut rows = Vec::new();
                for square in Square::all() {
                    let piece = position.piece_on(square);
                    let piece = piece.map(|piece| PieceNumber::on_board(piece, square));
                    rows.extend(piece.and_then(|piece| view.row(features, color, piece)));
                }
                for (kind, count) in position.hand(Color::White).iter() {
                    let held = (1..=count).map(|n| PieceNumber::in_hand(Color::White, kind, n));
                    rows.extend(held.filter_map(|piece| view.row(features, color, piece)));
                }
                assert!(rows.iter().all(|row| (*row as usize) < features.rows()));
                rows.sort_unstable();
                rows
            };
            let (left, right) = ("k8/9/9/9/9/9/1P7/K8/9 b 2p 1", "8k/9/9/9/9/9/7P1/8K/9 b 2p 1");
            for color in Color::ALL {
                assert_eq!(rows(left, color) == rows(right, color), features.are_mirrored());
            }
            assert_eq!(rows(left, Color::Black).len(), if features.have_kings() { 5 } else { 3 });
        }
    }
}
