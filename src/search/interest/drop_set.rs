//! Sets of drops of a kind that have the same interest.

use arrayvec::ArrayVec;

use super::scored::{Scored, Traits};
use crate::search::weights::TermWeight;
use crate::shogi::{Bitboard, Color, Move, PieceKind, Square, reaching};

/// Quiet drops of a kind that give no check and have the same interest.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct DropSet {
    pub(in crate::search) kind: PieceKind,
    pub(in crate::search) targets: Bitboard,
    /// Targets at which the exchange value is not computed yet.
    pub(super) pending: Bitboard,
    pub(in crate::search) interest: i32,
    pub(super) bad: i32,
}

impl DropSet {
    /// Takes the drop with the smallest code.
    pub(in crate::search) fn take(&mut self) -> Option<Scored> {
        let to = self.targets.first()?;
        self.targets = self.targets.without(to);
        let traits = Traits::default().with(Traits::PENDING, self.pending.contains(to));
        let mv = Move::drop(self.kind, to);
        Some(Scored { mv, traits, interest: self.interest, bad: self.bad })
    }
}

/// Disjoint sets of squares, each with the interest of a drop there.
pub(super) struct DropParts(ArrayVec<(Bitboard, TermWeight), { Square::COUNT }>);

impl DropParts {
    /// A single set of squares at which drops have the interest `start` so far.
    #[inline]
    pub(super) fn new(targets: Bitboard, start: TermWeight) -> Self {
        let mut parts = ArrayVec::new();
        parts.push((targets, start));
        Self(parts)
    }

    /// The sets with their interest.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Bitboard, TermWeight)> {
        self.0.iter()
    }

    /// Removes a square from its set, which may then be empty.
    #[inline]
    pub(super) fn take_out(&mut self, square: Square) {
        for (squares, _) in &mut self.0 {
            *squares = squares.without(square);
        }
    }

    /// Adds `more` to the interest of the squares of `set`.
    pub(super) fn split(&mut self, set: Bitboard, more: TermWeight) {
        if set.is_empty() || more.is_none() {
            return;
        }
        let parts = &mut self.0;
        for at in 0..parts.len() {
            let (all, weight) = parts[at];
            let inside = all & set;
            if inside == all {
                parts[at].1 += more;
            } else if inside.any() {
                parts[at].0 = all & !set;
                parts.push((inside, weight + more));
            }
        }
    }

    /// Adds to each square the weight of the highest piece class among the goals that a side's piece of the kind
    /// attacks from there on a board with these squares occupied.
    pub(super) fn by_dearest(
        &mut self,
        (kind, us): (PieceKind, Color),
        occupied: Bitboard,
        goals: Bitboard,
        pieces: &[Bitboard; 4],
        weights: &[TermWeight; 4],
    ) {
        let mut left = Bitboard::ALL;
        for class in (0..4).rev() {
            let from = reaching(kind, us, goals & pieces[class], occupied);
            self.split(from & left, weights[class]);
            left &= !from;
        }
    }
}
