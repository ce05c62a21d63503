//! Where generated moves go.

use crate::shogi::{Bitboard, Color, Move, MoveList, PieceKind, Square};

/// Takes moves by sets of target squares.
pub(super) trait Sink {
    /// The piece on `from` goes to any of `targets`.
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool);

    /// Pawns of `color` go one step ahead, each to one of `targets`.
    fn pushes(&mut self, color: Color, targets: Bitboard, promote: bool);

    /// A piece of this kind is dropped on any of `targets`.
    fn drops(&mut self, kind: PieceKind, targets: Bitboard);
}

impl Sink for MoveList {
    #[inline(always)]
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool) {
        Move::each(from, targets, promote, |mv| self.push(mv));
    }

    #[inline(always)]
    fn pushes(&mut self, color: Color, targets: Bitboard, promote: bool) {
        targets.iter().for_each(|to| {
            if let Some(from) = to.behind(color) {
                self.push(Move::normal(from, to, promote));
            }
        });
    }

    #[inline(always)]
    fn drops(&mut self, kind: PieceKind, targets: Bitboard) {
        Move::each_drop(kind, targets, |mv| self.push(mv));
    }
}

/// Counts moves.
pub(super) struct Count(pub(super) usize);

impl Count {
    #[inline(always)]
    fn add(&mut self, targets: Bitboard) {
        self.0 += targets.count() as usize;
    }
}

impl Sink for Count {
    #[inline(always)]
    fn moves(&mut self, _: Square, targets: Bitboard, _: bool) {
        self.add(targets);
    }

    #[inline(always)]
    fn pushes(&mut self, _: Color, targets: Bitboard, _: bool) {
        self.add(targets);
    }

    #[inline(always)]
    fn drops(&mut self, _: PieceKind, targets: Bitboard) {
        self.add(targets);
    }
}

/// Remembers whether there was any move.
pub(super) struct Any(pub(super) bool);

impl Sink for Any {
    #[inline(always)]
    fn moves(&mut self, _: Square, targets: Bitboard, _: bool) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn pushes(&mut self, _: Color, targets: Bitboard, _: bool) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn drops(&mut self, _: PieceKind, targets: Bitboard) {
        self.0 |= targets.any();
    }
}
