//! A term that is not in the paper: a piece moves to a square that is better by the evaluation.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of a quiet move to a better square.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if scorer.moved_piece.better.contains(m.to) {
        scorer.context.weights.development
    } else {
        TermWeight::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::eval::Placements;
    use crate::search::interest::Term;
    use kyomi_shogi::Position;

    #[test]
    fn only_a_better_square_counts() {
        let scene = Scene::new(&Position::startpos().to_sfen());
        let mut better = 0;
        for mv in scene.position.legal_moves().iter().copied() {
            let piece = scene.position.piece_on(mv.from().unwrap()).unwrap();
            let placements = Placements::of(&scene.position, piece);
            let gain = placements.at(mv.to()) - placements.at(mv.from().unwrap());
            let wanted = if gain > 0 { (12 * 16, 8) } else { (0, 0) };
            assert_eq!(scene.sixteenths(&mv.to_string(), Term::Development), wanted, "{mv}");
            better += usize::from(gain > 0);
        }
        assert!(better > 5, "{better}");
    }
}
