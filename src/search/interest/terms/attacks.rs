//! Terms 8 and 11: a pawn attacks a piece; another piece attacks something dearer or undefended, or several at once.

use super::super::{
    candidate::Candidate,
    eye::{Eye, best_class},
};
use crate::search::weights::Figure;
use crate::shogi::PieceKind;

/// What the enemy pieces are worth that a move newly attacks.
#[inline]
pub(in crate::search::interest) fn attacks(eye: &Eye<'_>, m: &Candidate) -> Figure {
    let weights = eye.around.weights;
    if m.before == PieceKind::Pawn {
        return eye.attack_on(&weights.pawn_attacks, m.fresh);
    }
    let worthwhile = m.fresh & (eye.undefended | eye.dearer_than(m.after));
    let mut sum = eye.attack_on(&weights.attacks, worthwhile);
    // A king beside another piece makes a fork, too.
    if worthwhile.more_than_one() && best_class(&eye.maps.them.pieces, worthwhile).is_some() {
        sum += Figure::good(weights.fork);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn a_pawn_counts_by_what_it_attacks() {
        // Pawn steps up to a silver, or is dropped before a gold.
        let scene = Scene::new("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b P 1");
        assert_eq!(scene.points("7f7e", attacks), (160, 28));
        assert_eq!(scene.points("P*3e", attacks), (220, 37));
        assert_eq!(scene.points("P*5e", attacks), (0, 0));
        let paper = Scene::of_paper("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b P 1");
        assert_eq!(paper.points("7f7e", attacks), (86, 86));
    }

    #[test]
    fn a_knight_forks_two_that_are_dearer() {
        let sfen = "4k4/9/9/2s1g4/9/3n5/9/9/4K4 b N 1";
        let scene = Scene::new(sfen);
        // Nothing there but what the knight cannot reach.
        assert_eq!(scene.points("N*4f", attacks), (50, 0));
        assert_eq!(scene.points("N*1g", attacks), (0, 0));
        // A gold and a silver: the dearest counts, and the fork.
        let fork = Scene::new("4k4/9/9/2s1g4/9/9/9/9/4K4 b N 1");
        assert_eq!(fork.points("N*6f", attacks), (70, 0));
        let paper = Scene::of_paper("4k4/9/9/2s1g4/9/9/9/9/4K4 b N 1");
        assert_eq!(paper.points("N*6f", attacks), (86 + 103, 86 + 103));
    }

    #[test]
    fn what_is_cheaper_and_guarded_does_not_count() {
        // The pawn is guarded by the gold.
        let scene = Scene::new("4k4/9/9/4g4/4p4/9/9/9/4K4 b S 1");
        assert_eq!(scene.points("S*5f", attacks), (0, 0));
        let open = Scene::new("4k4/9/9/9/4p4/9/9/9/4K4 b S 1");
        assert_eq!(open.points("S*5f", attacks), (2, 0));
    }
}
