//! The two forms of a move that can promote: with promotion and without.
//!
//! A promoted pawn, bishop or rook attacks every square that it attacks unpromoted. So does a promoted lance on the
//! second rank. Not promoting these pieces is better only where a pawn drop would be mate. Either the attacker leaves a
//! square open so that its own pawn drop is no mate, or the defender covers one square less so that the other side's
//! drop would be mate and is illegal. An unpromoted move of such a piece is called *needless*: it is searched after all
//! others, and chosen only if it changes which side mates. Other pieces can be better unpromoted. Their promoted form
//! is preferred if both forms have the same value.

use super::value::is_mate;
use kyomi_shogi::{Bitboard, Move, Piece, PieceKind, Position, Square};

/// The same move with promotion, if the piece could promote with this one. It is legal if the move is.
pub(crate) fn promoted_form(position: &Position, mv: Move) -> Option<Move> {
    let from = mv.from().filter(|_| !mv.is_promotion())?;
    let piece = position.piece_on(from)?;
    piece.kind().promoted()?;
    let camp = Bitboard::camp_against(piece.color());
    (camp.contains(from) || camp.contains(mv.to())).then(|| Move::normal(from, mv.to(), true))
}

/// Whether a legal move is needless: a pawn, bishop or rook that could promote and does not, or a lance on the second
/// rank.
pub(crate) fn is_needless_non_promotion(position: &Position, mv: Move) -> bool {
    let (Some(from), false) = (mv.from(), mv.is_promotion()) else { return false };
    position
        .piece_on(from)
        .is_some_and(|piece| needless_non_promotions(piece, from).contains(mv.to()))
}

/// The targets at which moves of a piece without promotion are needless.
#[inline]
pub(super) fn needless_non_promotions(piece: Piece, from: Square) -> Bitboard {
    let color = piece.color();
    match piece.kind() {
        PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook => {
            let camp = Bitboard::camp_against(color);
            if camp.contains(from) { Bitboard::ALL } else { camp }
        }
        PieceKind::Lance => Bitboard::far_ranks(color, 2) & !Bitboard::far_ranks(color, 1),
        _ => Bitboard::EMPTY,
    }
}

/// The move, or its promoted form where it is needless.
pub(crate) fn promoted_if_needless(position: &Position, mv: Move) -> Move {
    if !is_needless_non_promotion(position, mv) {
        return mv;
    }
    promoted_form(position, mv).unwrap_or(mv)
}

/// Whether a needless non-promotion is better than its promoted form, given the scores of both for the side to move: it
/// mates where the promoted form does not, or is not mated where the promoted form is.
pub(crate) fn changes_who_mates(needless: i32, promoted: i32) -> bool {
    let mates = |score: i32| is_mate(score) && score > 0;
    let is_mated = |score: i32| is_mate(score) && score < 0;
    mates(needless) && !mates(promoted) || is_mated(promoted) && !is_mated(needless)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn promoted_forms_are_legal_and_needless_moves_have_one() {
        let mut forms = 0;
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::startpos();
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    let form = promoted_form(&position, mv);
                    assert!(form.is_none_or(|form| position.is_legal(form)), "{mv} {position:?}");
                    assert!(
                        form.is_some() || !is_needless_non_promotion(&position, mv),
                        "{mv} {position:?}"
                    );
                    // The generator lists each promotion that is legal.
                    let twin = moves.iter().find(|other| {
                        other.is_promotion() && other.from() == mv.from() && other.to() == mv.to()
                    });
                    assert_eq!(form, twin.copied().filter(|_| !mv.is_promotion()));
                    forms += usize::from(form.is_some());
                }
                position.do_move(moves[random.usize(..moves.len())]);
            }
        }
        assert!(forms > 1000, "{forms}");
    }

    #[test]
    fn silvers_knights_and_lances_on_the_third_rank_may_stay_as_they_are() {
        let position = Position::from_sfen("4k4/9/9/LSNP4R/9/9/9/9/B3K4 b - 1").unwrap();
        let is_needless_non_promotion =
            |mv: &str| is_needless_non_promotion(&position, parse_move(mv).unwrap());
        assert!(is_needless_non_promotion("9d9b") && is_needless_non_promotion("6d6c"));
        assert!(is_needless_non_promotion("1d1c") && is_needless_non_promotion("9i3c"));
        assert!(
            !is_needless_non_promotion("9d9c")
                && !is_needless_non_promotion("8d8c")
                && !is_needless_non_promotion("7d8b")
        );
        assert!(!is_needless_non_promotion("1d1e") && !is_needless_non_promotion("6d6c+"));
    }

    #[test]
    fn a_needless_non_promotion_is_better_only_by_a_mate() {
        let (mate, mated) = (crate::search::value::mates_in(5), crate::search::value::mated_in(4));
        assert!(changes_who_mates(mate, 3000) && changes_who_mates(-3000, mated));
        assert!(!changes_who_mates(mate, mate) && !changes_who_mates(mated, mated));
        assert!(!changes_who_mates(900, 100) && !changes_who_mates(mated, 100));
    }
}
