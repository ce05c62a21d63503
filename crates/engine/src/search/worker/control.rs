//! When a thread stops: its limits, its counters and the flag that stops it from outside.

use std::sync::Arc;

use crate::search::{
    limits::StopFlag, node_count::NodeCounter, pace::Pace, time_manager::TimeManager,
};

/// The number of nodes between two checks of the limits.
const CLOCK_INTERVAL: u64 = 512;

/// The limits and counters of one search thread.
pub(crate) struct Control {
    /// The number of the thread in its team. Only the first one, 0, minds the clock.
    pub(crate) id: usize,
    /// The number of the thread among those of all machines. Threads with different numbers search in different orders.
    pub(crate) number: usize,
    pub(crate) stop: StopFlag,
    /// Whether the search was stopped. Values that nodes return then are not valid.
    pub(crate) aborted: bool,
    /// Number of nodes of this search.
    pub(crate) nodes: u64,
    /// The number of nodes at which the search stops.
    node_limit: u64,
    /// The number of nodes at which the limits are checked next.
    next_check: u64,
    /// The number of nodes over all searches, for other threads.
    counter: Arc<NodeCounter>,
    /// The value of the counter before this search.
    counted_before: u64,
    /// Slows the search down to a set speed.
    pub(crate) pace: Option<Arc<Pace>>,
    /// The number of nodes when it last checked the pace.
    paced_nodes: u64,
    pub(crate) seldepth: usize,
    /// Limit of the iteration.
    pub(crate) limit: i32,
    /// Whether the score has fallen, so that moves of little interest near the root cost less.
    pub(crate) score_fell: bool,
    /// The time manager. Only the first thread has one.
    pub(crate) time_manager: Option<TimeManager>,
}

impl Control {
    pub(super) fn new(id: usize, counter: Arc<NodeCounter>) -> Self {
        Self {
            id,
            number: id,
            stop: StopFlag::new(),
            aborted: false,
            nodes: 0,
            node_limit: u64::MAX,
            next_check: 0,
            counter,
            counted_before: 0,
            pace: None,
            paced_nodes: 0,
            seldepth: 0,
            limit: 0,
            score_fell: false,
            time_manager: None,
        }
    }

    /// Begins a search without a limit of nodes.
    pub(super) fn begin(&mut self, first_thread: usize, stop: StopFlag) {
        self.number = first_thread + self.id;
        self.stop = stop;
        self.aborted = false;
        self.nodes = 0;
        self.paced_nodes = 0;
        self.limit_nodes(u64::MAX);
        self.counted_before = self.counter.get();
        self.seldepth = 0;
        self.score_fell = false;
    }

    /// Sets the number of nodes at which the search stops.
    pub(crate) fn limit_nodes(&mut self, most: u64) {
        self.node_limit = most;
        self.next_check = self.interval().min(most);
    }

    /// The number of nodes between two checks of the limits.
    fn interval(&self) -> u64 {
        self.pace.as_ref().map_or(CLOCK_INTERVAL, |pace| pace.interval())
    }

    /// The number of nodes left before the limit.
    pub(crate) const fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.nodes)
    }

    /// Adds nodes that were searched outside the main search, up to the limit.
    pub(crate) fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes.min(self.nodes_left());
    }

    /// Whether the limits are to be checked.
    #[inline]
    pub(super) const fn is_check_due(&self) -> bool {
        self.nodes >= self.next_check
    }

    /// Publishes the number of nodes, and checks the limits of nodes and time.
    pub(super) fn check_limits(&mut self) {
        self.counter.set(self.counted_before + self.nodes);
        if let Some(pace) = &self.pace {
            pace.spend(self.id, self.nodes - self.paced_nodes);
            self.paced_nodes = self.nodes;
        }
        self.aborted |= self.nodes >= self.node_limit
            || self.time_manager.as_mut().is_some_and(|manager| manager.expired(self.nodes));
        if !self.aborted {
            self.next_check = (self.nodes + self.interval()).min(self.node_limit);
        }
    }
}
