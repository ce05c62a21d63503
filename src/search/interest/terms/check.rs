//! Term 10: checks, direct or discovered, and checks after a check.

use super::super::{candidate::Candidate, eye::Eye};
use crate::search::weights::Figure;

/// What giving check is worth.
#[inline]
pub(in crate::search::interest) fn check(eye: &Eye<'_>, m: &Candidate) -> Figure {
    let weights = eye.around.weights;
    match (m.check, eye.around.checked_before) {
        (false, _) => Figure::NONE,
        (true, false) => weights.check,
        (true, true) => weights.check + Figure::both(weights.further_check),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn direct_and_discovered_checks_count_and_more_so_in_a_row() {
        let sfen = "4k4/9/9/9/4S4/9/9/4L4/3K5 b G 1";
        let mut scene = Scene::new(sfen);
        assert_eq!(scene.points("G*5b", check), (400, 10));
        assert_eq!(scene.points("5e6d", check), (400, 10), "the lance behind the silver");
        assert_eq!(scene.points("5e5d", check), (0, 0));
        scene.checked_before = true;
        assert_eq!(scene.points("G*5b", check), (500, 110));
        assert_eq!(Scene::of_paper(sfen).points("G*5b", check), (100, 100));
    }
}
