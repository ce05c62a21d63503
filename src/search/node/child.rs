//! One move of a node: its search, and what is learnt from it.

use arrayvec::ArrayVec;

use super::{Entered, Window};
use crate::search::{
    cost::{Budgets, Costs},
    explain::Searched,
    value::INFINITE,
    worker::{CLEAN, Value, Worker},
};
use crate::shogi::Move;

/// What the moves searched so far have shown.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) best: i32,
    pub(super) best_move: Option<Move>,
    /// What all moves searched depend on, and what the best one depends on.
    pub(super) taint: i32,
    pub(super) best_taint: i32,
    /// Costs of the moves searched.
    pub(super) siblings: i32,
    pub(super) searched: usize,
    /// Quiet moves searched that did not cut.
    quiets: ArrayVec<Move, 64>,
    /// A move reached beta.
    pub(super) cut: bool,
}

impl Tally {
    /// Nothing searched yet.
    pub(super) fn new() -> Self {
        Self {
            best: -INFINITE,
            best_move: None,
            taint: CLEAN,
            best_taint: CLEAN,
            siblings: 0,
            searched: 0,
            quiets: ArrayVec::new(),
            cut: false,
        }
    }
}

impl Worker {
    /// Searches one move and enters the result in the tally; learns from a cut.
    pub(super) fn search_move(&mut self, mv: Move, cost: i32, node: &Entered, tally: &mut Tally) {
        let (budgets, ply) = (node.budgets, node.ply);
        let window = Window { alpha: node.window.alpha.max(tally.best), beta: node.window.beta };
        let quiet = !mv.is_promotion() && self.position.piece_on(mv.to()).is_none();
        let nodes = self.nodes;
        let undo = self.make(ply, mv);
        let first = tally.searched == 0;
        let charge = self.costs.charge(cost, tally.siblings);
        let (value, charged) = self.search_child(window, budgets, charge, ply, first);
        self.unmake(mv, undo);
        if self.aborted {
            return;
        }
        if self.is_traced(ply) {
            let (siblings, score, nodes) = (tally.siblings, value.score, self.nodes - nodes);
            self.trace.searched(&Searched { mv, cost, siblings, charge, window, score, nodes });
        }
        tally.searched += 1;
        tally.siblings = tally.siblings.saturating_add(cost.min(charged));
        tally.taint = tally.taint.min(value.taint);
        if value.score > tally.best {
            tally.best = value.score;
            tally.best_move = Some(mv);
            tally.best_taint = value.taint;
            if value.score > window.alpha && window.is_pv() {
                self.set_pv(ply, mv);
            }
        }
        if value.score >= window.beta {
            tally.cut = true;
            self.penalties.learn(&self.position, &self.frames[ply].tried, budgets.depth());
            if quiet {
                let (last, own) = (self.earlier_move(ply, 1), self.earlier_move(ply, 2));
                let side = self.position.side_to_move();
                let depth = budgets.depth();
                let tried: &[Move] =
                    if self.parameters.history_malus == 0 { &[] } else { &tally.quiets };
                self.memory.learn(side, ply, depth, mv, tried, last, own);
            }
            return;
        }
        if self.penalties.is_on() {
            // Each legal move comes once, so there is always room.
            let _ = self.frames[ply].tried.try_push(mv);
        }
        if quiet {
            // More than fit in are too many to learn from.
            let _ = tally.quiets.try_push(mv);
        }
    }

    /// Searches the position after a move: null windows first, a full one where the value is raised. Returns what
    /// the move is charged among its siblings, too: a move that raised the value is interesting by proof.
    pub(crate) fn search_child(
        &mut self,
        window: Window,
        budgets: Budgets,
        cost: i32,
        ply: usize,
        first: bool,
    ) -> (Value, i32) {
        let after = |charge: i32, costs: &Costs| costs.after(budgets, charge);
        if first {
            let left = after(cost, &self.costs);
            let value = -self.search(window.turned(), left, ply + 1);
            self.tell_step(ply, cost, value, true);
            return (value, cost);
        }
        let alpha = window.alpha;
        let null = Window::null(alpha).turned();
        let again = self.costs.research;
        let mut charged = cost;
        let mut value = -self.search(null, after(cost, &self.costs), ply + 1);
        self.tell_step(ply, cost, value, false);
        if value.score > alpha && cost > again && !self.aborted {
            if cost - again > 200 {
                let half = i32::midpoint(cost, again);
                value = -self.search(null, after(half, &self.costs), ply + 1);
                self.tell_step(ply, half, value, false);
            }
            if value.score > alpha && !self.aborted {
                value = -self.search(null, after(again, &self.costs), ply + 1);
                self.tell_step(ply, again, value, false);
                charged = again;
            }
        }
        if value.score > alpha && window.is_pv() && !self.aborted {
            charged = charged.min(again);
            value = -self.search(window.turned(), after(charged, &self.costs), ply + 1);
            self.tell_step(ply, charged, value, true);
        }
        (value, charged)
    }

    /// A move came back from one search.
    #[inline]
    fn tell_step(&mut self, ply: usize, charge: i32, value: Value, open: bool) {
        if self.is_traced(ply) {
            self.trace.step(charge, value, open);
        }
    }
}
