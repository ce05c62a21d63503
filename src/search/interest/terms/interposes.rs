//! A row of our own: a piece comes between a slider and the hanging piece that it attacks.

use super::super::{candidate::Candidate, eye::Eye};
use crate::eval::victim_class;
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, Piece, PieceKind, Position, between};

/// Squares between a hanging piece and an enemy slider that attacks it, by the class of that piece.
pub(in crate::search::interest) fn shields(eye: &Eye<'_>) -> [Bitboard; 4] {
    let mut found = [Bitboard::EMPTY; 4];
    if eye.around.weights.interposes.iter().all(|figure| figure.is_none()) {
        return found;
    }
    for square in eye.hanging {
        let Some(kind) = eye.position.piece_on(square).map(Piece::kind) else { continue };
        let sliders = eye.position.all_sliders_aiming(square) & eye.enemies;
        for slider in Position::open_to(square, sliders, eye.occupied) {
            found[victim_class(kind)] |= between(square, slider);
        }
    }
    found
}

/// What coming between is worth, by the dearest piece that is shielded.
#[inline]
pub(in crate::search::interest) fn interposes(eye: &Eye<'_>, m: &Candidate) -> Figure {
    if m.before == PieceKind::King {
        return Figure::NONE;
    }
    let class = (0..4).rev().find(|&class| eye.shields[class].contains(m.to));
    match (class, m.from) {
        // Along the line of attack a piece shields nothing but itself.
        (Some(_), Some(from)) if eye.hanging.contains(from) => Figure::NONE,
        (Some(class), _) => eye.around.weights.interposes[class],
        (None, _) => Figure::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn what_stands_between_counts() {
        let mut scene = Scene::new("4k4/9/9/9/r3S4/1P7/9/9/4K4 b G 1");
        assert_eq!(scene.points("8f8e", interposes), (27, 1));
        assert_eq!(scene.points("G*7e", interposes), (27, 1));
        assert_eq!(scene.points("G*4e", interposes), (0, 0), "on the other side");
        assert_eq!(scene.points("5e5d", interposes), (0, 0));
        scene.parameters.interposes = 0;
        assert_eq!(scene.points("G*7e", interposes), (0, 0));
    }
}
