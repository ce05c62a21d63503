//! Access of nodes to the transposition table.

use super::cost::Budgets;
use super::kind::SearchKind;
use super::table::{NewEntry, StoredBudgets, TableHit};
use super::window::Window;
use super::worker::Worker;

impl<K: SearchKind> Worker<K> {
    /// The table's entry for the position at a node of the main search.
    #[inline]
    #[cfg_attr(not(test), allow(unused_variables, reason = "the strict table asks for budgets"))]
    pub(crate) fn probe_table(&self, budgets: Budgets, ply: usize) -> Option<TableHit> {
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            return strict.probe(self.line.position.key(), budgets, ply);
        }
        self.table.probe(self.line.position.key(), ply)
    }

    /// Whether an entry ends the node.
    #[inline]
    #[cfg_attr(not(test), allow(clippy::unused_self, reason = "the strict table counts"))]
    pub(crate) fn table_cuts(
        &self,
        found: TableHit,
        wanted: StoredBudgets,
        window: Window,
    ) -> bool {
        let tolerance = self.settings.parameters.table_tolerance;
        let cuts = found.cuts(wanted, window.alpha, window.beta, tolerance);
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            strict.note(cuts);
        }
        cuts
    }

    /// Stores the result of a node of the main search.
    #[inline]
    #[cfg_attr(not(test), allow(unused_variables, reason = "the strict table asks for budgets"))]
    pub(crate) fn store_in_table(&self, budgets: Budgets, ply: usize, store: NewEntry) {
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            return strict.store(self.line.position.key(), budgets, ply, store);
        }
        self.table.store(self.line.position.key(), ply, store);
    }

    /// Whether a probe in quiescence would return the same as the probe of this node of the main search.
    #[inline]
    pub(crate) fn shares_table_with_quiescence(&self, ply: usize) -> bool {
        #[cfg(test)]
        if self.strict.is_some() {
            return false;
        }
        self.line.frames[ply].excluded.is_none()
    }

    /// The table's entry for the position at a node of quiescence.
    #[inline]
    pub(crate) fn probe_table_in_quiescence(&self, ply: usize) -> Option<TableHit> {
        #[cfg(test)]
        if self.strict.is_some() {
            return None;
        }
        self.table.probe(self.line.position.key(), ply)
    }

    /// Stores the result of a node of quiescence.
    #[inline]
    pub(crate) fn store_in_table_in_quiescence(&self, ply: usize, store: NewEntry) {
        #[cfg(test)]
        if self.strict.is_some() {
            return;
        }
        self.table.store(self.line.position.key(), ply, store);
    }
}
