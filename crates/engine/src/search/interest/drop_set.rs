//! Sets of drops of a kind that have the same interest.

use arrayvec::ArrayVec;

use super::scored::{MoveFlags, ScoredMove};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, Color, Move, PieceKind, Square, reaching};

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
    pub(in crate::search) fn take(&mut self) -> Option<ScoredMove> {
        let to = self.targets.first()?;
        self.targets = self.targets.without(to);
        let flags = MoveFlags::default().with(MoveFlags::PENDING, self.pending.contains(to));
        let mv = Move::drop(self.kind, to);
        Some(ScoredMove { mv, flags, interest: self.interest, bad: self.bad })
    }

    /// The drops, each with its interest if it loses by exchange; `None` if it is known whether it does.
    pub(in crate::search) fn each(&self) -> impl Iterator<Item = (Move, Option<i32>)> {
        self.targets
            .into_iter()
            .map(|to| (Move::drop(self.kind, to), self.pending.contains(to).then_some(self.bad)))
    }
}

/// A set of squares with the interest of a drop there.
#[derive(Debug, Clone, Copy)]
pub(super) struct DropPart {
    pub(super) targets: Bitboard,
    pub(super) weight: TermWeight,
    /// The weight of its learned probability.
    learned: i32,
}

/// Disjoint sets of squares, each with the interest of a drop there.
pub(super) struct DropParts(ArrayVec<DropPart, { Square::COUNT }>);

impl DropParts {
    /// A single set of squares at which drops have the interest `start` so far.
    #[inline]
    pub(super) fn new(targets: Bitboard, start: TermWeight) -> Self {
        let mut parts = ArrayVec::new();
        parts.push(DropPart { targets, weight: start, learned: 0 });
        Self(parts)
    }

    /// The sets with their interest.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &DropPart> {
        self.0.iter()
    }

    /// Removes a square from its set, which may then be empty.
    #[inline]
    pub(super) fn remove(&mut self, square: Square) {
        for part in &mut self.0 {
            part.targets = part.targets.without(square);
        }
    }

    /// Adds `more` to the interest of the squares of `set`.
    pub(super) fn split(&mut self, set: Bitboard, more: TermWeight) {
        if !more.is_none() {
            self.split_with(set, |part| part.weight += more);
        }
    }

    /// Adds `more` to the weight of the learned probability of the squares of `set`.
    pub(super) fn split_learned(&mut self, set: Bitboard, more: i32) {
        if more != 0 {
            self.split_with(set, |part| part.learned += more);
        }
    }

    /// Changes the part of each set that is inside `set`.
    #[inline]
    fn split_with(&mut self, set: Bitboard, change: impl Fn(&mut DropPart)) {
        if set.is_empty() {
            return;
        }
        let parts = &mut self.0;
        for at in 0..parts.len() {
            let mut part = parts[at];
            let inside = part.targets & set;
            if inside == part.targets {
                change(&mut parts[at]);
            } else if inside.any() {
                parts[at].targets &= !set;
                part.targets = inside;
                change(&mut part);
                parts.push(part);
            }
        }
    }

    /// Adds the interest that follows from the weight of each set's learned probability.
    #[inline]
    pub(super) fn add_learned(&mut self, interest: impl Fn(i32) -> TermWeight) {
        for part in &mut self.0 {
            part.weight += interest(part.learned);
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
