//! Term 10: checks, direct or discovered.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of a check.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, _: &MoveFeatures) -> TermWeight {
    scorer.context.weights.check
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn direct_and_discovered_checks_count() {
        let sfen = "4k4/9/9/9/4S4/9/9/4L4/3K5 b G 1";
        let scene = Scene::new(sfen);
        assert_eq!(scene.points("G*5b", Term::Check), (400, 10));
        assert_eq!(scene.points("5e6d", Term::Check), (400, 10), "the lance behind the silver");
        assert_eq!(scene.points("5e5d", Term::Check), (0, 0));
        assert_eq!(Scene::of_paper(sfen).points("G*5b", Term::Check), (100, 100));
    }
}
