//! The pieces that a proof needs in the attacker's hand.
//!
//! A mate proven with a hand is also a mate with every larger hand on the same board, since the additional pieces are
//! then missing in the defender's hand. A proof is therefore stored with the smallest hand that it needs (the proof
//! pieces of Nagai's *df-pn*). A failure is valid with every smaller hand.

use kyomi_shogi::{Bitboard, Hand, Move, PieceKind, Position, attacks, between};

/// The larger count of each kind.
pub(super) fn union(one: Hand, other: Hand) -> Hand {
    if one.contains(other) {
        return one;
    }
    PieceKind::HAND.into_iter().fold(one, |sum, kind| {
        if other.count(kind) > sum.count(kind) { sum.with(kind, other.count(kind)) } else { sum }
    })
}

/// The hand that the attacker needs before a move, given the hand needed after it. A dropped piece is needed in
/// addition; a captured piece is not.
pub(super) fn before(after: Hand, mv: Move, captured: Option<PieceKind>) -> Hand {
    if let Some(kind) = mv.dropped() {
        return after.with(kind, after.count(kind) + 1);
    }
    match captured.map(PieceKind::unpromoted) {
        Some(kind) => after.with(kind, after.count(kind).saturating_sub(1)),
        None => after,
    }
}

/// The pieces that the attacker must keep, so that the side to move, which is in check, cannot interpose further kinds
/// of pieces: all pieces of every kind that it lacks. Empty if no interposition is possible.
pub(super) fn withheld(position: &Position) -> Hand {
    let defender = position.side_to_move();
    let (Some(king), Some(checker)) = (position.king_square(defender), position.checkers().first())
    else {
        return Hand::EMPTY;
    };
    let beside = attacks(PieceKind::King, defender, king, Bitboard::EMPTY).contains(checker);
    if beside || position.checkers().count() != 1 || !between(king, checker).any() {
        return Hand::EMPTY;
    }
    let (own, theirs) = (position.hand(defender), position.hand(!defender));
    PieceKind::HAND
        .into_iter()
        .filter(|&kind| !own.has(kind))
        .fold(Hand::EMPTY, |hand, kind| hand.with(kind, theirs.count(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi::parse_move;

    fn hand(pieces: &[(PieceKind, u8)]) -> Hand {
        pieces.iter().fold(Hand::EMPTY, |hand, &(kind, count)| hand.with(kind, count))
    }

    #[test]
    fn a_union_has_the_more_of_each() {
        let one = hand(&[(PieceKind::Pawn, 2), (PieceKind::Gold, 1)]);
        let other = hand(&[(PieceKind::Pawn, 1), (PieceKind::Rook, 1)]);
        let both = hand(&[(PieceKind::Pawn, 2), (PieceKind::Gold, 1), (PieceKind::Rook, 1)]);
        assert_eq!(union(one, other), both);
        assert_eq!(union(other, one), both);
        assert_eq!(union(both, one), both);
    }

    #[test]
    fn drops_are_needed_and_captures_bring() {
        let drop = parse_move("G*5b").unwrap();
        let step = parse_move("5c5b").unwrap();
        let gold = hand(&[(PieceKind::Gold, 1)]);
        assert_eq!(before(Hand::EMPTY, drop, None), gold);
        assert_eq!(before(gold, step, Some(PieceKind::Gold)), Hand::EMPTY);
        assert_eq!(before(gold, step, Some(PieceKind::ProPawn)), gold);
        assert_eq!(before(gold, step, None), gold);
    }

    #[test]
    fn only_a_check_from_afar_withholds() {
        // The rook on 5i checks from a distance; white has a pawn but no gold and no silver.
        let far = Position::from_sfen("4k4/9/9/9/9/9/9/9/4R3K w 2G2Sp 1").unwrap();
        assert_eq!(withheld(&far), hand(&[(PieceKind::Gold, 2), (PieceKind::Silver, 2)]));
        let near = Position::from_sfen("4k4/4R4/9/9/9/9/9/9/8K w 2G2Sp 1").unwrap();
        assert_eq!(withheld(&near), Hand::EMPTY);
    }
}
