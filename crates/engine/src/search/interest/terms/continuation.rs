//! Term 7: the continuation, a quiet move that cut after the same own move before.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of the continuation.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if m.mv.to_bits() == scorer.context.suggested.continuation {
        TermWeight::both(scorer.context.weights.continuation)
    } else {
        TermWeight::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, mv_of};
    use crate::search::interest::Term;
    use kyomi_shogi::Position;

    #[test]
    fn the_continuation_has_its_own_weight() {
        let mut scene = Scene::new(&Position::startpos().to_sfen());
        scene.suggested.continuation = mv_of("6i7h").to_bits();
        assert_eq!(scene.points("6i7h", Term::Continuation), (60, 60));
        assert_eq!(scene.points("5g5f", Term::Continuation), (0, 0));
        scene.parameters.figures = 1;
        assert_eq!(scene.points("6i7h", Term::Continuation), (100, 100));
    }
}
