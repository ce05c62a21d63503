//! The games that are still to be begun.

use std::collections::VecDeque;

use parking_lot::Mutex;

use super::Round;

/// The games that are still to be begun, shared by all slots.
#[derive(Debug, Default)]
pub(super) struct Queue(Mutex<VecDeque<Round>>);

impl Queue {
    pub(super) fn new(rounds: impl Iterator<Item = Round>) -> Self {
        Self(Mutex::new(rounds.collect()))
    }

    /// The next game; `None` when there is none any more.
    pub(super) fn next(&self) -> Option<Round> {
        self.0.lock().pop_front()
    }

    /// No further game begins.
    pub(super) fn close(&self) {
        self.0.lock().clear();
    }

    /// Of the games that have not begun only these are played.
    pub(super) fn keep(&self, wanted: impl Fn(&Round) -> bool) {
        self.0.lock().retain(wanted);
    }

    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }
}
