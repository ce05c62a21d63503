//! Static null move and null move, which end a node before its moves are listed (docs/search.md, section 1.12).

use crate::search::{
    cost::Budgets,
    kind::SearchKind,
    pruning::{may_pass, null_move_budgets, static_null},
    see,
    table::TableHit,
    trace::EvalCutoff,
    value::{Value, is_mate},
    window::Window,
    worker::Worker,
};

impl<K: SearchKind> Worker<K> {
    /// The value of a node that static null move or null move ends.
    pub(super) fn cutoff_by_eval(
        &mut self,
        eval: i32,
        found: Option<TableHit>,
        window: Window,
        budgets: Budgets,
        ply: usize,
    ) -> Option<Value> {
        let depth = budgets.depth();
        if self.settings.parameters.static_null != 0 {
            let (margin, deepest) = (
                self.settings.parameters.static_null_margin,
                self.settings.parameters.static_null_depth,
            );
            if let Some(score) = static_null(eval, found, window.beta, depth, (margin, deepest)) {
                self.trace.eval_cutoff = EvalCutoff::StaticNull;
                return Some(Value::of_position(score));
            }
        }
        if self.settings.parameters.null_move != 0
            && let Some(value) = self.pass(eval, window, budgets, depth, ply)
        {
            self.trace.eval_cutoff = EvalCutoff::NullMove;
            return Some(value);
        }
        None
    }

    /// Null move: the value of the node if passing reaches beta.
    fn pass(
        &mut self,
        eval: i32,
        window: Window,
        budgets: Budgets,
        depth: i32,
        ply: usize,
    ) -> Option<Value> {
        let after_pass = ply > 0 && self.line.frames[ply - 1].mv.is_none();
        if !may_pass(eval, window.beta, depth, after_pass) {
            return None;
        }
        // Passing proves nothing if the other side then wins material at once.
        if self.loses_after_pass() {
            return None;
        }
        let p = &self.settings.parameters;
        let left = null_move_budgets(budgets, p.null_move_base, p.null_move_share);
        let undo = self.make_null(ply);
        let turned = Budgets { us: left.them, them: left.us };
        let value = -self.search(Window::null(window.beta - 1).negated(), turned, ply + 1);
        self.line.unmake_null(undo);
        if self.control.aborted || value.score < window.beta {
            return None;
        }
        // Passing proves no mate.
        let score = if is_mate(value.score) { window.beta } else { value.score };
        Some(Value { score, depends_on_ply: value.depends_on_ply })
    }

    /// Whether the other side wins much by a capture if the side to move passes. It counts as no node.
    fn loses_after_pass(&mut self) -> bool {
        let undo = self.line.position.do_null_move();
        let loses = see::can_win(&self.line.position, self.settings.parameters.null_move_threat);
        self.line.position.undo_null_move(undo);
        loses
    }
}
