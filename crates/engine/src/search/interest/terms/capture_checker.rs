//! Term 13: taking the piece that gives check.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of taking the piece that gives check.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if scorer.checkers.contains(m.to) {
        TermWeight::both(scorer.context.weights.capture_checker)
    } else {
        TermWeight::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn only_the_checker_counts() {
        let scene = Scene::new("4k4/9/9/9/9/9/9/4g4/4K4 b - 1");
        assert_eq!(scene.points("5i5h", Term::CaptureChecker), (100, 100));
        let aside = Scene::new("4k4/9/9/4l4/9/9/9/5g3/4K4 b - 1");
        assert_eq!(aside.points("5i4h", Term::CaptureChecker), (100, 100));
        let lance = Scene::new("4k4/9/9/4l4/9/9/9/5p3/4K4 b - 1");
        assert_eq!(lance.points("5i4h", Term::CaptureChecker), (0, 0));
    }
}
