//! A term that is not in the paper: a move newly attacks a square next to the enemy's king.

use super::super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer},
};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind, reaching};

/// The weight of an attack near the king.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if (m.new_attacks & scorer.zone).any() {
        scorer.context.weights.king_zone
    } else {
        TermWeight::NONE
    }
}

/// Squares at which a new attack counts.
#[inline]
pub(in crate::search::interest) fn notable(scorer: &Scorer<'_>, _: Attacker) -> Bitboard {
    scorer.zone
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    parts.split(
        reaching(kind, scorer.us, scorer.zone, scorer.occupied),
        scorer.context.weights.king_zone,
    );
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn squares_next_to_the_king_count() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b G 1");
        assert_eq!(scene.sixteenths("G*5c", Term::KingZone), (19 * 8, 8));
        assert_eq!(scene.points("G*5e", Term::KingZone), (0, 0));
        scene.parameters.extra_terms = 0;
        assert_eq!(scene.points("G*5c", Term::KingZone), (0, 0));
    }
}
