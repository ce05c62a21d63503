//! Drops of a kind that have the same interest, kept together.

use arrayvec::ArrayVec;

use super::scored::{Scored, Traits};
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, Color, Move, PieceKind, Square, reaching};

/// Quiet drops of a kind, without check, that have the same interest.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct DropSet {
    pub(in crate::search) kind: PieceKind,
    pub(in crate::search) targets: Bitboard,
    /// Targets where the exchange value is not computed yet.
    pub(super) pending: Bitboard,
    pub(in crate::search) interest: i32,
    pub(super) bad: i32,
}

impl DropSet {
    /// Takes out the drop of the smallest code.
    pub(in crate::search) fn take(&mut self) -> Option<Scored> {
        let to = self.targets.first()?;
        self.targets = self.targets.without(to);
        let traits = Traits::default().with(Traits::PENDING, self.pending.contains(to));
        let mv = Move::drop(self.kind, to);
        Some(Scored { mv, traits, interest: self.interest, bad: self.bad })
    }
}

/// Squares by the interest of a drop there: no square is in two of the sets.
pub(super) struct DropParts(ArrayVec<(Bitboard, Figure), { Square::COUNT }>);

impl DropParts {
    /// A single set, of squares where drops have this interest so far.
    #[inline]
    pub(super) fn new(targets: Bitboard, start: Figure) -> Self {
        let mut parts = ArrayVec::new();
        parts.push((targets, start));
        Self(parts)
    }

    /// The sets with their interest.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Bitboard, Figure)> {
        self.0.iter()
    }

    /// Takes a square out of its set, which may then be empty.
    #[inline]
    pub(super) fn take_out(&mut self, square: Square) {
        for (squares, _) in &mut self.0 {
            *squares = squares.without(square);
        }
    }

    /// Adds to the interest of the squares of a set.
    pub(super) fn split(&mut self, set: Bitboard, more: Figure) {
        if set.is_empty() || more.is_none() {
            return;
        }
        let parts = &mut self.0;
        for at in 0..parts.len() {
            let (all, figure) = parts[at];
            let inside = all & set;
            if inside == all {
                parts[at].1 += more;
            } else if inside.any() {
                parts[at].0 = all & !set;
                parts.push((inside, figure + more));
            }
        }
    }

    /// Adds the figure of the dearest of the goals that a side's piece of the kind attacks from there on a board with
    /// these squares occupied, by its victim class.
    pub(super) fn by_dearest(
        &mut self,
        (kind, us): (PieceKind, Color),
        occupied: Bitboard,
        goals: Bitboard,
        pieces: &[Bitboard; 4],
        figures: &[Figure; 4],
    ) {
        let mut left = Bitboard::ALL;
        for class in (0..4).rev() {
            let from = reaching(kind, us, goals & pieces[class], occupied);
            self.split(from & left, figures[class]);
            left &= !from;
        }
    }
}
