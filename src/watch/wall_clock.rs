//! The time of day, which tests can simulate.

#[cfg(test)]
use std::sync::atomic::{AtomicI64, Ordering};

#[cfg(test)]
use jiff::SignedDuration;
use jiff::Timestamp;
#[cfg(test)]
use tokio::time::Instant;

/// The source of the time of day.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallClock {
    /// `None`: the system clock is used.
    #[cfg(test)]
    simulated: Option<&'static Simulated>,
}

/// A clock on the wall that tests set.
#[cfg(test)]
#[derive(Debug)]
struct Simulated {
    /// A time of day, and the instant of the runtime's clock at that time.
    start: (Timestamp, Instant),
    /// The seconds by which it was set since.
    set_by: AtomicI64,
}

impl WallClock {
    /// A clock that starts at `now` and follows the runtime's clock.
    #[cfg(test)]
    pub(crate) fn simulated(now: Timestamp) -> Self {
        let simulated = Simulated { start: (now, Instant::now()), set_by: AtomicI64::new(0) };
        // A test has few of them.
        Self { simulated: Some(Box::leak(Box::new(simulated))) }
    }

    /// Sets a simulated clock by this number of seconds, as a user or a time server does.
    #[cfg(test)]
    pub(crate) fn step(self, seconds: i64) {
        // A number of its own: it orders no other memory.
        if let Some(simulated) = self.simulated {
            simulated.set_by.fetch_add(seconds, Ordering::Relaxed);
        }
    }

    /// The current time.
    pub fn now(self) -> Timestamp {
        #[cfg(test)]
        if let Some(Simulated { start: (start, at), set_by }) = self.simulated {
            let set_by = SignedDuration::from_secs(set_by.load(Ordering::Relaxed));
            return *start + at.elapsed() + set_by;
        }
        Timestamp::now()
    }
}
