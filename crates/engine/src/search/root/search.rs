//! The search of the moves of the root within one window (docs/search.md, section 1.6).

use super::SearchObserver;
use super::moves::{RootInterest, RootMove, RootPicker};
use super::promotion::{Form, UnpromotedMove, is_shown_promoted};
use crate::search::Bound;
use crate::search::cost::Budgets;
use crate::search::kind::SearchKind;
use crate::search::line::RootLine;
use crate::search::score_rules::NodeScores;
use crate::search::table::{NewEntry, StoredBudgets};
use crate::search::trace::SearchedMove;
use crate::search::value::{MATE_BOUND, Value, is_lost};
use crate::search::window::{Window, bound_of};
use crate::search::worker::Worker;

impl<K: SearchKind> Worker<K> {
    /// Searches the moves of the root and puts the best one first. Returns the score, or a bound of it.
    pub(super) fn search_root(
        &mut self,
        moves: &mut [RootMove],
        interest: RootInterest,
        window: Window,
        best_line: &mut RootLine,
        observer: &mut dyn SearchObserver<K>,
    ) -> i32 {
        let budgets = Budgets::whole(self.control.limit);
        let rules = self.rules_at(budgets, None, 0);
        let mut scores = NodeScores::new(rules, window.alpha, window.beta);
        let mut raised_alpha = false;
        let mut siblings_cost = 0_i32;
        let mut replaced = None;
        let mut picker = (self.settings.parameters.root_full == 0)
            .then(|| RootPicker::new(interest, self.settings.parameters.similar != 0));
        for at in 0..moves.len() {
            let effective =
                picker.as_ref().map(|picker| self.pick_at_root(picker, &mut moves[at..]));
            let (mv, cost) = (moves[at].mv, moves[at].cost);
            let set_aside = moves[at].is_implausible && at > 0 && !is_lost(scores.best());
            if replaced == Some(mv) || is_shown_promoted(moves, at) || set_aside {
                continue;
            }
            // A loss is proven only when every legal move has been searched.
            if picker.is_some()
                && at > 0
                && !is_lost(scores.best())
                && self.settings.costs.sibling_surcharge(siblings_cost).saturating_add(cost)
                    > budgets.us
            {
                break;
            }
            let charge = if picker.is_some() {
                self.settings.costs.charge(cost, siblings_cost)
            } else {
                cost
            };
            let charge = if K::BY_PLIES {
                self.begin_root_move(at, mv, window.beta - window.alpha)
            } else {
                charge
            };
            let best = best_line.line.first().copied().filter(|_| raised_alpha);
            let (mut bonus, mut ties) = self.bonus_and_tie_break(mv, best, window);
            let exact = window.with_bounds(scores.exact_window(bonus, ties));
            let Some((mut value, charged)) =
                self.search_root_move(&mut moves[at], exact, budgets, charge, at == 0)
            else {
                return scores.value();
            };
            if self.is_traced(0) && moves[at].proven_score.is_none() {
                self.trace_root_move(&moves[at], effective, siblings_cost, charge, exact, value);
            }
            siblings_cost = siblings_cost.saturating_add(cost);
            if let Some(picker) = &mut picker {
                self.note_at_root(picker, &moves[at]);
            }
            let mut at = at;
            if value.score > exact.alpha && moves[at].promoted.is_some() {
                let unpromoted = UnpromotedMove { at, value, charge: charged };
                match self.choose_promotion(moves, &unpromoted, exact, budgets) {
                    Form::Stopped => return scores.value(),
                    Form::Unpromoted(again) => value = again,
                    Form::Promoted { place, value: promoted } => {
                        replaced = Some(mv);
                        (at, value) = (place, promoted);
                        (bonus, ties) = self.bonus_and_tie_break(moves[at].mv, best, window);
                    }
                }
            }
            let change = scores.enter(value.score, bonus, ties);
            if change.is_best && value.score > exact.alpha {
                // It is no proven loss until all moves are searched, since another move may be better.
                let score = scores.value().max(1 - MATE_BOUND);
                self.put_best_first(moves, at, best_line, score);
                raised_alpha = true;
                let bound = if change.cuts { Bound::Lower } else { Bound::Exact };
                if at > 0 {
                    observer.new_best_line(self, best_line, bound);
                }
            }
            if change.cuts {
                break;
            }
        }
        let score = scores.value();
        if raised_alpha {
            best_line.score = score;
        }
        score
    }

    /// Searches one move of the root, unless it is proven to lose. Returns its value and the charge that counts; `None`
    /// if the search was stopped. Afterwards the frame of ply 1 has the line after the move.
    fn search_root_move(
        &mut self,
        root: &mut RootMove,
        window: Window,
        budgets: Budgets,
        charge: i32,
        is_first: bool,
    ) -> Option<(Value, i32)> {
        let nodes = self.control.nodes;
        let searched = if let Some(score) = root.proven_score {
            self.line.frames[1].pv = root.line.iter().skip(1).copied().collect();
            (Value::of_position(score), charge)
        } else {
            // The mate search between iterations, or after an unpromoted move, may have used the last node.
            if self.control.nodes_left() == 0 && self.check_stop() {
                return None;
            }
            let undo = self.make(0, root.mv);
            let searched = self.search_child(window, budgets, charge, 0, is_first);
            self.line.unmake(root.mv, undo);
            searched?
        };
        root.nodes = self.control.nodes - nodes;
        Some(searched)
    }

    /// Records the search of a move of the root.
    #[cold]
    fn trace_root_move(
        &mut self,
        root: &RootMove,
        effective: Option<i32>,
        siblings_cost: i32,
        charge: i32,
        window: Window,
        value: Value,
    ) {
        let &RootMove { mv, cost, nodes, .. } = root;
        if let Some(effective) = effective {
            self.trace.pick(effective, None);
        }
        let score = value.score;
        self.trace.searched(SearchedMove { mv, cost, siblings_cost, charge, window, score, nodes });
    }

    /// Puts the move at index `at`, whose line is in the frame of ply 1, first, and makes its line the best one.
    fn put_best_first(
        &mut self,
        moves: &mut [RootMove],
        at: usize,
        best_line: &mut RootLine,
        score: i32,
    ) {
        self.line.set_pv(0, moves[at].mv);
        moves[at].line.clone_from(&self.line.frames[0].pv);
        moves[..=at].rotate_right(1);
        best_line.line.clone_from(&moves[0].line);
        best_line.score = score;
        best_line.is_substitute = false;
        best_line.cost = moves[0].cost;
    }

    /// Stores the root in the table. Its score depends on the game, but its move is useful.
    pub(super) fn store_root(
        &mut self,
        moves: &[RootMove],
        best_line: &RootLine,
        score: i32,
        window: Window,
    ) {
        let in_check = self.line.position.in_check();
        let store = NewEntry {
            mv: best_line.line.first().copied(),
            score,
            eval: (!in_check).then(|| self.evaluate()),
            bound: bound_of(score, window),
            budgets: StoredBudgets::new(Budgets::whole(self.control.limit), in_check),
            cost: moves.first().map_or(self.settings.costs.min, |root| root.cost),
            pv: true,
            path_dependent: true,
        };
        self.table.store(self.line.position.key(), 0, store);
    }
}
