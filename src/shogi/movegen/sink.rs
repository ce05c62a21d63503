//! Where generated moves go.

use crate::shogi::{Bitboard, Move, MoveList, PieceKind, Square};

/// Takes moves by sets of target squares.
pub(super) trait Sink {
    /// The piece on `from` goes to any of `targets`.
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool);

    /// A piece of this kind is dropped on any of `targets`.
    fn drops(&mut self, kind: PieceKind, targets: Bitboard);
}

impl Sink for MoveList {
    #[inline]
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool) {
        for to in targets {
            self.push(Move::normal(from, to, promote));
        }
    }

    #[inline]
    fn drops(&mut self, kind: PieceKind, targets: Bitboard) {
        for to in targets {
            self.push(Move::drop(kind, to));
        }
    }
}

/// Counts moves.
pub(super) struct Count(pub(super) usize);

impl Sink for Count {
    #[inline]
    fn moves(&mut self, _: Square, targets: Bitboard, _: bool) {
        self.0 += targets.count() as usize;
    }

    #[inline]
    fn drops(&mut self, _: PieceKind, targets: Bitboard) {
        self.0 += targets.count() as usize;
    }
}

/// Remembers whether there was any move.
pub(super) struct Any(pub(super) bool);

impl Sink for Any {
    #[inline]
    fn moves(&mut self, _: Square, targets: Bitboard, _: bool) {
        self.0 |= targets.any();
    }

    #[inline]
    fn drops(&mut self, _: PieceKind, targets: Bitboard) {
        self.0 |= targets.any();
    }
}
