//! Term 9: captures by their victim, and those of the piece that has just moved.

use super::super::{candidate::Candidate, eye::Eye};
use crate::search::weights::Figure;

/// What taking this victim is worth.
#[inline]
pub(in crate::search::interest) fn capture(eye: &Eye<'_>, m: &Candidate) -> Figure {
    m.captured.map_or(Figure::NONE, |victim| eye.around.weights.capture[victim.index()])
}

/// What taking the piece that has just moved is worth in addition.
#[inline]
pub(in crate::search::interest) fn recapture(eye: &Eye<'_>, m: &Candidate) -> Figure {
    if m.captured.is_some() && eye.around.last_to == Some(m.to) {
        Figure::good(eye.around.weights.recapture)
    } else {
        Figure::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, mv_of};
    use super::*;

    const SFEN: &str = "4k4/9/9/9/2p1r4/2P1P4/9/9/4K4 b - 1";

    #[test]
    fn dear_victims_count_more() {
        let scene = Scene::new(SFEN);
        assert_eq!(scene.points("7f7e", capture), (190, 1));
        assert_eq!(scene.points("5f5e", capture), (900, 60));
        assert_eq!(scene.points("5i5h", capture), (0, 0));
        assert_eq!(Scene::of_paper(SFEN).points("5f5e", capture), (175, 175));
    }

    #[test]
    fn what_has_just_moved_is_taken_first() {
        let mut scene = Scene::new(SFEN);
        scene.last_to = Some(mv_of("5f5e").to());
        assert_eq!(scene.points("5f5e", recapture), (350, 0));
        assert_eq!(scene.points("7f7e", recapture), (0, 0));
    }
}
