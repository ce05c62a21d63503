//! Term 8: a pawn newly attacks pieces.

use super::super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer},
};
use crate::search::weights::{Attack, TermWeight};
use kyomi_shogi::{Bitboard, PieceKind};

/// The weight of the enemy pieces that a pawn newly attacks.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if m.before == PieceKind::Pawn {
        scorer.attack_on(&scorer.context.weights.pawn_attacks, m.new_attacks)
    } else {
        TermWeight::NONE
    }
}

/// Squares at which a new attack counts.
#[inline]
pub(in crate::search::interest) fn notable(scorer: &Scorer<'_>, attacker: Attacker) -> Bitboard {
    match attacker {
        Attacker::Pawn => scorer.maps.them.without_king(),
        Attacker::Piece(_) => Bitboard::EMPTY,
    }
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    if kind == PieceKind::Pawn
        && let Attack::Dearest(weights) = &scorer.context.weights.pawn_attacks
    {
        parts.by_dearest(
            (kind, scorer.us),
            scorer.occupied,
            Bitboard::ALL,
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
    fn a_pawn_counts_by_what_it_attacks() {
        // Pawn steps up to a silver, or is dropped before a gold.
        let scene = Scene::new("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b P 1");
        assert_eq!(scene.points("7f7e", Term::PawnAttacks), (160, 28));
        assert_eq!(scene.points("P*3e", Term::PawnAttacks), (220, 37));
        assert_eq!(scene.points("P*5e", Term::PawnAttacks), (0, 0));
        let paper = Scene::of_paper("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b P 1");
        assert_eq!(paper.points("7f7e", Term::PawnAttacks), (86, 86));
    }
}
