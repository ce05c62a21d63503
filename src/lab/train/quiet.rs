//! Whether a position is quiet by the evaluation that is compiled in.

use crate::{
    eval::{Evaluator, Fitted},
    search,
    shogi::{Move, MoveList, PieceKind, Position},
};

/// Whether captures and promotions win the side to move more than `within` centipawns over standing still. In check
/// nothing is quiet.
pub(super) fn is_quiet_within(position: &Position, evaluator: &mut Fitted, within: i32) -> bool {
    if position.in_check() {
        return false;
    }
    evaluator.reset(position);
    let bound = evaluator.value(position) + within;
    quiescence(&mut position.clone(), evaluator, bound, bound + 1, 0) <= bound
}

/// The value when only captures and promotions that do not lose by exchange are made, and evasions of check.
fn quiescence(
    position: &mut Position,
    evaluator: &mut Fitted,
    mut alpha: i32,
    beta: i32,
    depth: usize,
) -> i32 {
    let in_check = position.in_check();
    let stands = !in_check || depth >= DEEPEST;
    let mut best = if stands { evaluator.value(position) } else { MATED };
    if best >= beta || depth >= DEEPEST {
        return best;
    }
    alpha = alpha.max(best);
    for mv in moves(position, in_check) {
        evaluator.push(position, mv);
        let undo = position.do_move(mv);
        let value = -quiescence(position, evaluator, -beta, -alpha, depth + 1);
        position.undo_move(mv, undo);
        evaluator.pop();
        best = best.max(value);
        alpha = alpha.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

/// The moves to look at, those that gain most first.
fn moves(position: &Position, in_check: bool) -> Vec<Move> {
    let mut list = MoveList::new();
    if in_check {
        position.evasions(&mut list);
        return list.iter().copied().collect();
    }
    position.captures_and_promotions(&mut list);
    let gains = |mv: Move| {
        let promotes = || {
            let mover = mv.from().and_then(|from| position.piece_on(from));
            mv.is_promotion()
                && mover.is_some_and(|piece| {
                    matches!(piece.kind(), PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook)
                })
        };
        let wanted = position.piece_on(mv.to()).is_some() || promotes();
        let gain = if wanted { search::see(position, mv) } else { -1 };
        (gain >= 0).then_some((gain, mv))
    };
    let mut ordered: Vec<(i32, Move)> = list.iter().copied().filter_map(gains).collect();
    ordered.sort_unstable_by_key(|&(gain, mv)| (-gain, mv.to_bits()));
    ordered.into_iter().map(|(_, mv)| mv).collect()
}

/// Deeper down the evaluation stands.
const DEEPEST: usize = 8;
/// Below every evaluation.
const MATED: i32 = -32_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_won_is_not_quiet() {
        let mut evaluator = Fitted::default();
        let mut quiet =
            |sfen: &str| is_quiet_within(&Position::from_sfen(sfen).unwrap(), &mut evaluator, 60);
        assert!(quiet(&Position::startpos().to_sfen()));
        // A bishop that can be taken for nothing, and the same guarded: the rook is worth more.
        assert!(!quiet("4k4/9/9/9/4b4/9/9/9/4R2K1 b - 1"));
        assert!(quiet("4k4/9/9/4s4/4b4/9/9/9/4R2K1 b - 1"));
        assert!(!quiet("4k4/9/9/9/9/9/9/9/r7K b - 1"), "in check");
    }
}
