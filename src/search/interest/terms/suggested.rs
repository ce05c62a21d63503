//! Terms 5 to 7: killers of this ply, the best reply to the last move, the best follow-on to the own one before.

use super::super::{candidate::Candidate, eye::Eye};
use crate::search::weights::Figure;

/// What the learning tables say for a move.
#[inline]
pub(in crate::search::interest) fn suggested(eye: &Eye<'_>, m: &Candidate) -> Figure {
    let (weights, suggested) = (eye.around.weights, &eye.around.suggested);
    let code = m.mv.to_bits();
    let mut sum = 0;
    if code == suggested.killers[0] {
        sum += weights.killers[0];
    } else if code == suggested.killers[1] {
        sum += weights.killers[1];
    }
    if code == suggested.counter_move {
        sum += weights.counter_move;
    }
    if code == suggested.continuation {
        sum += weights.continuation;
    }
    Figure::both(sum)
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, mv_of};
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn each_table_adds_its_own_figure() {
        let mut scene = Scene::new(START);
        scene.suggested.killers = [mv_of("7g7f").to_bits(), mv_of("2g2f").to_bits()];
        scene.suggested.counter_move = mv_of("2g2f").to_bits();
        scene.suggested.continuation = mv_of("6i7h").to_bits();
        assert_eq!(scene.points("7g7f", suggested), (100, 100));
        assert_eq!(scene.points("2g2f", suggested), (160, 160));
        assert_eq!(scene.points("6i7h", suggested), (60, 60));
        assert_eq!(scene.points("5g5f", suggested), (0, 0));
        scene.parameters.figures = 1;
        assert_eq!(scene.points("2g2f", suggested), (100, 100), "the paper has one killer");
    }
}
