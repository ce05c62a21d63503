//! A term that is not in the paper: drops, whatever they attack.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;
use kyomi_shogi::PieceKind;

/// The weight of a drop.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    TermWeight::good(scorer.context.weights.drops[usize::from(m.before != PieceKind::Pawn)])
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn pawns_are_dropped_sooner_than_others() {
        let scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b GP 1");
        assert_eq!(scene.sixteenths("P*5e", Term::Drops), (5 * 16, 0));
        assert_eq!(scene.sixteenths("G*5e", Term::Drops), (8, 0));
        assert_eq!(scene.sixteenths("5i5h", Term::Drops), (0, 0));
    }
}
