//! What ends a search from inside: the clock, and the nodes of all threads.

use std::time::Duration;

use super::limits::{Limits, StopFlag, TimeLimit};
use super::worker::Others;
use crate::clock::Signals;

/// Reads the clock for the first thread.
pub(crate) struct Watch {
    stop: StopFlag,
    /// Pondering or analysing: the clock is not looked at.
    hold: bool,
    time: Option<TimeLimit>,
    /// By the budget and the signals so far, from the start of the turn.
    deadline: Duration,
    signals: Signals,
    nodes: Option<u64>,
    others: Others,
}

impl Watch {
    pub(crate) fn new(limits: &Limits, stop: StopFlag, others: Others) -> Self {
        let mut watch = Self {
            stop,
            hold: limits.hold,
            time: limits.time,
            deadline: Duration::MAX,
            signals: Signals::default(),
            nodes: limits.nodes,
            others,
        };
        watch.set_deadline();
        watch
    }

    /// Whether to stop, after so many nodes of the first thread.
    pub(crate) fn expired(&mut self, own_nodes: u64) -> bool {
        if self.nodes.is_some_and(|most| self.all_nodes(own_nodes) >= most) {
            return true;
        }
        self.take_ponder_hit();
        !self.hold && self.time.is_some_and(|time| time.started.elapsed() >= self.deadline)
    }

    /// The search has completed an iteration and seen this.
    pub(crate) fn tell(&mut self, signals: Signals) {
        self.signals = signals;
        self.set_deadline();
    }

    /// Whether an answer is owed as soon as nothing more can be learnt.
    pub(crate) fn is_timed(&mut self) -> bool {
        self.take_ponder_hit();
        !self.hold && self.time.is_some()
    }

    /// Nodes of all threads.
    pub(crate) fn all_nodes(&self, own_nodes: u64) -> u64 {
        own_nodes + self.others.nodes()
    }

    fn take_ponder_hit(&mut self) {
        if self.hold && self.stop.is_hit() {
            self.hold = false;
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
