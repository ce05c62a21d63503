//! Term 11: a piece that is no pawn newly attacks something dearer or undefended.

use super::super::{
    candidate::Candidate,
    dull::Parts,
    eye::{Attacker, Eye},
};
use crate::search::weights::{Attack, Figure};
use crate::shogi::{Bitboard, PieceKind};

/// The figure of the enemy pieces that are worth attacking and newly attacked.
#[inline]
pub(in crate::search::interest) fn figure(eye: &Eye<'_>, m: &Candidate) -> Figure {
    if m.before == PieceKind::Pawn {
        return Figure::NONE;
    }
    let goals = m.fresh & eye.worth_attacking(m.after);
    eye.attack_on(&eye.around.weights.attacks, goals)
}

/// Where a new attack counts.
#[inline]
pub(in crate::search::interest) fn notable(eye: &Eye<'_>, attacker: Attacker) -> Bitboard {
    match attacker {
        Attacker::Pawn => Bitboard::EMPTY,
        Attacker::Piece(class) => eye.worth_attacking_for(class),
    }
}

/// The same for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(parts: &mut Parts, eye: &Eye<'_>, kind: PieceKind) {
    if kind != PieceKind::Pawn
        && let Attack::Dearest(figures) = &eye.around.weights.attacks
    {
        parts.by_dearest(eye, kind, eye.worth_attacking(kind), &eye.maps.them.pieces, figures);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn what_is_cheaper_and_guarded_does_not_count() {
        // The pawn is guarded by the gold.
        let scene = Scene::new("4k4/9/9/4g4/4p4/9/9/9/4K4 b S 1");
        assert_eq!(scene.points("S*5f", Term::Attacks), (0, 0));
        let open = Scene::new("4k4/9/9/9/4p4/9/9/9/4K4 b S 1");
        assert_eq!(open.points("S*5f", Term::Attacks), (2, 0));
    }
}
