//! The time of day, which tests can simulate.

use jiff::Timestamp;
#[cfg(test)]
use tokio::time::Instant;

/// The source of the time of day.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WallClock {
    /// A time of day, and the instant of the runtime's clock at that time. `None`: the system clock is used.
    #[cfg(test)]
    simulated: Option<(Timestamp, Instant)>,
}

impl WallClock {
    /// A clock that starts at `now` and follows the runtime's clock.
    #[cfg(test)]
    pub(super) fn simulated(now: Timestamp) -> Self {
        Self { simulated: Some((now, Instant::now())) }
    }

    /// The current time.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "a test has a clock of its own"))]
    pub(super) fn now(self) -> Timestamp {
        #[cfg(test)]
        if let Some((start, at)) = self.simulated {
            return start + at.elapsed();
        }
        Timestamp::now()
    }
}
