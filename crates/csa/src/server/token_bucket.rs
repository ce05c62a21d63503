//! Rate limit of a peer's lines: a burst, and a number of lines per second.

use std::time::Instant;

/// A token bucket: each line takes one token; tokens are refilled over time.
#[derive(Debug)]
pub(super) struct TokenBucket {
    tokens: f64,
    capacity: f64,
    per_second: f64,
    filled: Instant,
}

impl TokenBucket {
    /// A full bucket.
    pub(super) fn new(capacity: u32, per_second: u32, now: Instant) -> Self {
        Self {
            tokens: capacity.into(),
            capacity: capacity.into(),
            per_second: per_second.into(),
            filled: now,
        }
    }

    /// Takes one token. Returns false if none is left.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.take_all(1, now)
    }

    /// Takes this number of tokens. Returns false, and takes none, if fewer are left.
    pub(super) fn take_all(&mut self, number: u32, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.filled = now;
        self.tokens = (self.tokens + passed * self.per_second).min(self.capacity);
        if self.tokens < f64::from(number) {
            return false;
        }
        self.tokens -= f64::from(number);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_up_again() {
        let now = Instant::now();
        let mut bucket = TokenBucket::new(3, 2, now);
        assert!((0..3).all(|_| bucket.take(now)));
        assert!(!bucket.take(now));
        let later = now + Duration::from_secs(1);
        assert!(bucket.take(later) && bucket.take(later) && !bucket.take(later));
        assert!(!bucket.take_all(2, later + Duration::from_millis(500)));
        assert!(bucket.take(later + Duration::from_millis(500)));
        let much_later = later + Duration::from_secs(1000);
        assert_eq!((0..10).filter(|_| bucket.take(much_later)).count(), 3);
    }
}
