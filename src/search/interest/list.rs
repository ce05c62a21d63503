//! All moves of a node with their interest.

use super::eye::{Eye, Surroundings};
use super::scored::Scored;
use super::terms;
use crate::search::{
    attack_maps::AttackMaps,
    plausible::{Question, Rules, Verdicts},
};
use crate::shogi::{Bitboard, Move, MoveList, PieceKind, Position};

/// All legal moves of a node with their interest. Kept and filled anew, so that nothing is allocated on the way.
#[derive(Debug, Default)]
pub(in crate::search) struct InterestList {
    pub(in crate::search) moves: Vec<Scored>,
    /// Set aside by a rule: searched only if everything else loses by force.
    pub(in crate::search) reserve: Vec<Move>,
    /// How many legal moves there are.
    pub(in crate::search) count: usize,
    /// The sum over all moves, fixed once the list is made.
    pub(in crate::search) sum: i64,
    /// The interest of a hash move at this node.
    pub(in crate::search) hash_interest: i32,
}

impl InterestList {
    /// Becomes the list of a position. The hash move is in it, first in interest.
    pub(in crate::search) fn fill(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        around: &Surroundings<'_>,
    ) {
        let weights = around.weights;
        let moves = position.legal_moves();
        let in_check = position.in_check();
        let set_aside = !in_check && !around.whole;
        let mut eye = Eye::new(position, maps, around, moves.len());
        let list = self;
        list.moves.clear();
        list.reserve.clear();
        list.count = moves.len();
        list.sum = 0;
        // The best of the moves that are not the hash move, and the best quiet one of them.
        let (mut best, mut best_quiet) = (0, terms::BestQuiet::default());
        let mut hash_at = usize::MAX;
        let judged = around.plausible.map(|rules| (rules, judge(position, around, &rules, &moves)));
        for (at, &mv) in moves.iter().enumerate() {
            if set_aside && Some(mv) != around.hash && is_needless(position, mv) {
                list.reserve.push(mv);
                continue;
            }
            let verdict = judged.as_ref().and_then(|(rules, all)| Some((rules, all.get(at)?)));
            if verdict.is_some_and(|(_, verdict)| !verdict.stays) {
                // It counts as the dullest of moves.
                list.sum += i64::from(terms::even(weights, list.count).good);
                list.reserve.push(mv);
                continue;
            }
            let mut scored = eye.score(mv);
            if let Some((rules, verdict)) = verdict {
                scored.judge(rules, verdict);
            }
            list.sum += i64::from(scored.interest);
            if Some(mv) == around.hash {
                hash_at = list.moves.len();
            } else {
                best = best.max(scored.interest);
                best_quiet.see(&scored, list.moves.len());
            }
            list.moves.push(scored);
        }
        // It stays with its first holder when exchange values come to light.
        if let Some(scored) = best_quiet.place().and_then(|at| list.moves.get_mut(at)) {
            scored.add(weights.best_quiet);
            list.sum += i64::from(weights.best_quiet);
            best = best.max(scored.interest);
        }
        let hash = list.moves.get_mut(hash_at);
        let own = hash.as_ref().map(|scored| scored.interest);
        list.hash_interest = terms::hash_move(weights, best, own);
        if let Some(scored) = hash {
            list.sum += i64::from(list.hash_interest - scored.interest);
            scored.interest = list.hash_interest;
            scored.bad = list.hash_interest;
        }
        if in_check {
            // Added after the division by the sum, which stays as it is.
            let bonus = terms::evasion(weights, list.sum, list.moves.len());
            for scored in &mut list.moves {
                scored.add(bonus);
            }
        }
    }
}

/// Which moves are plausible, and how much.
pub(super) fn judge(
    position: &Position,
    around: &Surroundings<'_>,
    rules: &Rules,
    moves: &MoveList,
) -> Verdicts {
    let hash = around.hash.map_or(0, Move::to_bits);
    let suggested = around.suggested;
    let [first, second] = suggested.killers;
    let exempt = [hash, first, second, suggested.reply, suggested.follow_on];
    rules.judge(&Question { position, moves, last_to: around.last_to, exempt })
}

/// A move that promoting always beats but for drop-pawn mates: pawn, bishop or rook not promoting, a lance on the
/// second rank.
pub(in crate::search) fn is_needless(position: &Position, mv: Move) -> bool {
    let (Some(from), false) = (mv.from(), mv.is_promotion()) else { return false };
    let Some(piece) = position.piece_on(from) else { return false };
    let camp = Bitboard::camp_against(piece.color());
    if !camp.contains(from) && !camp.contains(mv.to()) {
        return false;
    }
    match piece.kind() {
        PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook => true,
        PieceKind::Lance => mv.to().rank_for(piece.color()) == 2,
        _ => false,
    }
}
