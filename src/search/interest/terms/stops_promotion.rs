//! A row of our own: a move takes or covers a square where an enemy piece threatens to promote.

use super::super::{candidate::Candidate, eye::Eye};
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, PieceKind, attacks};

/// Squares that an enemy piece can promote on with its next move, and that nobody guards.
pub(in crate::search::interest) fn promoting(eye: &Eye<'_>) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    if eye.around.weights.stops_promotion.is_none() {
        return found;
    }
    let camp = Bitboard::camp_against(!eye.us);
    for kind in PieceKind::ALL {
        if kind.promoted().is_none() {
            continue;
        }
        for square in eye.position.pieces(!eye.us, kind) {
            let reach = attacks(kind, !eye.us, square, eye.occupied);
            found |= if camp.contains(square) { reach } else { reach & camp };
        }
    }
    found & !eye.enemies & !eye.maps.us.all
}

/// What stopping that is worth.
#[inline]
pub(in crate::search::interest) fn stops_promotion(eye: &Eye<'_>, m: &Candidate) -> Figure {
    if eye.promoting.contains(m.to) || (m.fresh & eye.promoting).any() {
        eye.around.weights.stops_promotion
    } else {
        Figure::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn taking_or_covering_the_square_stops_a_pawn() {
        let mut scene = Scene::new("4k4/9/9/9/9/1p7/9/9/4K4 b GP 1");
        assert_eq!(scene.points("G*8g", stops_promotion), (5, 0));
        assert_eq!(scene.points("G*8h", stops_promotion), (5, 0));
        assert_eq!(scene.points("P*2f", stops_promotion), (0, 0));
        scene.parameters.stops_promotion = 0;
        assert_eq!(scene.points("G*8h", stops_promotion), (0, 0));
    }

    #[test]
    fn a_guarded_square_is_no_threat() {
        let scene = Scene::new("4k4/9/9/9/9/1p7/9/1G7/4K4 b GP 1");
        assert_eq!(scene.points("P*8g", stops_promotion), (0, 0));
    }
}
