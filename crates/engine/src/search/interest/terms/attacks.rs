//! Term 11: a piece that is no pawn newly attacks others. With the fitted weights only what is dearer than the moved
//! piece or undefended counts.

use super::super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer},
};
use crate::search::weights::{Attack, TermWeight};
use kyomi_shogi::{Bitboard, PieceKind};

/// The weight of the enemy pieces that the move newly attacks: of the dearest that is dearer than the moved piece or
/// undefended, or, with the weights of the paper, of each.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if m.before == PieceKind::Pawn {
        return TermWeight::NONE;
    }
    let attack = &scorer.context.weights.attacks;
    let goals = match attack {
        Attack::Dearest(_) => m.new_attacks & scorer.worth_attacking(m.after),
        Attack::Each(_) => m.new_attacks,
    };
    scorer.attack_on(attack, goals)
}

/// Squares at which a new attack counts.
#[inline]
pub(in crate::search::interest) fn notable(scorer: &Scorer<'_>, attacker: Attacker) -> Bitboard {
    match attacker {
        Attacker::Pawn => Bitboard::EMPTY,
        Attacker::Piece(class) => scorer.worth_attacking_for(class),
    }
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    if kind != PieceKind::Pawn
        && let Attack::Dearest(weights) = &scorer.context.weights.attacks
    {
        parts.by_dearest(
            (kind, scorer.us),
            scorer.occupied,
            scorer.worth_attacking(kind),
            &scorer.maps.them.pieces,
            weights,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn cheaper_guarded_pieces_do_not_count() {
        // The pawn is guarded by the gold.
        let scene = Scene::new("4k4/9/9/4g4/4p4/9/9/9/4K4 b S 1");
        assert_eq!(scene.points("S*5f", Term::Attacks), (0, 0));
        let open = Scene::new("4k4/9/9/9/4p4/9/9/9/4K4 b S 1");
        assert_eq!(open.points("S*5f", Term::Attacks), (2, 0));
        let paper = Scene::of_paper("4k4/9/9/4g4/4p4/9/9/9/4K4 b S 1");
        assert_eq!(paper.points("S*5f", Term::Attacks), (21, 21), "in the paper everything does");
    }
}
