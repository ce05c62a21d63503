//! The number of nodes of each thread, which the other threads read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Number of nodes of one thread over all its searches, in its own cache line. It is never reset: otherwise a thread
/// that begins a search late would add the nodes of the search before.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct NodeCounter(AtomicU64);

impl NodeCounter {
    /// Relaxed: a statistic.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// The nodes of the other threads in one search.
#[derive(Clone, Debug)]
pub(crate) struct OtherThreads {
    counters: Vec<Arc<NodeCounter>>,
    /// The sum of the counters when the search began.
    before: u64,
}

impl OtherThreads {
    /// Counts from now on.
    pub(crate) fn from_now(counters: &[Arc<NodeCounter>]) -> Self {
        Self { before: total(counters), counters: counters.to_vec() }
    }

    /// The number of nodes since the search began.
    pub(crate) fn nodes(&self) -> u64 {
        total(&self.counters).saturating_sub(self.before)
    }
}

fn total(counters: &[Arc<NodeCounter>]) -> u64 {
    counters.iter().map(|counter| counter.get()).sum()
}

/// Nodes per second.
pub(crate) fn per_second(nodes: u64, time: Duration) -> u64 {
    (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_the_search_before_do_not_count() {
        let counters = [Arc::new(NodeCounter::default()), Arc::new(NodeCounter::default())];
        counters[0].set(5000);
        let others = OtherThreads::from_now(&counters);
        assert_eq!(others.nodes(), 0);
        counters[0].set(5512);
        counters[1].set(1024);
        assert_eq!(others.nodes(), 1536);
    }
}
