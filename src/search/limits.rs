//! When a search ends: limits given beforehand, and the flag that ends it from outside.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use parking_lot::{Condvar, Mutex};

use crate::{clock::Budget, shogi::Move};

/// What ends a search; the first limit reached. Without limits it ends only when nothing more can be learnt.
#[derive(Debug, Clone, Default)]
pub struct SearchLimits {
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    /// Limit of the last iteration in units, the depth as interest search has it.
    pub limit: Option<i32>,
    /// Positions to look at, over all threads. With one thread it is kept to the node.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<TimeLimit>,
    /// Never answer before [`StopFlag::stop`] or [`StopFlag::ponder_hit`] (`go infinite`, `go ponder`); until then
    /// the time limit is not looked at.
    pub hold: bool,
    /// The rules of the game that matter to the search.
    pub rules: GameRules,
    /// The moves to choose among; all if none of these is legal.
    pub moves: Vec<Move>,
    /// Number of lines to report, each the best without the first moves of those before it. The first one is played;
    /// 0 means one.
    pub lines: usize,
}

/// The rules of the game that matter to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameRules {
    /// An entered king may be declared a win by the 27-point rule.
    pub declaration: bool,
    /// The number of moves of the game after which nobody wins.
    pub max_moves: Option<u32>,
}

impl Default for GameRules {
    fn default() -> Self {
        Self { declaration: true, max_moves: None }
    }
}

/// The time for one move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLimit {
    /// From when it counts.
    pub started: Instant,
    /// The budget, by the signals of the search.
    pub budget: Budget,
}

/// Ends one search from outside, or turns pondering into thinking. Clones act on the same search.
///
/// Use a new one for each search.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    /// Relaxed: nothing is published through it, it only has to arrive soon.
    stop: AtomicBool,
    /// Set after `hit_time`; the lock of that orders the two.
    hit: AtomicBool,
    hit_time: Mutex<Option<TimeLimit>>,
    changed: Condvar,
}

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the search: it answers with what it has.
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

    /// The pondered reply was played: the search goes on, and answers by its limits from now on. `time` replaces
    /// the time limit it was started with.
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
    pub(crate) fn wait(&self) {
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
    fn a_ponder_hit_brings_its_time() {
        let flag = StopFlag::new();
        assert!(!flag.is_hit());
        let second = Duration::from_secs(1);
        let budget = Budget::fixed(second);
        let limit = TimeLimit { started: Instant::now(), budget };
        flag.ponder_hit(Some(limit));
        flag.wait();
        assert!(flag.is_hit() && !flag.is_stopped());
        assert_eq!(flag.hit_time(), Some(limit));
    }
}
