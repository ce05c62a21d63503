//! A row of our own: a move newly attacks a square next to the enemy's king.

use super::super::{candidate::Candidate, eye::Eye};
use crate::search::weights::Figure;

/// What coming near the king is worth.
#[inline]
pub(in crate::search::interest) fn king_zone(eye: &Eye<'_>, m: &Candidate) -> Figure {
    if (m.fresh & eye.zone).any() { eye.around.weights.king_zone } else { Figure::NONE }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn squares_next_to_the_king_count() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b G 1");
        assert_eq!(scene.sixteenths("G*5c", king_zone), (19 * 8, 8));
        assert_eq!(scene.points("G*5e", king_zone), (0, 0));
        scene.parameters.extra_terms = 0;
        assert_eq!(scene.points("G*5c", king_zone), (0, 0));
    }
}
