//! Terms of the squares that a move newly attacks. Each has its weight for a single move, the squares at which a new
//! attack can count (`notable`), and the same weights for sets of drops (`part`).

use super::super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer, best_class},
};
use crate::search::weights::{Attack, TermWeight};
use kyomi_shogi::{Bitboard, PieceKind, attacks as attacks_from, reaching};

/// Term 8: a pawn newly attacks pieces.
#[inline]
pub(in crate::search::interest) fn pawn_attacks(
    scorer: &Scorer<'_>,
    m: &MoveFeatures,
) -> TermWeight {
    if m.before == PieceKind::Pawn {
        scorer.attack_on(&scorer.context.weights.pawn_attacks, m.new_attacks)
    } else {
        TermWeight::NONE
    }
}

/// Squares at which a new attack counts.
#[inline]
pub(in crate::search::interest) fn pawn_attacks_notable(
    scorer: &Scorer<'_>,
    attacker: Attacker,
) -> Bitboard {
    match attacker {
        Attacker::Pawn => scorer.maps.them.without_king(),
        Attacker::Piece(_) => Bitboard::EMPTY,
    }
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn pawn_attacks_part(
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

/// Term 11: a piece that is no pawn newly attacks others. With the fitted weights it is the weight of the dearest that
/// is dearer than the moved piece or undefended; with the weights of the paper, the sum over all.
#[inline]
pub(in crate::search::interest) fn attacks(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
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
pub(in crate::search::interest) fn attacks_notable(
    scorer: &Scorer<'_>,
    attacker: Attacker,
) -> Bitboard {
    match attacker {
        Attacker::Pawn => Bitboard::EMPTY,
        Attacker::Piece(class) => scorer.worth_attacking_for(class),
    }
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn attacks_part(
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

/// Term 11: a piece that is no pawn newly attacks two or more enemies that are dearer or undefended. The king may be
/// one of the attacked pieces.
#[inline]
pub(in crate::search::interest) fn fork(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
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
pub(in crate::search::interest) fn fork_notable(
    scorer: &Scorer<'_>,
    attacker: Attacker,
) -> Bitboard {
    attacks_notable(scorer, attacker)
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn fork_part(
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
            let from = attacks_from(kind, !scorer.us, goal, scorer.occupied);
            twice |= once & from;
            once |= from;
        }
    }
    twice
}

/// A term that is not in the paper: a move newly attacks a square next to the enemy's king.
#[inline]
pub(in crate::search::interest) fn king_zone(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if (m.new_attacks & scorer.zone).any() {
        scorer.context.weights.king_zone
    } else {
        TermWeight::NONE
    }
}

/// Squares at which a new attack counts.
#[inline]
pub(in crate::search::interest) fn king_zone_notable(scorer: &Scorer<'_>, _: Attacker) -> Bitboard {
    scorer.zone
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn king_zone_part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    parts.split(
        reaching(kind, scorer.us, scorer.zone, scorer.occupied),
        scorer.context.weights.king_zone,
    );
}

/// A term that is not in the paper: a move adds a defender to an own piece that hangs. The dearest such piece counts.
#[inline]
pub(in crate::search::interest) fn guards(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    best_class(&scorer.maps.us.pieces, m.new_attacks & scorer.hanging)
        .map_or(TermWeight::NONE, |class| scorer.context.weights.guards[class])
}

/// Squares at which a new defender counts.
#[inline]
pub(in crate::search::interest) fn guards_notable(scorer: &Scorer<'_>, _: Attacker) -> Bitboard {
    scorer.hanging
}

/// The same weights for sets of drops.
#[inline]
pub(in crate::search::interest) fn guards_part(
    parts: &mut DropParts,
    scorer: &Scorer<'_>,
    kind: PieceKind,
) {
    parts.by_dearest(
        (kind, scorer.us),
        scorer.occupied,
        scorer.hanging,
        &scorer.maps.us.pieces,
        &scorer.context.weights.guards,
    );
}
