//! The queue of games that have not begun.

use std::collections::VecDeque;

use parking_lot::Mutex;

use super::Round;

/// The games that have not begun, shared by all slots.
#[derive(Debug, Default)]
pub(super) struct Queue(Mutex<VecDeque<Round>>);

impl Queue {
    pub(super) fn new(rounds: impl Iterator<Item = Round>) -> Self {
        Self(Mutex::new(rounds.collect()))
    }

    /// Takes the next game; `None` if none is left.
    pub(super) fn next(&self) -> Option<Round> {
        self.0.lock().pop_front()
    }

    /// Removes all games.
    pub(super) fn close(&self) {
        self.0.lock().clear();
    }

    /// Removes all games except those that `keep` accepts.
    pub(super) fn retain(&self, keep: impl Fn(&Round) -> bool) {
        self.0.lock().retain(keep);
    }

    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }
}
