//! How long to wait before trying again.

use std::time::Duration;

/// Growing pauses: each about twice the one before, up to a limit, with a random part so that
/// many clients do not come back all at once.
#[derive(Debug, Clone)]
pub(super) struct Pauses {
    shortest: Duration,
    longest: Duration,
    failures: u32,
    generator: fastrand::Rng,
}

impl Pauses {
    /// For a server that cannot be reached or refuses us.
    pub(super) fn new() -> Self {
        Self {
            shortest: Duration::from_secs(2),
            longest: Duration::from_secs(300),
            failures: 0,
            generator: fastrand::Rng::new(),
        }
    }

    /// All is well again.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    /// How long to wait after one more failure.
    pub(super) fn next(&mut self) -> Duration {
        let doubled = self.shortest.saturating_mul(2u32.saturating_pow(self.failures));
        self.failures = self.failures.saturating_add(1);
        self.randomised(doubled.min(self.longest))
    }

    /// After a connection lost in a game: the server may still hold our name for the game that
    /// it has not noticed the end of, so we knock steadily, every 10 to 30 s.
    pub(super) fn after_lost_game(&mut self) -> Duration {
        Duration::from_millis(self.generator.u64(10_000..=30_000))
    }

    fn randomised(&mut self, pause: Duration) -> Duration {
        pause.mul_f64(0.5 + self.generator.f64() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_start_again_after_success() {
        let mut pauses = Pauses::new();
        let mut limit = Duration::from_secs(2);
        for _ in 0..100 {
            let pause = pauses.next();
            assert!(pause <= limit && pause >= limit / 2, "{pause:?} {limit:?}");
            limit = (limit * 2).min(Duration::from_secs(300));
        }
        pauses.reset();
        assert!(pauses.next() <= Duration::from_secs(2));
    }

    #[test]
    fn after_a_lost_game_every_ten_to_thirty_seconds() {
        let mut pauses = Pauses::new();
        for _ in 0..100 {
            let pause = pauses.after_lost_game().as_secs();
            assert!((10..=30).contains(&pause));
        }
    }
}
