//! One move of a node: its search, and the updates of the history tables after it.

use super::{Node, scout::scouted, tally::Tally};
use crate::search::{
    cost::Budgets, kind::SearchKind, notes::SearchedMove, score_rules::tie_order, value::Value,
    window::Window, worker::Worker,
};
use crate::shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Searches one move, enters the result in the tally, and updates the history tables after a cut.
    pub(super) fn search_move(&mut self, mv: Move, cost: i32, node: &Node, tally: &mut Tally) {
        let (budgets, ply) = (node.budgets, node.ply);
        let (bonus, ties) = self.favour(mv, tally.best_move, node.window);
        let limits = tally.scores.limits(bonus, ties);
        let window = node.window.narrowed(limits);
        let quiet = !mv.is_promotion() && self.position.piece_on(mv.to()).is_none();
        let nodes = self.nodes;
        let undo = self.make(ply, mv);
        let first = tally.searched == 0;
        let charge = self.costs.charge(cost, tally.siblings);
        let searched = self.search_child(window, budgets, charge, ply, first);
        self.unmake(mv, undo);
        let Some((value, charged)) = searched else { return };
        if self.takes_notes(ply) {
            let (siblings, score, nodes) = (tally.siblings, value.score, self.nodes - nodes);
            self.notes.searched(&SearchedMove { mv, cost, siblings, charge, window, score, nodes });
        }
        tally.searched += 1;
        tally.siblings = tally.siblings.saturating_add(cost.min(charged));
        tally.depends_on_ply = tally.depends_on_ply.min(value.depends_on_ply);
        let change = tally.scores.enter(value.score, bonus, ties);
        if change.is_best {
            tally.best_move = Some(mv);
            tally.best_depends_on_ply = value.depends_on_ply;
            if value.score > window.alpha && window.is_pv() {
                self.set_pv(ply, mv);
            }
        }
        if change.cuts {
            tally.cut = true;
            if K::EXPERIMENTAL {
                self.penalties.learn(&self.position, &self.frames[ply].tried, budgets.depth());
            }
            if quiet {
                let (last, own) = (self.earlier_move(ply, 1), self.earlier_move(ply, 2));
                let side = self.position.side_to_move();
                let depth = budgets.depth();
                let tried: &[Move] =
                    if self.parameters.history_malus == 0 { &[] } else { &tally.quiets };
                self.history.learn(side, ply, depth, mv, tried, last, own);
            }
            return;
        }
        if K::EXPERIMENTAL && self.penalties.is_on() {
            // Each legal move is searched once, so there is always room.
            let _ = self.frames[ply].tried.try_push(mv);
        }
        if quiet {
            // Further moves are not learnt from.
            let _ = tally.quiets.try_push(mv);
        }
    }

    /// The bonus of a move in the position by the score rules, and whether a score equal to that of the best move so
    /// far makes it the best move.
    pub(crate) fn favour(&self, mv: Move, best: Option<Move>, window: Window) -> (i32, bool) {
        if !K::EXPERIMENTAL {
            return (0, false);
        }
        let key = self.position.key();
        let ties = self.score_rules.hash_ties
            && window.is_pv()
            && best.is_some_and(|best| tie_order(key, mv) > tie_order(key, best));
        (self.score_rules.bonus(key, mv), ties)
    }

    /// Searches the position after a move. Returns its value and the charge that counts among its siblings; `None` if
    /// the search was stopped.
    pub(crate) fn search_child(
        &mut self,
        window: Window,
        budgets: Budgets,
        cost: i32,
        ply: usize,
        first: bool,
    ) -> Option<(Value, i32)> {
        scouted(window, cost, self.costs.research, first, |window, charge| {
            let left = self.costs.after(budgets, charge);
            let value = -self.search(window.turned(), left, ply + 1);
            self.trace_step(ply, charge, value, first || window.is_wide());
            (!self.aborted).then_some(value)
        })
    }

    /// Notes one search of a move, if notes are taken of the node.
    #[inline]
    fn trace_step(&mut self, ply: usize, charge: i32, value: Value, open: bool) {
        if self.takes_notes(ply) {
            self.notes.step(charge, value, open);
        }
    }
}
