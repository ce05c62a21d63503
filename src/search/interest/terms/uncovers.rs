//! A row of our own: a piece steps out of the way of an own slider, which then attacks an enemy piece.

use super::super::{candidate::Candidate, eye::Eye};
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, Position, Square, attacks};

/// What own sliders would attack without the piece on this square that they do not attack with it.
#[inline]
pub(in crate::search::interest) fn opened(eye: &Eye<'_>, square: Square) -> Bitboard {
    if eye.around.weights.uncovers.is_none() {
        return Bitboard::EMPTY;
    }
    behind(eye, square, eye.occupied.without(square))
}

/// What opening a line onto an enemy piece is worth. Checks count by their own term.
#[inline]
pub(in crate::search::interest) fn uncovers(eye: &Eye<'_>, m: &Candidate) -> Figure {
    let Some(from) = m.from else { return Figure::NONE };
    let enemies = eye.enemies.without(m.to) & !eye.kings();
    if (eye.mover.opened & enemies).is_empty() {
        return Figure::NONE;
    }
    // The piece may still stand in the way where it goes.
    let seen = behind(eye, from, eye.occupied.without(from).with(m.to));
    if (seen & enemies).any() { eye.around.weights.uncovers } else { Figure::NONE }
}

/// What own sliders that aim at a square newly attack when just `occupied` is on the board.
fn behind(eye: &Eye<'_>, square: Square, occupied: Bitboard) -> Bitboard {
    let own = eye.position.all_sliders_aiming(square) & !eye.enemies;
    let mut found = Bitboard::EMPTY;
    for slider in Position::open_to(square, own, eye.occupied) {
        if let Some(piece) = eye.position.piece_on(slider) {
            let reach = |occupied| attacks(piece.kind(), piece.color(), slider, occupied);
            found |= reach(occupied) & !reach(eye.occupied);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn a_line_that_opens_counts() {
        // The rook looks at the silver when the gold leaves the file; the bishop behind sees nothing more.
        let mut scene = Scene::new("8k/9/4s4/9/4G4/9/9/4R4/K8 b - 1");
        assert_eq!(scene.points("5e6e", uncovers), (8, 8));
        assert_eq!(scene.points("5e5d", uncovers), (0, 0), "still in the way");
        assert_eq!(scene.points("5h6h", uncovers), (0, 0));
        scene.parameters.uncovers = 0;
        assert_eq!(scene.points("5e6e", uncovers), (0, 0));
    }

    #[test]
    fn the_piece_that_is_taken_is_not_uncovered() {
        let scene = Scene::new("8k/9/9/4s4/4G4/9/9/4R4/K8 b - 1");
        assert_eq!(scene.points("5e5d", uncovers), (0, 0));
    }
}
