//! Quiescence of the search by plies: captures, promotions of pawns and evasions, as far as they can matter.

use super::checks::Checks;
use super::picker::{Orders, Picker, is_tactical};
use crate::search::ply_knowledge::{CorrectionPlaces, PerPlace, Place, pawn_key};
use crate::search::{
    MAX_PLY,
    kind::SearchKind,
    mate_in_one::find_mate_in_one,
    node_counts::NodeEnd,
    see,
    table::{EntryBound, NewEntry, StoredBudgets},
    value::{INFINITE, Value, is_judged, is_lost, mated_in, mates_in},
    window::Window,
    worker::Worker,
};
use kyomi_shogi::{Move, Square};

/// The number of plies of quiescence after which a position is evaluated even in check.
const DEEPEST: usize = 12;
/// A capture is left out if it does not reach alpha from the evaluation by its gain and this, in centipawns.
const MARGIN: i32 = 200;
/// The number of moves after which captures that do not take back are left out.
const MOST_CAPTURES: i32 = 2;
/// What a move may lose by exchange, in capture values.
const MOST_LOSS: i32 = 75;

/// What decides whether a move of quiescence is searched.
#[derive(Clone, Copy)]
struct Bounds {
    alpha: i32,
    /// The evaluation and the margin of captures.
    futile: i32,
    in_check: bool,
    /// The place of the move in the order, from 1.
    number: i32,
}

/// Whether a move can matter.
enum Chance {
    Some,
    /// It reaches no more than this, which is at most alpha.
    AtMost(i32),
    None,
}

impl<K: SearchKind> Worker<K> {
    /// Whether a move of quiescence can matter.
    fn chance(
        &self,
        mv: Move,
        bounds: Bounds,
        last_to: Option<Square>,
        orders: &Orders<'_>,
    ) -> Chance {
        let position = &self.line.position;
        let Bounds { alpha, futile, in_check, number } = bounds;
        if !in_check && Some(mv.to()) != last_to && !orders.checks.given_by(position, mv) {
            if number > MOST_CAPTURES {
                return Chance::None;
            }
            let reach = futile + see::gain(position, mv);
            if reach <= alpha {
                return Chance::AtMost(reach);
            }
            if futile <= alpha && !see::is_at_least(position, mv, 1) {
                return Chance::AtMost(futile);
            }
        }
        if in_check && !is_tactical(position, mv) {
            let at = Place::of(position, mv).index();
            let of = |table: &PerPlace| i32::from(table[at]);
            let history = of(orders.learned.after(orders.before[0]))
                + of(orders.learned.by_pawns(orders.pawns));
            if history < self.settings.parameters.plies_evasions {
                return Chance::None;
            }
        }
        if see::is_at_least(position, mv, -MOST_LOSS) { Chance::Some } else { Chance::None }
    }

    /// The value of a position when only forcing moves are made. `depth` is the number of plies of quiescence so far.
    pub(super) fn quiescence_by_plies(
        &mut self,
        window: Window,
        ply: usize,
        depth: usize,
    ) -> Value {
        self.line.frames[ply].pv.clear();
        if self.check_stop() {
            return Value::of_position(0);
        }
        self.count_in_quiescence(ply, depth);
        self.control.seldepth = self.control.seldepth.max(ply);
        let found = self.probe_table_in_quiescence(ply);
        if let Some(found) = found
            && !window.is_pv()
            && found.cuts(StoredBudgets::NOTHING, window.alpha, window.beta, 0)
        {
            self.count_end_in_quiescence(NodeEnd::Table);
            return Value::of_position(found.score);
        }
        let in_check = self.line.position.in_check();
        if ply >= MAX_PLY || in_check && depth >= DEEPEST {
            self.count_end_in_quiescence(NodeEnd::Rules);
            return Value::of_position(self.evaluate());
        }
        self.note_last_place(ply);
        let before = self.knowledge.plies.before(ply);
        let pawns = pawn_key(&self.line.position);
        let (mut raw_eval, mut best, mut futile) = (None, -INFINITE, -INFINITE);
        if !in_check {
            let raw = self.static_eval(found);
            let places = CorrectionPlaces::of(&self.line.position, pawns, before);
            let most = crate::eval::MAX;
            let eval = raw + self.knowledge.plies.learned.correction(&places);
            let eval = eval.clamp(-most, most);
            (raw_eval, futile) = (Some(raw), eval + MARGIN);
            best = match found {
                Some(found) if !found.path_dependent => found.improve(eval),
                _ => eval,
            };
            if best >= window.beta {
                self.count_end_in_quiescence(NodeEnd::Static);
                if is_judged(best) {
                    best = i32::midpoint(best, window.beta);
                }
                if found.is_none() {
                    self.store_quiescence(ply, None, best, raw_eval, (EntryBound::Lower, false));
                }
                return Value::of_position(best);
            }
        }
        if !in_check
            && self.may_have_mate_in_one(found)
            && let Some(mv) = find_mate_in_one(&mut self.line.position)
        {
            self.count_end_in_quiescence(NodeEnd::MateInOne);
            self.line.frames[ply + 1].pv.clear();
            self.line.set_pv(ply, mv);
            return Value::of_position(mates_in(ply + 1));
        }
        let mut alpha = window.alpha.max(best);
        let hash = found
            .and_then(|found| found.mv)
            .map(|mv| self.form_to_search(mv))
            .filter(|&mv| self.line.position.is_legal(mv))
            .filter(|&mv| in_check || is_tactical(&self.line.position, mv));
        let mut picker =
            if in_check { Picker::new(hash, true) } else { Picker::winning(hash, -INFINITE) };
        // No move out of check is judged by the check it gives.
        let checks = if in_check { Checks::UNKNOWN } else { Checks::of(&self.line.position) };
        let last_to = self.line.earlier_move(ply, 1).map(Move::to);
        let (mut best_move, mut number) = (None, 0);
        loop {
            let learned = &self.knowledge.plies.learned;
            let (checks, priors, prior_weight) = (&checks, None, 0);
            let orders = Orders { learned, checks, before, pawns, ply, priors, prior_weight };
            let next = picker.next(&self.line.position, &orders);
            let needless = || picker.needless.pop().filter(|_| in_check && is_lost(best));
            let Some(mv) = next.map(|picked| picked.mv).or_else(needless) else { break };
            number += 1;
            if !is_lost(best) {
                let bounds = Bounds { alpha, futile, in_check, number };
                match self.chance(mv, bounds, last_to, &orders) {
                    Chance::Some => (),
                    Chance::AtMost(reach) => {
                        best = best.max(reach);
                        continue;
                    }
                    Chance::None => continue,
                }
            }
            self.prefetch_after(mv);
            let undo = self.make_in_quiescence(ply, mv);
            let below = window.with_alpha(alpha).negated();
            let value = -self.quiescence_by_plies(below, ply + 1, depth + 1);
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
                    if value.score >= window.beta {
                        break;
                    }
                }
            }
        }
        if in_check && number == 0 {
            self.count_end_in_quiescence(NodeEnd::Rules);
            return Value::of_position(mated_in(ply));
        }
        let bounds = (window.alpha, window.beta);
        self.count_end_in_quiescence(NodeEnd::of_moves(number as usize, best, bounds));
        if best >= window.beta && is_judged(best) {
            best = i32::midpoint(best, window.beta);
        }
        let bound = if best >= window.beta { EntryBound::Lower } else { EntryBound::Upper };
        let pv = window.is_pv() || found.is_some_and(|found| found.pv);
        self.store_quiescence(ply, best_move.or(hash), best, raw_eval, (bound, pv));
        Value::of_position(best)
    }

    /// Stores a position of quiescence with its bound, and whether it is or was on the principal variation.
    fn store_quiescence(
        &mut self,
        ply: usize,
        mv: Option<Move>,
        score: i32,
        eval: Option<i32>,
        (bound, pv): (EntryBound, bool),
    ) {
        let (budgets, cost) = (StoredBudgets::NOTHING, self.settings.costs.min);
        let path_dependent = false;
        let store = NewEntry { mv, score, eval, bound, budgets, cost, pv, path_dependent };
        self.store_in_table_in_quiescence(ply, store);
    }
}
