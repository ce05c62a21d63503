//! Squares that are worth more for a piece than the one it is on.

use std::cell::Cell;

use crate::shogi::{Bitboard, Color, Piece, Position, Square, attacks};

use super::Placements;

/// How many sets are kept: 64 KiB, a power of 2.
const SETS: usize = 1 << 12;

/// The squares that are worth more for a piece than its own: sets of one thread, which never become wrong.
///
/// They depend on the piece, its square and both kings, and are the same at most nodes of a search.
#[derive(Debug, Clone)]
pub struct BetterSquares(Box<[Cell<u128>]>);

impl Default for BetterSquares {
    fn default() -> Self {
        // No question is all ones.
        Self(vec![Cell::new(u128::MAX); SETS].into_boxed_slice())
    }
}

impl BetterSquares {
    /// The squares that a piece could go to on an empty board, and where it is worth more than on its own by its
    /// [`Placements`].
    #[inline]
    pub fn of(&self, position: &Position, piece: Piece, from: Square) -> Bitboard {
        let king = |color| position.king_square(color).map_or(Square::COUNT, Square::index) as u128;
        let kings = king(Color::Black) << 7 | king(Color::White);
        let question = kings << 12 | (from.index() as u128) << 5 | piece.index() as u128;
        let place = (question as u32).wrapping_mul(0x9e37_79b1) >> (u32::BITS - SETS.ilog2());
        let entry = &self.0[place as usize];
        let known = entry.get();
        // The tag is above the bits of the squares.
        if known >> Square::COUNT == question {
            return Bitboard::from_bits(known);
        }
        let better = better(position, piece, from);
        entry.set(question << Square::COUNT | better.to_bits());
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
    fn kept_sets_are_those_of_the_placements() {
        let better_squares = BetterSquares::default();
        let mut random = fastrand::Rng::with_seed(4);
        let mut seen = 0;
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
                    seen += usize::from(gain > 0);
                }
                position.do_move(moves[random.usize(..moves.len())]);
            }
        }
        assert!(seen > 1000, "{seen}");
    }
}
