//! A row of our own: a piece comes to a better square.

use super::super::{candidate::Candidate, eye::Eye};
use crate::eval::placement;
use crate::search::weights::Figure;

/// What a quiet move to a square that the evaluation likes better is worth.
#[inline]
pub(in crate::search::interest) fn development(eye: &Eye<'_>, m: &Candidate) -> Figure {
    match m.piece {
        Some(piece)
            if m.is_quiet() && placement(eye.position, piece, m.to) > eye.mover.placement =>
        {
            eye.around.weights.development
        }
        _ => Figure::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use crate::shogi::Position;

    #[test]
    fn only_a_better_square_counts() {
        let scene = Scene::new(&Position::startpos().to_sfen());
        let mut better = 0;
        for mv in scene.position.legal_moves().iter().copied() {
            let piece = scene.position.piece_on(mv.from().unwrap()).unwrap();
            let gain = placement(&scene.position, piece, mv.to())
                - placement(&scene.position, piece, mv.from().unwrap());
            let wanted = if gain > 0 { (12 * 16, 8) } else { (0, 0) };
            assert_eq!(scene.sixteenths(&mv.to_string(), development), wanted, "{mv}");
            better += usize::from(gain > 0);
        }
        assert!(better > 5, "{better}");
    }
}
