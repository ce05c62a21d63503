//! A term that is not in the paper: a move adds a defender to an own piece that hangs.

use super::super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer, best_class},
};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind};

/// The weight of the dearest hanging piece that is newly guarded.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    best_class(&scorer.maps.us.pieces, m.new_attacks & scorer.hanging)
        .map_or(TermWeight::NONE, |class| scorer.context.weights.guards[class])
}

/// Squares at which a new defender counts.
#[inline]
pub(in crate::search::interest) fn notable(scorer: &Scorer<'_>, _: Attacker) -> Bitboard {
    scorer.hanging
}

/// The same weights for sets of drops.
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
