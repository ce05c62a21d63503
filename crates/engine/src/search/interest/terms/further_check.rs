//! Term 10: checks after an own check.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of a check by a side whose move before also gave check. It is added to that of the check.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, _: &MoveFeatures) -> TermWeight {
    if scorer.context.checked_before {
        TermWeight::both(scorer.context.weights.further_check)
    } else {
        TermWeight::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn only_a_check_after_a_check_counts() {
        let mut scene = Scene::new("4k4/9/9/9/4S4/9/9/4L4/3K5 b G 1");
        assert_eq!(scene.points("G*5b", Term::FurtherCheck), (0, 0));
        scene.checked_before = true;
        assert_eq!(scene.points("G*5b", Term::FurtherCheck), (100, 100));
        assert_eq!(scene.points("5e5d", Term::FurtherCheck), (0, 0));
    }
}
