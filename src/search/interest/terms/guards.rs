//! A term that is not in the paper: a move adds a defender to an own piece that hangs.

use super::super::{
    candidate::Candidate,
    dull::Parts,
    eye::{Attacker, Eye, best_class},
};
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, PieceKind};

/// The figure of the dearest hanging piece that is newly guarded.
#[inline]
pub(in crate::search::interest) fn figure(eye: &Eye<'_>, m: &Candidate) -> Figure {
    best_class(&eye.maps.us.pieces, m.fresh & eye.hanging)
        .map_or(Figure::NONE, |class| eye.around.weights.guards[class])
}

/// Where a new guard counts.
#[inline]
pub(in crate::search::interest) fn notable(eye: &Eye<'_>, _: Attacker) -> Bitboard {
    eye.hanging
}

/// The same for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(parts: &mut Parts, eye: &Eye<'_>, kind: PieceKind) {
    parts.by_dearest(eye, kind, eye.hanging, &eye.maps.us.pieces, &eye.around.weights.guards);
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn a_new_defender_counts_by_what_it_defends() {
        // The rook attacks a silver that nobody guards.
        let scene = Scene::new("4k4/9/9/9/r3S4/9/9/9/4K4 b GP 1");
        assert_eq!(scene.points("G*5f", Term::Guards), (27, 1));
        assert_eq!(scene.points("P*5f", Term::Guards), (27, 1));
        assert_eq!(scene.points("G*3f", Term::Guards), (0, 0));
        assert_eq!(scene.points("5e5d", Term::Guards), (0, 0), "a piece does not guard itself");
    }
}
