//! A term that is not in the paper: a move adds a defender to an own piece that hangs.

use super::super::{
    candidate::Candidate,
    drop_set::DropParts,
    scorer::{Attacker, Scorer, best_class},
};
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, PieceKind};

/// The figure of the dearest hanging piece that is newly guarded.
#[inline]
pub(in crate::search::interest) fn figure(scorer: &Scorer<'_>, m: &Candidate) -> Figure {
    best_class(&scorer.maps.us.pieces, m.fresh & scorer.hanging)
        .map_or(Figure::NONE, |class| scorer.context.weights.guards[class])
}

/// Squares at which a new defender counts.
#[inline]
pub(in crate::search::interest) fn notable(scorer: &Scorer<'_>, _: Attacker) -> Bitboard {
    scorer.hanging
}

/// The same figures for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    parts.by_dearest(
        (kind, scorer.us),
        scorer.occupied,
        scorer.hanging,
        &scorer.maps.us.pieces,
        &scorer.context.weights.guards,
    );
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
