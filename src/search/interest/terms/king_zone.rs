//! A term that is not in the paper: a move newly attacks a square next to the enemy's king.

use super::super::{
    candidate::Candidate,
    dull::Parts,
    eye::{Attacker, Eye},
};
use crate::search::weights::Figure;
use crate::shogi::{Bitboard, PieceKind, reaching};

/// The figure of an attack near the king.
#[inline]
pub(in crate::search::interest) fn figure(eye: &Eye<'_>, m: &Candidate) -> Figure {
    if (m.fresh & eye.zone).any() { eye.around.weights.king_zone } else { Figure::NONE }
}

/// Where a new attack counts.
#[inline]
pub(in crate::search::interest) fn notable(eye: &Eye<'_>, _: Attacker) -> Bitboard {
    eye.zone
}

/// The same for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(parts: &mut Parts, eye: &Eye<'_>, kind: PieceKind) {
    parts.split(reaching(kind, eye.us, eye.zone, eye.occupied), eye.around.weights.king_zone);
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn squares_next_to_the_king_count() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b G 1");
        assert_eq!(scene.sixteenths("G*5c", Term::KingZone), (19 * 8, 8));
        assert_eq!(scene.points("G*5e", Term::KingZone), (0, 0));
        scene.parameters.extra_terms = 0;
        assert_eq!(scene.points("G*5c", Term::KingZone), (0, 0));
    }
}
