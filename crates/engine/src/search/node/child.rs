//! One move of a node: its search, and the updates of the history tables after it.

use super::{Node, results::NodeResults, scout::search_with_scout};
use crate::search::{
    cost::Budgets, kind::SearchKind, score_rules::tie_order, trace::SearchedMove, value::Value,
    window::Window, worker::Worker,
};
use kyomi_shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Searches one move, adds it to the results of the node, and updates the history tables after a cut.
    pub(super) fn search_move(
        &mut self,
        mv: Move,
        cost: i32,
        node: &Node,
        results: &mut NodeResults,
    ) {
        let (budgets, ply) = (node.budgets, node.ply);
        let (bonus, ties) = self.bonus_and_tie_break(mv, results.best_move, node.window);
        let window = node.window.with_bounds(results.scores.exact_window(bonus, ties));
        let quiet = self.line.position.is_quiet(mv);
        let nodes = self.control.nodes;
        let undo = self.make(ply, mv);
        let first = results.searched == 0;
        let charge = self.settings.costs.charge(cost, results.siblings_cost);
        let searched = self.search_child(window, budgets, charge, ply, first);
        self.line.unmake(mv, undo);
        let Some((value, charged)) = searched else { return };
        if self.is_traced(ply) {
            let (siblings_cost, score, nodes) =
                (results.siblings_cost, value.score, self.control.nodes - nodes);
            self.trace.searched(SearchedMove {
                mv,
                cost,
                siblings_cost,
                charge,
                window,
                score,
                nodes,
            });
        }
        results.searched += 1;
        results.siblings_cost = results.siblings_cost.saturating_add(cost.min(charged));
        results.depends_on_ply = results.depends_on_ply.min(value.depends_on_ply);
        let change = results.scores.enter(value.score, bonus, ties);
        if change.is_best {
            results.best_move = Some(mv);
            results.best_depends_on_ply = value.depends_on_ply;
            if value.score > window.alpha && window.is_pv() {
                self.line.set_pv(ply, mv);
            }
        }
        if change.cuts {
            results.cut = true;
            if K::EXPERIMENTAL {
                self.knowledge.penalties.update_after_cut(
                    &self.line.position,
                    &self.line.frames[ply].tried,
                    budgets.depth(),
                );
            }
            let parameters = &self.settings.parameters;
            let is_learnt_from = parameters.history_malus != 0 || parameters.penalty_malus != 0;
            let tried: &[Move] = if is_learnt_from { &results.quiets } else { &[] };
            if quiet {
                let (last, own) = (self.line.earlier_move(ply, 1), self.line.earlier_move(ply, 2));
                let side = self.line.position.side_to_move();
                let depth = budgets.depth();
                self.knowledge.history.update_after_cut(side, ply, depth, mv, tried, last, own);
            } else {
                self.knowledge.history.penalize(self.line.position.side_to_move(), tried);
            }
            return;
        }
        if K::EXPERIMENTAL && self.knowledge.penalties.is_on() {
            // Each legal move is searched once, so there is always room.
            let _ = self.line.frames[ply].tried.try_push(mv);
        }
        if quiet {
            // Further moves are not learnt from.
            let _ = results.quiets.try_push(mv);
        }
    }

    /// The bonus of a move in the position by the score rules, and whether a score equal to that of the best move so
    /// far makes it the best move.
    pub(crate) fn bonus_and_tie_break(
        &self,
        mv: Move,
        best: Option<Move>,
        window: Window,
    ) -> (i32, bool) {
        if !K::EXPERIMENTAL {
            return (0, false);
        }
        let key = self.line.position.key();
        let ties = self.settings.score_rules.hash_ties
            && window.is_pv()
            && best.is_some_and(|best| tie_order(key, mv) > tie_order(key, best));
        (self.settings.score_rules.bonus(key, mv), ties)
    }

    /// Searches the position after a move. Returns its value and the charge that counts among its siblings; `None` if
    /// the search was stopped.
    pub(crate) fn search_child(
        &mut self,
        window: Window,
        budgets: Budgets,
        charge: i32,
        ply: usize,
        first: bool,
    ) -> Option<(Value, i32)> {
        search_with_scout(window, charge, self.settings.costs.research, first, |window, charge| {
            let left = self.settings.costs.after(budgets, charge);
            let value = -self.search(window.negated(), left, ply + 1);
            self.trace_step(ply, charge, value, first || window.is_wide());
            (!self.control.aborted).then_some(value)
        })
    }

    /// Records one search of a move in the trace, if the node is traced.
    #[inline]
    fn trace_step(&mut self, ply: usize, charge: i32, value: Value, open: bool) {
        if self.is_traced(ply) {
            self.trace.step(charge, value, open);
        }
    }
}
