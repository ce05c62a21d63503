//! Squares on which a piece has a larger value than on its own.

use std::cell::Cell;

use kyomi_shogi::{Bitboard, Color, Piece, Position, Square, attacks};

use super::Placements;

/// The number of sets that are kept, a power of 2. They take 64 KiB.
const SETS: usize = 1 << 12;

/// A cache of the squares on which a piece has a larger value than on its own. Each thread has one. Its entries never
/// become invalid.
///
/// The sets depend on the piece, its square and both kings, and are the same at most nodes of a search.
#[derive(Debug, Clone)]
pub struct BetterSquares(Box<[Cell<u128>]>);

impl Default for BetterSquares {
    fn default() -> Self {
        // No key consists of ones only.
        Self(vec![Cell::new(u128::MAX); SETS].into_boxed_slice())
    }
}

impl BetterSquares {
    /// The squares that a piece could go to on an empty board and on which its value by [`Placements`] is larger than
    /// on its own.
    #[inline]
    pub fn of(&self, position: &Position, piece: Piece, from: Square) -> Bitboard {
        let king = |color| position.king_square(color).map_or(Square::COUNT, Square::index) as u128;
        let kings = king(Color::Black) << 7 | king(Color::White);
        let key = kings << 12 | (from.index() as u128) << 5 | piece.index() as u128;
        let index = (key as u32).wrapping_mul(0x9e37_79b1) >> (u32::BITS - SETS.ilog2());
        let entry = &self.0[index as usize];
        let cached = entry.get();
        // The tag is above the bits of the squares.
        if cached >> Square::COUNT == key {
            return Bitboard::from_bits(cached);
        }
        let better = better(position, piece, from);
        entry.set(key << Square::COUNT | better.to_bits());
        better
    }
}

#[cold]
fn better(position: &Position, piece: Piece, from: Square) -> Bitboard {
    let placements = Placements::of(position, piece);
    let here = placements.at(from);
    attacks(piece.kind(), piece.color(), from, Bitboard::EMPTY)
        .iter()
        .filter(|to| placements.at(*to) > here)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_sets_equal_those_of_the_placements() {
        let better_squares = BetterSquares::default();
        let mut random = fastrand::Rng::with_seed(4);
        let mut gains = 0;
        for _ in 0..8 {
            let mut position = Position::startpos();
            for _ in 0..120 {
                for from in position.occupied() {
                    let piece = position.piece_on(from).unwrap();
                    let squares = better_squares.of(&position, piece, from);
                    assert_eq!(squares, better(&position, piece, from), "{piece:?} {from}");
                }
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    let Some(from) = mv.from() else { continue };
                    let piece = position.piece_on(from).unwrap();
                    let placements = Placements::of(&position, piece);
                    let gain = placements.at(mv.to()) - placements.at(from);
                    let squares = better_squares.of(&position, piece, from);
                    assert_eq!(squares.contains(mv.to()), gain > 0, "{mv}");
                    gains += usize::from(gain > 0);
                }
                position.do_move(moves[random.usize(..moves.len())]);
            }
        }
        assert!(gains > 1000, "{gains}");
    }
}
