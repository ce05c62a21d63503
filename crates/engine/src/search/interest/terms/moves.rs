//! Terms of single moves that need no new attacks: functions of a node and a move of the group's kind.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind, attacks};

/// Term 5: killers, quiet moves that cut at another node of this ply. The weight of the first killer, or of the second.
#[inline]
pub(in crate::search::interest) fn killer(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    let (weights, killers) = (scorer.context.weights, scorer.context.suggested.killers);
    let code = m.mv.to_bits();
    if code == killers[0] {
        TermWeight::both(weights.killers[0])
    } else if code == killers[1] {
        TermWeight::both(weights.killers[1])
    } else {
        TermWeight::NONE
    }
}

/// Term 6: the counter move, a quiet move that cut after the same last move.
#[inline]
pub(in crate::search::interest) fn counter_move(
    scorer: &Scorer<'_>,
    m: &MoveFeatures,
) -> TermWeight {
    if m.mv.to_bits() == scorer.context.suggested.counter_move {
        TermWeight::both(scorer.context.weights.counter_move)
    } else {
        TermWeight::NONE
    }
}

/// Term 7: the continuation, a quiet move that cut after the same own move before.
#[inline]
pub(in crate::search::interest) fn continuation(
    scorer: &Scorer<'_>,
    m: &MoveFeatures,
) -> TermWeight {
    if m.mv.to_bits() == scorer.context.suggested.continuation {
        TermWeight::both(scorer.context.weights.continuation)
    } else {
        TermWeight::NONE
    }
}

/// Term 9: captures by their victim.
#[inline]
pub(in crate::search::interest) fn capture(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    m.captured.map_or(TermWeight::NONE, |victim| scorer.context.weights.capture[victim.index()])
}

/// Term 9: captures of the piece that has just moved, in addition to the weight of the capture.
#[inline]
pub(in crate::search::interest) fn recapture(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if scorer.context.last_to == Some(m.to) {
        TermWeight::good(scorer.context.weights.recapture)
    } else {
        TermWeight::NONE
    }
}

/// Term 13: taking the piece that gives check.
#[inline]
pub(in crate::search::interest) fn capture_checker(
    scorer: &Scorer<'_>,
    m: &MoveFeatures,
) -> TermWeight {
    if scorer.checkers.contains(m.to) {
        TermWeight::both(scorer.context.weights.capture_checker)
    } else {
        TermWeight::NONE
    }
}

/// Term 10: checks, direct or discovered.
#[inline]
pub(in crate::search::interest) fn check(scorer: &Scorer<'_>, _: &MoveFeatures) -> TermWeight {
    scorer.context.weights.check
}

/// Term 10: checks by a side whose move before also gave check, in addition to the weight of the check.
#[inline]
pub(in crate::search::interest) fn further_check(
    scorer: &Scorer<'_>,
    _: &MoveFeatures,
) -> TermWeight {
    if scorer.context.checked_before {
        TermWeight::both(scorer.context.weights.further_check)
    } else {
        TermWeight::NONE
    }
}

/// Term 14: promotions, by the piece: pawn, bishop or rook, or another.
#[inline]
pub(in crate::search::interest) fn promotion(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if !m.mv.is_promotion() {
        return TermWeight::NONE;
    }
    scorer.context.weights.promotion[match m.before {
        PieceKind::Pawn => 0,
        PieceKind::Bishop | PieceKind::Rook => 1,
        _ => 2,
    }]
}

/// Term 12: the moved piece is under attack. It hangs or could be exchanged. With the weights of the paper every piece
/// but the king that is attacked counts as if it hung.
#[inline]
pub(in crate::search::interest) fn under_attack(
    scorer: &Scorer<'_>,
    m: &MoveFeatures,
) -> TermWeight {
    let weights = scorer.context.weights;
    match m.from {
        Some(from) if scorer.hanging.contains(from) => weights.hangs[m.before.index()],
        Some(from) if scorer.maps.them.all.contains(from) => {
            if weights.attacked_counts_as_hanging && m.before != PieceKind::King {
                return weights.hangs[m.before.index()];
            }
            TermWeight::good(weights.even_exchange)
        }
        _ => TermWeight::NONE,
    }
}

/// A term that is not in the paper: a piece moves to a square that is better by the evaluation.
#[inline]
pub(in crate::search::interest) fn development(
    scorer: &Scorer<'_>,
    m: &MoveFeatures,
) -> TermWeight {
    if scorer.moved_piece.better.contains(m.to) {
        scorer.context.weights.development
    } else {
        TermWeight::NONE
    }
}

/// A term that is not in the paper: drops, whatever they attack.
#[inline]
pub(in crate::search::interest) fn drops(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    TermWeight::good(scorer.context.weights.drops[usize::from(m.before != PieceKind::Pawn)])
}

/// Own pieces to which another own piece is tied: the king and pieces from gold on behind exactly one own piece on the
/// line of an enemy slider, and attacked pieces with a single defender.
#[inline]
pub(in crate::search::interest) fn targets(scorer: &Scorer<'_>) -> Bitboard {
    if scorer.context.weights.target[PieceKind::King.index()].is_none() {
        return Bitboard::EMPTY;
    }
    all_targets(scorer)
}

#[inline(never)]
fn all_targets(scorer: &Scorer<'_>) -> Bitboard {
    let own = scorer.position.of_color(scorer.us);
    let mut found = Bitboard::EMPTY;
    let kinds =
        [PieceKind::Lance, PieceKind::Bishop, PieceKind::Rook, PieceKind::Horse, PieceKind::Dragon];
    let sliders =
        kinds.iter().fold(Bitboard::EMPTY, |all, kind| all | scorer.position.of_kind(*kind));
    for slider in sliders & scorer.enemies {
        let Some(piece) = scorer.position.piece_on(slider) else { continue };
        let reach = |occupied| attacks(piece.kind(), piece.color(), slider, occupied);
        let seen = reach(scorer.occupied);
        for blocker in seen & own & !scorer.kings() {
            found |= reach(scorer.occupied.without(blocker)) & !seen & own & dear(scorer);
        }
    }
    for square in own & scorer.maps.them.all & !scorer.kings() {
        let defenders = scorer.position.attackers_of(scorer.us, square, scorer.occupied);
        if defenders.count() == 1 {
            found = found.with(square);
        }
    }
    found
}

/// Term 16: a piece behind a pin, or an attacked piece with a single defender, moves.
#[inline]
pub(in crate::search::interest) fn target(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    match m.from {
        Some(from) if scorer.targets.contains(from) => {
            scorer.context.weights.target[m.before.index()]
        }
        _ => TermWeight::NONE,
    }
}

/// Own pieces of the highest class, and the king.
fn dear(scorer: &Scorer<'_>) -> Bitboard {
    scorer.maps.us.pieces[3] | scorer.kings()
}
