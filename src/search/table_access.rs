//! Access of nodes to the transposition table.

use super::cost::Budgets;
use super::kind::SearchKind;
use super::node::Window;
use super::table::{NewEntry, StoredBudgets, TableHit};
use super::worker::Worker;

impl<K: SearchKind> Worker<K> {
    /// The table's entry for the position at a node of the main search.
    #[inline]
    #[cfg_attr(not(test), allow(unused_variables, reason = "the strict table asks for budgets"))]
    pub(crate) fn probe_table(&self, budgets: Budgets, ply: usize) -> Option<TableHit> {
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            return strict.probe(self.position.key(), budgets, ply);
        }
        self.table.probe(self.position.key(), ply)
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
        let settles = found.cuts(wanted, window.alpha, window.beta);
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            strict.note(settles);
        }
        settles
    }

    /// Stores the result of a node of the main search.
    #[inline]
    #[cfg_attr(not(test), allow(unused_variables, reason = "the strict table asks for budgets"))]
    pub(crate) fn store_in_table(&self, budgets: Budgets, ply: usize, store: NewEntry) {
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            return strict.store(self.position.key(), budgets, ply, store);
        }
        self.table.store(self.position.key(), ply, store);
    }

    /// Whether a probe in quiescence would return the same as the probe of this node of the main search.
    #[inline]
    pub(crate) fn shares_table_with_quiescence(&self, ply: usize) -> bool {
        #[cfg(test)]
        if self.strict.is_some() {
            return false;
        }
        self.frames[ply].excluded.is_none()
    }

    /// The table's entry for the position at a node of quiescence.
    #[inline]
    pub(crate) fn probe_table_quiet(&self, ply: usize) -> Option<TableHit> {
        #[cfg(test)]
        if self.strict.is_some() {
            return None;
        }
        self.table.probe(self.position.key(), ply)
    }

    /// Stores the result of a node of quiescence.
    #[inline]
    pub(crate) fn store_in_table_quiet(&self, ply: usize, store: NewEntry) {
        #[cfg(test)]
        if self.strict.is_some() {
            return;
        }
        self.table.store(self.position.key(), ply, store);
    }
}

#[cfg(test)]
pub(crate) mod strict {
    //! A table for tests that never changes a score: a map with exact budgets, which returns only entries of equal
    //! budgets. Quiescence does not use it, since its scores depend on its own depth.

    use std::{
        collections::HashMap,
        sync::atomic::{AtomicU64, Ordering},
    };

    use parking_lot::Mutex;

    use super::{Budgets, NewEntry, TableHit};
    use crate::search::table::{StoredBudgets, from_stored, to_stored};

    /// By key and both budgets.
    #[derive(Debug, Default)]
    pub(crate) struct Strict {
        /// Whether nothing is stored.
        off: bool,
        entries: Mutex<HashMap<(u64, i32, i32), Entry>>,
        /// Number of nodes ended.
        cuts: AtomicU64,
    }

    #[derive(Debug)]
    struct Entry {
        store: NewEntry,
        /// The ply of the node that stored it.
        ply: usize,
    }

    impl Strict {
        pub(crate) fn on() -> Self {
            Self::default()
        }

        pub(crate) fn off() -> Self {
            Self { off: true, ..Self::default() }
        }

        pub(super) fn note(&self, cut: bool) {
            self.cuts.fetch_add(u64::from(cut), Ordering::Relaxed);
        }

        /// Number of nodes that it has ended.
        pub(crate) fn cuts(&self) -> u64 {
            self.cuts.load(Ordering::Relaxed)
        }

        pub(super) fn probe(&self, key: u64, budgets: Budgets, ply: usize) -> Option<TableHit> {
            let entries = self.entries.lock();
            let Entry { store, ply: at } = entries.get(&(key, budgets.us, budgets.them))?;
            Some(TableHit {
                mv: store.mv,
                score: from_stored(to_stored(store.score, *at), ply),
                eval: store.eval,
                bound: store.bound,
                budgets: StoredBudgets::new(budgets, false),
                cost: store.cost,
                path_dependent: store.path_dependent,
            })
        }

        pub(super) fn store(&self, key: u64, budgets: Budgets, ply: usize, store: NewEntry) {
            if !self.off {
                self.entries.lock().insert((key, budgets.us, budgets.them), Entry { store, ply });
            }
        }
    }
}
