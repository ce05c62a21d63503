//! A table for tests that never changes a score: a map with exact budgets, which returns only entries of equal
//! budgets. Quiescence does not use it, since its scores depend on its own depth.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use parking_lot::Mutex;

use super::cost::Budgets;
use super::table::{NewEntry, StoredBudgets, TableHit, from_stored};
use super::value::mate_from_ply;

/// By key and both budgets.
#[derive(Debug, Default)]
pub(crate) struct StrictTable {
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

impl StrictTable {
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
            score: from_stored(mate_from_ply(store.score, *at), ply),
            eval: store.eval,
            bound: store.bound,
            budgets: StoredBudgets::new(budgets, false),
            cost: store.cost,
            pv: store.pv,
            path_dependent: store.path_dependent,
        })
    }

    pub(super) fn store(&self, key: u64, budgets: Budgets, ply: usize, store: NewEntry) {
        if !self.off {
            self.entries.lock().insert((key, budgets.us, budgets.them), Entry { store, ply });
        }
    }
}
