//! The pauses between connection attempts: exponential back-off with jitter.

use std::time::Duration;

/// Exponential back-off: each pause is about twice the previous one, up to a limit, with a random part (jitter) so that
/// many clients do not reconnect at the same time.
#[derive(Debug, Clone)]
pub(super) struct Backoff {
    shortest: Duration,
    longest: Duration,
    failures: u32,
    generator: fastrand::Rng,
}

impl Backoff {
    /// The back-off for a server that cannot be reached or refuses the login.
    pub(super) fn new() -> Self {
        Self {
            shortest: Duration::from_secs(2),
            longest: Duration::from_secs(300),
            failures: 0,
            generator: fastrand::Rng::new(),
        }
    }

    /// Starts again with the shortest pause.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    /// The pause after one more failure.
    pub(super) fn next(&mut self) -> Duration {
        let doubled = self.shortest.saturating_mul(2u32.saturating_pow(self.failures));
        self.failures = self.failures.saturating_add(1);
        self.randomised(doubled.min(self.longest))
    }

    /// The pause before the next attempt to resume a game, after this number of attempts without success: the first one
    /// is made at once. The pause is short if our flag falls soon.
    pub(super) fn before_resuming(&mut self, attempts: u32, until_flag: Duration) -> Duration {
        let Some(doublings) = attempts.checked_sub(1) else { return Duration::ZERO };
        let doubled = SHORTEST_BEFORE_RESUMING.saturating_mul(2u32.saturating_pow(doublings));
        let longest =
            (until_flag / SHARE_OF_CLOCK).clamp(SHORTEST_BEFORE_RESUMING, LONGEST_BEFORE_RESUMING);
        self.randomised(doubled.min(longest))
    }

    /// The pause after a connection was lost in a game. The server may refuse our name until it has ended that
    /// game, so we try steadily, every 10 to 30 s.
    pub(super) fn after_lost_game(&mut self) -> Duration {
        Duration::from_millis(self.generator.u64(10_000..=30_000))
    }

    fn randomised(&mut self, pause: Duration) -> Duration {
        pause.mul_f64(0.5 + self.generator.f64() / 2.0)
    }
}

/// Servers keep a game for about half a minute, and our clock may be running.
const SHORTEST_BEFORE_RESUMING: Duration = Duration::from_millis(500);
const LONGEST_BEFORE_RESUMING: Duration = Duration::from_secs(10);

/// At least about this number of attempts is made before our flag falls.
const SHARE_OF_CLOCK: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_attempt_to_resume_is_made_at_once_and_the_others_soon() {
        let (mut backoff, hour) = (Backoff::new(), Duration::from_secs(3600));
        assert_eq!(backoff.before_resuming(0, hour), Duration::ZERO);
        assert!(backoff.before_resuming(1, hour) <= SHORTEST_BEFORE_RESUMING);
        for attempts in 1..100 {
            assert!(backoff.before_resuming(attempts, hour) <= LONGEST_BEFORE_RESUMING);
        }
        assert!(backoff.before_resuming(50, hour) >= LONGEST_BEFORE_RESUMING / 2);
    }

    #[test]
    fn attempts_to_resume_are_frequent_while_the_clock_runs_out() {
        let mut backoff = Backoff::new();
        for attempts in 1..100 {
            assert!(
                backoff.before_resuming(attempts, Duration::from_secs(8)) <= Duration::from_secs(1)
            );
            assert!(
                backoff.before_resuming(attempts, Duration::ZERO) >= SHORTEST_BEFORE_RESUMING / 2
            );
        }
    }

    #[test]
    fn pauses_grow_to_a_limit_and_start_again_after_success() {
        let mut backoff = Backoff::new();
        let mut limit = Duration::from_secs(2);
        for _ in 0..100 {
            let pause = backoff.next();
            assert!(pause <= limit && pause >= limit / 2, "{pause:?} {limit:?}");
            limit = (limit * 2).min(Duration::from_secs(300));
        }
        backoff.reset();
        assert!(backoff.next() <= Duration::from_secs(2));
    }

    #[test]
    fn after_a_lost_game_every_ten_to_thirty_seconds() {
        let mut backoff = Backoff::new();
        for _ in 0..100 {
            let pause = backoff.after_lost_game().as_secs();
            assert!((10..=30).contains(&pause));
        }
    }
}
