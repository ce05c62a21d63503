//! A row of our own: a move adds a defender to an own piece that hangs.

use super::super::{
    candidate::Candidate,
    eye::{Eye, best_class},
};
use crate::search::weights::Figure;

/// What newly guarding a hanging piece is worth, by the dearest of them.
#[inline]
pub(in crate::search::interest) fn guards(eye: &Eye<'_>, m: &Candidate) -> Figure {
    let guarded = m.fresh & eye.hanging;
    best_class(&eye.maps.us.pieces, guarded)
        .map_or(Figure::NONE, |class| eye.around.weights.guards[class])
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn a_new_defender_counts_by_what_it_defends() {
        // The rook attacks a silver that nobody guards.
        let scene = Scene::new("4k4/9/9/9/r3S4/9/9/9/4K4 b GP 1");
        assert_eq!(scene.points("G*5f", guards), (27, 1));
        assert_eq!(scene.points("P*5f", guards), (27, 1));
        assert_eq!(scene.points("G*3f", guards), (0, 0));
        assert_eq!(scene.points("5e5d", guards), (0, 0), "a piece does not guard itself");
    }
}
