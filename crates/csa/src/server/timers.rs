//! A set of timers: one instant for each key.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::time::Instant;

/// The instants of all timers, soonest first.
#[derive(Debug)]
pub(super) struct Timers<K> {
    queue: BTreeSet<(Instant, K)>,
    at: HashMap<K, Instant>,
}

impl<K: Copy + Ord + Hash> Timers<K> {
    /// No timers.
    pub(super) fn new() -> Self {
        Self { queue: BTreeSet::new(), at: HashMap::new() }
    }

    /// Sets the timer of `key` to `at`, replacing an earlier one; `None` removes it.
    pub(super) fn set(&mut self, key: K, at: Option<Instant>) {
        if let Some(old) = self.at.remove(&key) {
            self.queue.remove(&(old, key));
        }
        if let Some(at) = at {
            self.at.insert(key, at);
            self.queue.insert((at, key));
        }
    }

    /// When the next timer expires.
    pub(super) fn next(&self) -> Option<Instant> {
        self.queue.first().map(|(at, _)| *at)
    }

    /// Removes and returns a timer that has expired.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<K> {
        let (at, key) = *self.queue.first()?;
        if at > now {
            return None;
        }
        self.set(key, None);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn timers_expire_in_order_and_once() {
        let now = Instant::now();
        let at = |ms| Some(now + Duration::from_millis(ms));
        let mut timers = Timers::new();
        timers.set('a', at(20));
        timers.set('b', at(10));
        timers.set('c', at(5));
        timers.set('c', None);
        timers.set('a', at(1));
        assert_eq!(timers.next(), at(1));
        let later = now + Duration::from_millis(10);
        assert_eq!(timers.pop_due(later), Some('a'));
        assert_eq!(timers.pop_due(later), Some('b'));
        assert_eq!(timers.pop_due(later), None);
        assert_eq!(timers.next(), None);
    }
}
