//! Lists of moves.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::slice;

use arrayvec::{ArrayVec, CapacityError};

use super::Move;

/// The largest number of legal moves of any position. The position `R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p
/// 1` has this number (with a white king on 1b it has 593).
///
/// With all seven kinds in hand and an empty board there are 4·81 + 2·72 + 63 = 531 drops: four kinds on any square,
/// pawns and lances on eight ranks, knights on seven. Every piece on the board prevents the drops on its square: 4 of
/// them on the first rank, 6 on the second and 7 on the others. In return it adds its own moves. On an empty board and
/// with all promotions, the difference is at most 28 for a rook, 17 for a bishop, 4 for each of three silvers, 3 for
/// each of three lances, 2 for the king, and at most 0 for any other piece. The sum is 599. If a kind is missing in
/// hand, 63 drops or more are lost, and less is gained: each piece on the board, at most 40, prevents one drop less,
/// and one more rook, the piece with the largest difference, makes up for 28 of the 81 drops that are lost.
pub const MAX_MOVES: usize = 599;

/// A list of the moves of a position on the stack. It dereferences to a slice.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct MoveList(ArrayVec<Move, MAX_MOVES>);

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self(ArrayVec::new_const())
    }

    /// Adds a move.
    ///
    /// # Panics
    /// If the list already has [`MAX_MOVES`] moves.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.0.push(mv);
    }

    /// Adds a move if the list has fewer than [`MAX_MOVES`] moves.
    ///
    /// # Errors
    /// The move, if the list is full.
    #[inline]
    pub fn try_push(&mut self, mv: Move) -> Result<(), Move> {
        self.0.try_push(mv).map_err(CapacityError::element)
    }

    /// The moves in their order.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.0
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps only the moves for which `keep` returns `true`.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        self.0.retain(|mv| keep(*mv));
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<Move> for MoveList {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        Self(moves.into_iter().collect())
    }
}

impl Extend<Move> for MoveList {
    fn extend<I: IntoIterator<Item = Move>>(&mut self, moves: I) {
        self.0.extend(moves);
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = slice::Iter<'a, Move>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = MoveListIter;

    #[inline]
    fn into_iter(self) -> MoveListIter {
        MoveListIter(self.0.into_iter())
    }
}

/// The iterator over the moves of a list by value.
#[derive(Clone, Debug)]
pub struct MoveListIter(arrayvec::IntoIter<Move, MAX_MOVES>);

impl Iterator for MoveListIter {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for MoveListIter {
    fn next_back(&mut self) -> Option<Move> {
        self.0.next_back()
    }
}

impl ExactSizeIterator for MoveListIter {}

#[cfg(test)]
mod tests {
    use super::super::{Bitboard, Color, PieceKind, Square, attacks, attacks::promoting_from};
    use super::*;

    /// The number of drops that a piece on this square prevents if all kinds are in hand.
    fn drops_taken(square: Square) -> i32 {
        let kinds = PieceKind::HAND.into_iter();
        kinds.filter(|kind| square.rank_for(Color::Black) > kind.dead_ranks()).count() as i32
    }

    /// The number of moves of a black piece on an empty board.
    fn moves_alone(kind: PieceKind, from: Square) -> i32 {
        let targets = attacks(kind, Color::Black, from, Bitboard::EMPTY);
        let plain = targets & !Bitboard::far_ranks(Color::Black, kind.dead_ranks());
        let promoting = match kind.promoted() {
            Some(_) => targets & promoting_from(Color::Black, from),
            None => Bitboard::EMPTY,
        };
        (plain.count() + promoting.count()) as i32
    }

    #[test]
    fn no_position_has_more_moves_than_the_bound() {
        let drops: i32 = Square::all().map(drops_taken).sum();
        assert_eq!(drops, 531);
        let gain = |kind: PieceKind| {
            let gains = Square::all().map(|at| moves_alone(kind, at) - drops_taken(at));
            gains.max().unwrap().max(0)
        };
        // Pieces on the board are unpromoted or promoted, and one piece of each kind is in hand.
        let unpromoted = [PieceKind::King].into_iter().chain(PieceKind::HAND);
        let most = |kind: PieceKind| gain(kind).max(kind.promoted().map_or(0, gain));
        let on_board = |kind: PieceKind| match kind {
            PieceKind::King => 1,
            kind => i32::from(kind.total()) - 1,
        };
        let all = drops + unpromoted.clone().map(|kind| on_board(kind) * most(kind)).sum::<i32>();
        assert_eq!(all, MAX_MOVES as i32);
        // If a kind is missing in hand, its drops are lost. At most 40 pieces prevent one drop less each, and one more
        // piece is on the board.
        for kind in PieceKind::HAND {
            let dead = i32::from(kind.dead_ranks());
            assert!(81 - 9 * dead > 40 + most(kind), "{kind:?}");
        }
    }
}
