//! Drops that differ in nothing that counts, kept together.

use arrayvec::ArrayVec;

use super::eye::Eye;
use super::scored::{Scored, Traits};
use crate::search::weights::{Attack, Figure};
use crate::shogi::{Bitboard, Move, PieceKind, Square, attacks, reaching};

/// Quiet drops of a kind, without check, that have the same interest.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Dull {
    pub(in crate::search) kind: PieceKind,
    pub(in crate::search) targets: Bitboard,
    /// Where exchange values are still to be found out.
    pub(super) pending: Bitboard,
    pub(in crate::search) interest: i32,
    pub(super) bad: i32,
}

impl Dull {
    /// Takes out the drop of the smallest code.
    pub(in crate::search) fn take(&mut self) -> Option<Scored> {
        let to = self.targets.first()?;
        self.targets = self.targets.without(to);
        let traits = Traits::default().with(Traits::PENDING, self.pending.contains(to));
        let mv = Move::drop(self.kind, to);
        Some(Scored { mv, traits, interest: self.interest, bad: self.bad })
    }
}

/// Squares by what a drop there is worth: none of the sets is empty, no square is in two of them.
pub(super) type Parts = ArrayVec<(Bitboard, Figure), { Square::COUNT }>;

/// Parts the squares for drops of a kind by what the piece attacks and guards there. The terms say the same of single
/// moves ([`super::terms`]); here it is asked from where the kind reaches what they look for.
pub(super) fn part(
    parts: &mut Parts,
    eye: &Eye<'_>,
    kind: PieceKind,
    targets: Bitboard,
    start: Figure,
) {
    let weights = eye.around.weights;
    parts.clear();
    parts.push((targets, start));
    if kind == PieceKind::Pawn {
        by_dearest(parts, eye, kind, Bitboard::ALL, &weights.pawn_attacks);
    } else {
        let worthwhile = eye.undefended | eye.dearer_than(kind);
        by_dearest(parts, eye, kind, worthwhile, &weights.attacks);
        let [a, b, c, d] = eye.maps.them.pieces;
        // Twice something, and not the king alone.
        let twice = reaching_twice(eye, kind, worthwhile);
        if twice.any() {
            let pieces = reaching(kind, eye.us, worthwhile & (a | b | c | d), eye.occupied);
            split(parts, twice & pieces, Figure::good(weights.fork));
        }
    }
    split(parts, reaching(kind, eye.us, eye.zone, eye.occupied), weights.king_zone);
    let mut left = Bitboard::ALL;
    for class in (0..4).rev() {
        let goals = eye.hanging & eye.maps.us.pieces[class];
        let from = reaching(kind, eye.us, goals, eye.occupied);
        split(parts, from & left, weights.guards[class]);
        left &= !from;
    }
}

/// By the class of the dearest of the goals that is attacked.
fn by_dearest(parts: &mut Parts, eye: &Eye<'_>, kind: PieceKind, goals: Bitboard, attack: &Attack) {
    let Attack::Dearest(figures) = attack else { return };
    let mut left = Bitboard::ALL;
    for class in (0..4).rev() {
        let goals = goals & eye.maps.them.pieces[class];
        let from = reaching(kind, eye.us, goals, eye.occupied);
        split(parts, from & left, figures[class]);
        left &= !from;
    }
}

/// From where two or more of the goals are attacked.
fn reaching_twice(eye: &Eye<'_>, kind: PieceKind, goals: Bitboard) -> Bitboard {
    let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
    if goals.more_than_one() {
        for goal in goals {
            let from = attacks(kind, !eye.us, goal, eye.occupied);
            twice |= once & from;
            once |= from;
        }
    }
    twice
}

/// Adds to what the squares of a set are worth.
fn split(parts: &mut Parts, set: Bitboard, more: Figure) {
    if set.is_empty() || more.is_none() {
        return;
    }
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
