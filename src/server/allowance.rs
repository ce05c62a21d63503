//! How many lines a peer may send: so many at once, so many more each second.

use std::time::Instant;

/// A store of lines that fills up with time.
#[derive(Debug)]
pub(super) struct Allowance {
    left: f64,
    most: f64,
    per_second: f64,
    filled: Instant,
}

impl Allowance {
    /// A full store.
    pub(super) fn new(most: u32, per_second: u32, now: Instant) -> Self {
        Self { left: most.into(), most: most.into(), per_second: per_second.into(), filled: now }
    }

    /// Takes one; false when there is none left.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.filled = now;
        self.left = (self.left + passed * self.per_second).min(self.most);
        if self.left < 1.0 {
            return false;
        }
        self.left -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_store_empties_and_fills_up_again() {
        let now = Instant::now();
        let mut store = Allowance::new(3, 2, now);
        assert!((0..3).all(|_| store.take(now)));
        assert!(!store.take(now));
        let later = now + Duration::from_secs(1);
        assert!(store.take(later) && store.take(later) && !store.take(later));
        let much_later = later + Duration::from_secs(1000);
        assert_eq!((0..10).filter(|_| store.take(much_later)).count(), 3);
    }
}
