//! The table's move of a node, looked at before the others.

use super::Entered;
use crate::search::{
    kind::SearchKind, pruning::singular_question, table::TableHit, window::Window, worker::Worker,
};
use crate::shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Whether no other move comes near the score that the table has for this one: then it is searched more deeply.
    pub(super) fn is_singular(&mut self, mv: Move, found: &TableHit, node: &Entered) -> bool {
        // A node that is being explained is searched once.
        let asked = K::STUDY && self.parameters.singular != 0 && node.ply > 0 && !node.in_check;
        if !asked || self.is_traced(node.ply) {
            return false;
        }
        let Some(question) = singular_question(found, node.budgets, self.costs.min) else {
            return false;
        };
        self.frames[node.ply].excluded = Some(mv);
        let value = self.search(Window::null(question.limit - 1), question.budgets, node.ply);
        self.frames[node.ply].excluded = None;
        !self.aborted && value.score < question.limit
    }
}
