//! The consumers of generated moves.

use crate::{Bitboard, Color, Move, MoveList, PieceKind, Square};

/// Consumes moves as sets of target squares.
pub(super) trait Sink {
    /// Takes the moves of the piece on `from` to each of `targets`.
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool);

    /// Takes the steps of pawns of `color` to each of `targets`.
    fn pushes(&mut self, color: Color, targets: Bitboard, promote: bool);

    /// Takes the drops of a kind on each of `targets`.
    fn drops(&mut self, kind: PieceKind, targets: Bitboard);
}

impl Sink for MoveList {
    #[inline(always)]
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool) {
        // Most pieces have no captures and no promotions.
        if targets.any() {
            Move::each(from, targets, promote, |mv| self.push(mv));
        }
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

/// Records whether any move was generated.
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
