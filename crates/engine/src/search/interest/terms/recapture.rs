//! Term 9: captures of the piece that has just moved.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of a recapture, in addition to that of the capture.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if scorer.context.last_to == Some(m.to) {
        TermWeight::good(scorer.context.weights.recapture)
    } else {
        TermWeight::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, mv_of};
    use crate::search::interest::Term;

    #[test]
    fn only_captures_of_the_piece_that_just_moved_count() {
        let mut scene = Scene::new("4k4/9/9/9/2p1r4/2P1P4/9/9/4K4 b - 1");
        scene.last_to = Some(mv_of("5f5e").to());
        assert_eq!(scene.points("5f5e", Term::Recapture), (350, 0));
        assert_eq!(scene.points("7f7e", Term::Recapture), (0, 0));
    }
}
