//! The limits of a search, and the flag that stops it from outside.

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use parking_lot::{Condvar, Mutex};

use kyomi_shogi::clock::Budget;
use kyomi_shogi::{EnteringKingRule, Move};

/// The limits of a search. The first limit reached ends it. Without limits it ends only when a deeper search is not
/// possible.
#[derive(Debug, Clone, Default)]
pub struct SearchLimits {
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    /// Limit of the last iteration in units, the measure of depth in interest search.
    pub limit: Option<i32>,
    /// Number of positions to search, over all threads. With one thread it is exact.
    pub nodes: Option<u64>,
    /// Time for the move.
    pub time: Option<TimeLimit>,
    /// Return no result before [`StopFlag::stop`] or [`StopFlag::ponder_hit`] (`go infinite`, `go ponder`). Until then
    /// the time limit is ignored.
    pub hold: bool,
    /// The rules of the game that matter to the search.
    pub rules: GameRules,
    /// The moves to choose from; all moves if none of these is legal.
    pub moves: Vec<Move>,
    /// Number of lines to report. Each is the best line without the first moves of the lines before it. The first line
    /// is played; 0 means one line.
    pub lines: usize,
}

/// The rules of the game that matter to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GameRules {
    /// How an entered king wins.
    pub entering_king: EnteringKingRule,
    /// The number of moves after which the game is a draw.
    pub max_moves: Option<u32>,
}

/// The time for one move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLimit {
    /// The start of the time.
    pub started: Instant,
    /// The time budget, which depends on the signals of the search.
    pub budget: Budget,
    /// Count time by the nodes of all threads from the start of the search or the ponder hit, this many a second,
    /// instead of by the clock. Then the search does not depend on the speed of the machine.
    pub nodes_per_second: Option<NonZeroU32>,
}

/// Stops one search from outside, or turns pondering into thinking. Clones act on the same search.
///
/// Use a new flag for each search.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<StopSignals>);

#[derive(Debug, Default)]
struct StopSignals {
    /// Relaxed: it publishes no other data, and only has to become visible soon.
    stop: AtomicBool,
    /// Set after `hit_time`. The lock of `hit_time` orders the two.
    hit: AtomicBool,
    hit_time: Mutex<Option<TimeLimit>>,
    changed: Condvar,
}

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the search, which returns the best result so far.
    pub fn stop(&self) {
        let guard = self.0.hit_time.lock();
        self.0.stop.store(true, Ordering::Relaxed);
        drop(guard);
        self.0.changed.notify_all();
    }

    /// Whether the search was stopped.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Reports that the expected reply was played. The search continues, and its limits apply from now on. `time`
    /// replaces the time limit that the search was started with.
    pub fn ponder_hit(&self, time: Option<TimeLimit>) {
        let mut slot = self.0.hit_time.lock();
        *slot = time;
        self.0.hit.store(true, Ordering::Relaxed);
        drop(slot);
        self.0.changed.notify_all();
    }

    /// Whether pondering has turned into thinking.
    #[inline]
    pub(crate) fn is_hit(&self) -> bool {
        self.0.hit.load(Ordering::Relaxed)
    }

    /// The time limit given with the ponder hit.
    pub(crate) fn hit_time(&self) -> Option<TimeLimit> {
        *self.0.hit_time.lock()
    }

    /// Waits until the search is stopped or its ponder move was played.
    pub fn wait(&self) {
        let mut slot = self.0.hit_time.lock();
        while !self.is_stopped() && !self.is_hit() {
            self.0.changed.wait(&mut slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn waiting_ends_with_a_stop_from_another_thread() {
        let flag = StopFlag::new();
        let other = flag.clone();
        let waiter = std::thread::spawn(move || {
            other.wait();
            other.is_stopped()
        });
        flag.stop();
        assert!(waiter.join().unwrap());
    }

    #[test]
    fn a_ponder_hit_sets_the_time_limit() {
        let flag = StopFlag::new();
        assert!(!flag.is_hit());
        let second = Duration::from_secs(1);
        let budget = Budget::fixed(second);
        let limit = TimeLimit { started: Instant::now(), budget, nodes_per_second: None };
        flag.ponder_hit(Some(limit));
        flag.wait();
        assert!(flag.is_hit() && !flag.is_stopped());
        assert_eq!(flag.hit_time(), Some(limit));
    }
}
