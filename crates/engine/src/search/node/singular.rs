//! Singular moves (docs/search.md, section 1.12): whether the hash move is much better than all others.

use super::Node;
use crate::search::{
    kind::SearchKind, pruning::singular_search, table::TableHit, window::Window, worker::Worker,
};
use kyomi_shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Whether all other moves stay well below the table's score of this one. Then it costs less.
    pub(super) fn is_singular(&mut self, mv: Move, found: &TableHit, node: &Node) -> bool {
        // A node that is explained is searched only once.
        let asked = K::EXPERIMENTAL
            && self.settings.parameters.singular != 0
            && node.ply > 0
            && !node.in_check;
        if !asked || self.is_traced(node.ply) {
            return false;
        }
        let Some(test) = singular_search(found, node.budgets, self.settings.costs.min) else {
            return false;
        };
        self.line.frames[node.ply].excluded = Some(mv);
        let value = self.search(Window::null(test.beta - 1), test.budgets, node.ply);
        self.line.frames[node.ply].excluded = None;
        !self.control.aborted && value.score < test.beta
    }
}
