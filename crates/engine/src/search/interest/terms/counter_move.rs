//! Term 6: the counter move, a quiet move that cut after the same last move.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of the counter move.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if m.mv.to_bits() == scorer.context.suggested.counter_move {
        TermWeight::both(scorer.context.weights.counter_move)
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
    fn the_counter_move_has_its_own_weight() {
        let mut scene = Scene::new(&Position::startpos().to_sfen());
        scene.suggested.counter_move = mv_of("6i7h").to_bits();
        assert_eq!(scene.points("6i7h", Term::CounterMove), (100, 100));
        assert_eq!(scene.points("5g5f", Term::CounterMove), (0, 0));
        scene.parameters.figures = 1;
        assert_eq!(scene.points("6i7h", Term::CounterMove), (100, 100));
    }
}
