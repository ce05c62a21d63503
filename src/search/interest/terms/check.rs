//! Term 10: checks, direct or discovered.

use super::super::{candidate::Candidate, scorer::Scorer};
use crate::search::weights::Figure;

/// The figure of a check.
#[inline]
pub(in crate::search::interest) fn figure(scorer: &Scorer<'_>, _: &Candidate) -> Figure {
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
