//! Singular moves (docs/search.md, section 1.12): whether the table's move is much better than all others.

use super::Entered;
use crate::search::{
    kind::SearchKind, pruning::singular_question, table::TableHit, window::Window, worker::Worker,
};
use crate::shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Whether all other moves stay well below the table's score of this one. Then it costs less.
    pub(super) fn is_singular(&mut self, mv: Move, found: &TableHit, node: &Entered) -> bool {
        // A node that is explained is searched only once.
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
