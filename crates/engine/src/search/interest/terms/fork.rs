//! Term 11: a piece that is no pawn newly attacks two or more enemies that are dearer or undefended.

use super::super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer},
};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind, attacks, reaching};

/// The weight of a fork. The king may be one of the attacked pieces.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if m.before == PieceKind::Pawn {
        return TermWeight::NONE;
    }
    let goals = m.new_attacks & scorer.worth_attacking(m.after);
    if goals.more_than_one() && (goals & scorer.maps.them.without_king()).any() {
        TermWeight::good(scorer.context.weights.fork)
    } else {
        TermWeight::NONE
    }
}

/// Squares at which a new attack counts.
#[inline]
pub(in crate::search::interest) fn notable(scorer: &Scorer<'_>, attacker: Attacker) -> Bitboard {
    super::attacks::notable(scorer, attacker)
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    if kind == PieceKind::Pawn {
        return;
    }
    let goals = scorer.worth_attacking(kind);
    let twice = reaching_twice(scorer, kind, goals);
    if twice.any() {
        let pieces =
            reaching(kind, scorer.us, goals & scorer.maps.them.without_king(), scorer.occupied);
        parts.split(twice & pieces, TermWeight::good(scorer.context.weights.fork));
    }
}

/// The squares from which two or more of the goals are attacked.
fn reaching_twice(scorer: &Scorer<'_>, kind: PieceKind, goals: Bitboard) -> Bitboard {
    let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
    if goals.more_than_one() {
        for goal in goals {
            let from = attacks(kind, !scorer.us, goal, scorer.occupied);
            twice |= once & from;
            once |= from;
        }
    }
    twice
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn a_knight_forks_two_that_are_dearer() {
        // A gold and a silver.
        let fork = Scene::new("4k4/9/9/2s1g4/9/9/9/9/4K4 b N 1");
        assert_eq!(fork.points("N*6f", Term::Fork), (20, 0));
        assert_eq!(fork.points("N*6f", Term::Attacks), (50, 0), "the dearest counts");
        assert_eq!(fork.points("N*1g", Term::Fork), (0, 0));
        let paper = Scene::of_paper("4k4/9/9/2s1g4/9/9/9/9/4K4 b N 1");
        assert_eq!(paper.points("N*6f", Term::Attacks), (86 + 103, 86 + 103));
        assert_eq!(paper.points("N*6f", Term::Fork), (0, 0));
        let single = Scene::new("4k4/9/9/2s1g4/9/3n5/9/9/4K4 b N 1");
        assert_eq!(single.points("N*4f", Term::Attacks), (50, 0));
        assert_eq!(single.points("N*4f", Term::Fork), (0, 0));
    }
}
