//! Quiescence search: a position is evaluated after the captures, promotions and checks that change its value
//! (docs/search.md, section 1.10).
//!
//! [`Quiescence`] runs it outside a search, to test whether a position is quiet.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::MAX_PLY;
use super::kind::{Play, SearchKind};
use super::node_counts::NodeEnd;
use super::parameters::Parameters;
use super::promotion::is_needless_non_promotion;
use super::see;
use super::table::{NewEntry, StoredBudgets, TableHit, TranspositionTable};
use super::value::{INFINITE, MATE, Value, is_lost, mated_in};
use super::window::{Window, bound_of};
use super::worker::Worker;
use crate::eval::{Evaluation, capture_value};
use kyomi_shogi::{CountStart, Game, MAX_MOVES, Move, MoveList, Piece, PieceKind, Position};

/// Moves of quiescence, each with the number that orders them: the largest is searched first.
type Ordered = ArrayVec<(i32, Move), MAX_MOVES>;

/// The ply of quiescence from which evasions are no longer searched and the evaluation is returned.
const DEEPEST_EVASIONS: usize = 8;
/// The least budget at which checks are searched in the first ply.
const CHECKS_FROM: i32 = -100;

impl<K: SearchKind> Worker<K> {
    /// The score of a position when only forcing moves are made. `qply` is the number of plies of quiescence so far,
    /// `budget` the budget of the side to move when quiescence was entered.
    pub(crate) fn quiescence(
        &mut self,
        window: Window,
        ply: usize,
        qply: usize,
        budget: i32,
    ) -> Value {
        self.line.frames[ply].pv.clear();
        if self.check_stop() {
            return Value::of_position(0);
        }
        self.control.seldepth = self.control.seldepth.max(ply);
        let found = self.probe_table_in_quiescence(ply);
        self.quiescence_after_probe(found, window, ply, qply, budget)
    }

    /// The same, with the result of the table probe.
    pub(super) fn quiescence_after_probe(
        &mut self,
        found: Option<TableHit>,
        window: Window,
        ply: usize,
        qply: usize,
        budget: i32,
    ) -> Value {
        self.count_in_quiescence(ply, qply);
        if let Some(found) = found
            && !window.is_pv()
            && found.cuts(StoredBudgets::NOTHING, window.alpha, window.beta, 0)
        {
            self.count_end_in_quiescence(NodeEnd::Table);
            return Value::of_position(found.score);
        }
        let in_check = self.line.position.in_check();
        if ply >= MAX_PLY {
            self.count_end_in_quiescence(NodeEnd::Rules);
            return Value::of_position(self.evaluate());
        }
        let hash = found.and_then(|found| found.mv).map(|mv| self.form_to_search(mv));
        let must_evade = in_check && qply < DEEPEST_EVASIONS;
        let (eval, mut best) = if must_evade {
            (None, -INFINITE)
        } else {
            let eval = self.static_eval(found);
            (Some(eval), stand_pat(eval, found).max(-crate::eval::MAX))
        };
        if best >= window.beta {
            self.count_end_in_quiescence(NodeEnd::Static);
            return Value::of_position(best);
        }
        let mut alpha = window.alpha.max(best);
        let mut best_move = None;
        let (mut moves, mut searched) = (Ordered::new(), 0);
        if must_evade {
            self.list_evasions(hash, &mut moves);
            if moves.is_empty() {
                self.count_end_in_quiescence(NodeEnd::Rules);
                return Value::of_position(mated_in(ply));
            }
        } else if in_check {
            self.count_end_in_quiescence(NodeEnd::Rules);
            return Value::of_position(best);
        } else {
            let checks = qply == 0 && budget >= CHECKS_FROM;
            self.list_forcing(hash, checks, &mut moves);
        }
        // A capture is skipped if evaluation, gain and this margin do not exceed alpha.
        let delta = self.settings.parameters.quiescence_delta;
        while let Some((order, mv)) = take_best(&mut moves) {
            if order == NEEDLESS_NON_PROMOTION && !is_lost(best) {
                break;
            }
            if let Some(eval) = eval {
                // Evaluations are never in the range of mates, so this never hides a mate.
                let reach = eval + see::gain(&self.line.position, mv) + delta;
                if reach <= alpha && !self.line.position.is_quiet(mv) {
                    best = best.max(reach);
                    continue;
                }
                // The exchange value takes about as long as the memory.
                self.prefetch_after(mv);
                if !see::is_good(&self.line.position, mv) {
                    continue;
                }
            } else {
                self.prefetch_after(mv);
            }
            let undo = self.make_in_quiescence(ply, mv);
            let below = window.with_alpha(alpha).negated();
            searched += 1;
            let value = -self.quiescence(below, ply + 1, qply + 1, budget);
            self.line.unmake_in_quiescence(mv, undo);
            if self.control.aborted {
                return Value::of_position(0);
            }
            if value.score > best {
                best = value.score;
                if value.score > alpha {
                    alpha = value.score;
                    best_move = Some(mv);
                    if window.is_pv() {
                        self.line.set_pv(ply, mv);
                    }
                }
                if value.score >= window.beta {
                    break;
                }
            }
        }
        let bounds = (window.alpha, window.beta);
        self.count_end_in_quiescence(NodeEnd::of_moves(searched, best, bounds));
        let store = NewEntry {
            mv: best_move.or_else(|| hash.filter(|&mv| self.line.position.is_legal(mv))),
            score: best,
            eval,
            bound: bound_of(best, window),
            budgets: StoredBudgets::NOTHING,
            cost: self.settings.costs.min,
            pv: window.is_pv(),
            path_dependent: false,
        };
        self.store_in_table_in_quiescence(ply, store);
        Value::of_position(best)
    }

    /// Lists all legal moves in check: captures by their gain, then other moves on the board, then drops. Needless
    /// moves come last.
    fn list_evasions(&self, hash: Option<Move>, moves: &mut Ordered) {
        let mut list = MoveList::new();
        self.line.position.evasions(&mut list);
        for &mv in &list {
            let order = if is_needless_non_promotion(&self.line.position, mv) {
                NEEDLESS_NON_PROMOTION
            } else if Some(mv) == hash {
                FIRST
            } else if self.line.position.is_capture(mv) {
                10_000 + self.capture_order(mv)
            } else if mv.from().is_some() {
                1000 + self.knowledge.history.quiet(self.line.position.side_to_move(), mv) / 32
            } else {
                self.knowledge.history.quiet(self.line.position.side_to_move(), mv) / 32
            };
            moves.push((order, mv));
        }
    }

    /// Lists captures, promotions of pawns, bishops and rooks, and quiet checks if `checks` is set.
    fn list_forcing(&self, hash: Option<Move>, checks: bool, moves: &mut Ordered) {
        let mut list = MoveList::new();
        self.line.position.captures_and_promotions(&mut list);
        for &mv in &list {
            if is_needless_non_promotion(&self.line.position, mv) {
                continue;
            }
            if !self.line.position.is_capture(mv) && !self.promotes_much(mv) {
                continue;
            }
            let order = if Some(mv) == hash { FIRST } else { 10_000 + self.capture_order(mv) };
            moves.push((order, mv));
        }
        if checks {
            list.clear();
            self.line.position.checks(&mut list);
            for &mv in &list {
                if self.line.position.is_quiet(mv)
                    && !is_needless_non_promotion(&self.line.position, mv)
                {
                    let order = if Some(mv) == hash { FIRST } else { 0 };
                    moves.push((order, mv));
                }
            }
        }
    }

    fn promotes_much(&self, mv: Move) -> bool {
        let kind = mv.from().and_then(|from| self.line.position.piece_on(from)).map(Piece::kind);
        mv.is_promotion()
            && matches!(kind, Some(PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook))
    }

    /// Orders captures by the most valuable victim, then by the least valuable capturing piece.
    fn capture_order(&self, mv: Move) -> i32 {
        let taker = mv.from().and_then(|from| self.line.position.piece_on(from));
        see::gain(&self.line.position, mv)
            - taker.map_or(0, |piece| capture_value(piece.kind()).min(2000)) / 16
    }
}

/// Quiescence search of single positions, independent of each other.
pub struct Quiescence(Worker<Play>);

impl Default for Quiescence {
    fn default() -> Self {
        Self::with_evaluation(&Evaluation::builtin())
    }
}

impl std::fmt::Debug for Quiescence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Quiescence").finish_non_exhaustive()
    }
}

impl Quiescence {
    /// Evaluates with this evaluation.
    pub fn with_evaluation(evaluation: &Evaluation) -> Self {
        let table = Arc::new(TranspositionTable::new(1 << 12, 1));
        Self(Worker::with_evaluation(0, table, Arc::default(), &Parameters::interest(), evaluation))
    }

    /// Whether captures, promotions and checks win the side to move at most `within` centipawns over its static
    /// evaluation. A position in check is never quiet. The result does not depend on earlier calls.
    pub fn is_quiet(&mut self, position: &Position, within: i32) -> bool {
        if position.in_check() {
            return false;
        }
        self.0.table.clear();
        self.0.line.set_position(position);
        let bound = self.0.evaluate() + within;
        self.0.quiescence(Window::null(bound), 0, 0, 0).score <= bound
    }

    /// The score of a position for the side to move when only captures, promotions and evasions follow, and the moves
    /// that lead to it. The result does not depend on earlier calls.
    pub fn line(&mut self, position: &Position) -> (i32, Vec<Move>) {
        self.0.table.clear();
        self.0.line.set_position(position);
        let score = self.0.quiescence(Window::full(), 0, 0, CHECKS_FROM - 1).score;
        (score, self.0.line.frames[0].pv.to_vec())
    }
}

/// The legal move with the best value after the captures that follow it, where no search has found one. It takes some
/// milliseconds. `None` without a legal move.
pub fn quick_move(game: &Game) -> Option<Move> {
    let mut quiescence = Quiescence::default();
    let mut best = None;
    for &mv in &game.position().legal_moves() {
        let mut after = game.clone();
        if after.push(mv).is_err() {
            continue;
        }
        let value = if !after.position().has_legal_move() {
            MATE
        } else if after.repetition_count(CountStart::Yes) > 1 {
            REPETITION_SCORE
        } else {
            quiescence.0.table.clear();
            quiescence.0.line.set_position(after.position());
            -quiescence.0.quiescence(Window::full(), 0, 0, 0).score
        };
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, mv));
        }
    }
    best.map(|(_, mv)| mv)
}

/// The score of a position that occurred before. It is low, because the same replies lead to the fourth occurrence.
const REPETITION_SCORE: i32 = -100;
const FIRST: i32 = 1_000_000;
/// The order of moves that are searched only if all other evasions lose by force.
const NEEDLESS_NON_PROMOTION: i32 = i32::MIN;

/// The evaluation, improved by the score in the table.
fn stand_pat(eval: i32, found: Option<TableHit>) -> i32 {
    match found {
        Some(found) if !found.path_dependent => found.improve(eval),
        _ => eval,
    }
}

/// Takes the move of highest order. Of equal moves it takes the one with the smallest code.
fn take_best(moves: &mut Ordered) -> Option<(i32, Move)> {
    let best = (0..moves.len()).max_by_key(|&at| {
        let (order, mv) = moves[at];
        (order, u16::MAX - mv.to_bits())
    })?;
    Some(moves.swap_remove(best))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_with_a_winning_capture_is_not_quiet() {
        let mut quiescence = Quiescence::default();
        let mut quiet = |sfen: &str| quiescence.is_quiet(&Position::from_sfen(sfen).unwrap(), 60);
        for _ in 0..2 {
            assert!(quiet(&Position::startpos().to_sfen()));
            // A bishop that can be captured for nothing, and a guarded one, which a rook attacks.
            assert!(!quiet("4k4/9/9/9/4b4/9/9/9/4R2K1 b - 1"));
            assert!(quiet("4k4/9/9/4s4/4b4/9/9/9/4R2K1 b - 1"));
            assert!(!quiet("4k4/9/9/9/9/9/9/9/r7K b - 1"), "in check");
        }
    }

    #[test]
    fn a_line_ends_where_nothing_is_won() {
        let mut quiescence = Quiescence::default();
        // White takes the rook, nothing takes back. A check alone is no reason to move.
        let taken = Position::from_sfen("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1").unwrap();
        let (score, line) = quiescence.line(&taken);
        assert_eq!(line.iter().map(ToString::to_string).collect::<Vec<_>>(), ["5f5e"]);
        assert!(score > 500, "{score}");
        let (_, line) =
            quiescence.line(&Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R 1").unwrap());
        assert_eq!(line, []);
    }

    #[test]
    fn a_quick_move_captures_undefended_pieces_and_mates() {
        let quick = |sfen: &str| {
            let game = Game::new(Position::from_sfen(sfen).unwrap());
            quick_move(&game).map(|mv| mv.to_string())
        };
        // A rook that nobody guards.
        assert_eq!(quick("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1").as_deref(), Some("5f5e"));
        // Gold in front of the king, guarded by a pawn.
        assert_eq!(quick("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").as_deref(), Some("G*5b"));
        // Mated.
        assert_eq!(quick("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), None);
    }
}
