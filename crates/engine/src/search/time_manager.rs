//! The time manager, which ends a search by the clock or by the number of nodes of all threads.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use super::limits::{SearchLimits, StopFlag, TimeLimit};
use super::node_count::OtherThreads;
use kyomi_shogi::clock::Signals;

/// Decides for the first thread when to stop.
pub(crate) struct TimeManager {
    stop: StopFlag,
    /// The search ponders or analyses, so that the clock is ignored.
    hold: bool,
    time: Option<TimeLimit>,
    /// The deadline by the budget and the signals so far, from the start of the turn.
    deadline: Duration,
    signals: Signals,
    nodes: Option<u64>,
    /// The number of nodes of all threads at the ponder hit: where time is counted in nodes it begins there.
    nodes_before: u64,
    others: OtherThreads,
}

impl TimeManager {
    pub(crate) fn new(limits: &SearchLimits, stop: StopFlag, others: OtherThreads) -> Self {
        let mut manager = Self {
            stop,
            hold: limits.hold,
            time: limits.time,
            deadline: Duration::MAX,
            signals: Signals::default(),
            nodes: limits.nodes,
            nodes_before: 0,
            others,
        };
        manager.set_deadline();
        manager
    }

    /// Whether to stop. `own_nodes` are the nodes of the first thread.
    pub(crate) fn expired(&mut self, own_nodes: u64) -> bool {
        if self.nodes.is_some_and(|most| self.all_nodes(own_nodes) >= most) {
            return true;
        }
        self.take_ponder_hit(own_nodes);
        !self.hold && self.time.is_some_and(|time| self.spent(&time, own_nodes) >= self.deadline)
    }

    /// The time of the turn so far, by the clock or by the number of nodes.
    fn spent(&self, time: &TimeLimit, own_nodes: u64) -> Duration {
        match time.nodes_per_second {
            Some(speed) => time_of(self.all_nodes(own_nodes) - self.nodes_before, speed),
            None => time.started.elapsed(),
        }
    }

    /// Takes the signals of a completed iteration.
    pub(crate) fn update(&mut self, signals: Signals) {
        self.signals = signals;
        self.set_deadline();
    }

    /// Takes a fall of the score within an iteration, in centipawns. It extends the deadline, to find a better move.
    pub(crate) fn update_fall(&mut self, fall: i32) {
        if fall > self.signals.score_fall {
            self.signals.score_fall = fall.min(LARGEST_FALL);
            self.set_deadline();
        }
    }

    /// Number of nodes that the first thread can still search before the deadline, at its speed so far. `None` if the
    /// time is not limited.
    pub(crate) fn affordable_nodes(&self, own_nodes: u64) -> Option<u64> {
        let time = self.time.filter(|_| !self.hold)?;
        let spent = self.spent(&time, own_nodes);
        let left = self.deadline.saturating_sub(spent).as_micros();
        let nodes = u128::from(own_nodes) * left / spent.as_micros().max(1);
        Some(u64::try_from(nodes).unwrap_or(u64::MAX))
    }

    /// The deadline by the signals so far. `None` if the time is not limited, or is counted in nodes.
    pub(crate) fn deadline_at(&self) -> Option<Instant> {
        let time = self.time.filter(|time| !self.hold && time.nodes_per_second.is_none())?;
        time.started.checked_add(self.deadline)
    }

    /// Takes a ponder hit, and returns whether the time is limited. Then a search with one legal move ends early,
    /// unlike in analysis.
    pub(crate) fn check_timed(&mut self, own_nodes: u64) -> bool {
        self.take_ponder_hit(own_nodes);
        !self.hold && self.time.is_some()
    }

    /// Nodes of all threads.
    pub(crate) fn all_nodes(&self, own_nodes: u64) -> u64 {
        own_nodes + self.others.nodes()
    }

    fn take_ponder_hit(&mut self, own_nodes: u64) {
        if self.hold && self.stop.is_hit() {
            self.hold = false;
            self.nodes_before = self.all_nodes(own_nodes);
            self.time = self.stop.hit_time().or(self.time);
            self.set_deadline();
        }
    }

    fn set_deadline(&mut self) {
        if let Some(time) = self.time {
            self.deadline = time.budget.deadline(&self.signals);
        }
    }
}

/// The time of this number of nodes at this speed.
pub fn time_of(nodes: u64, per_second: NonZeroU32) -> Duration {
    let micros = u128::from(nodes) * 1_000_000 / u128::from(per_second.get());
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// The largest fall of the score that is reported, in centipawns.
pub(crate) const LARGEST_FALL: i32 = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::clock::Budget;

    fn manager(time: Option<&TimeLimit>, hold: bool) -> TimeManager {
        let limits = SearchLimits { time: time.copied(), hold, ..SearchLimits::default() };
        TimeManager::new(&limits, StopFlag::new(), OtherThreads::from_now(&[]))
    }

    #[test]
    fn nodes_are_bounded_by_a_running_clock_only() {
        let hour = Duration::from_secs(3600);
        let started = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        let time = TimeLimit { started, budget: Budget::fixed(hour), nodes_per_second: None };
        let nodes = manager(Some(&time), false).affordable_nodes(1000).unwrap();
        assert!((1..=3_600_000).contains(&nodes), "{nodes}");
        assert_eq!(manager(Some(&time), true).affordable_nodes(1000), None);
        assert_eq!(manager(None, false).affordable_nodes(1000), None);
        let over =
            TimeLimit { started, budget: Budget::fixed(Duration::ZERO), nodes_per_second: None };
        assert_eq!(manager(Some(&over), false).affordable_nodes(1000), Some(0));
    }

    #[test]
    fn time_may_be_counted_in_nodes() {
        let time = TimeLimit {
            started: Instant::now().checked_sub(Duration::from_secs(100)).unwrap(),
            budget: Budget::fixed(Duration::from_millis(500)),
            nodes_per_second: NonZeroU32::new(2000),
        };
        let mut manager = manager(Some(&time), false);
        assert!(!manager.expired(999) && manager.expired(1000));
        assert_eq!((manager.affordable_nodes(400), manager.deadline_at()), (Some(600), None));
    }

    #[test]
    fn a_fall_within_an_iteration_counts_if_it_is_the_largest() {
        let mut manager = manager(None, false);
        manager.update(Signals { score_fall: 50, ..Signals::default() });
        manager.update_fall(30);
        assert_eq!(manager.signals.score_fall, 50);
        manager.update_fall(90_000);
        assert_eq!(manager.signals.score_fall, LARGEST_FALL);
    }
}
