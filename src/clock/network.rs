//! How much of a turn the network eats: an upper bound on the next turn's delay.
//!
//! The mover pays for the network both ways (from the server's start of the turn to the line that
//! tells us, and from our line to the server). Two things let us see it: the round trip of a line
//! the server answers at once (login, the echo of our own move), and a `T` above our own measure.
//!
//! With `n` samples of which the worst is `w`, the bound is `w * 10^(10/n) + 20 ms`: if delays
//! spread as `J * u^k` with `u` uniform, all of `n` samples stay below `w` while the next one
//! exceeds the bound with a chance below `10^(-10/k)`. Before the factor has come down the bound
//! is [`DelayEstimator::PRIOR`]; once worse than that was seen, it is the worst and a half.

use std::time::Duration;

/// Where the reserve for the network comes from (`network_delay` in the configuration).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelayPolicy {
    /// From what was measured.
    #[default]
    Auto,
    /// This much for each move, or the worst measured delay where that was more.
    Fixed(Duration),
}

/// Collects measured delays and bounds the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelayEstimator {
    policy: DelayPolicy,
    samples: u32,
    worst: Duration,
    /// Largest of `T - own measure`: delay that the turn surely had.
    sure: Duration,
}

impl DelayEstimator {
    /// What is believed before anything was measured, and as long as few samples leave it open.
    pub const PRIOR: Duration = Duration::from_secs(3);

    /// An estimator without samples.
    pub fn new(policy: DelayPolicy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Notes the time between a line of ours and its answer (login, echo of our move).
    pub fn observe_round_trip(&mut self, round_trip: Duration) {
        self.samples = self.samples.saturating_add(1);
        self.worst = self.worst.max(round_trip);
    }

    /// Notes a turn of ours: what the server counted and what we measured from the line that gave
    /// us the turn to our own line. Since the server may have dropped parts of a unit this shows
    /// only how much the delay was at least, and counts as no sample.
    pub fn observe_turn(&mut self, stated: Duration, measured: Duration) {
        self.sure = self.sure.max(stated.saturating_sub(measured));
    }

    /// The number of round trips seen.
    pub const fn samples(&self) -> u32 {
        self.samples
    }

    /// The worst delay seen.
    pub fn worst(&self) -> Duration {
        self.worst.max(self.sure)
    }

    /// How long the network will hardly ever take more than, in the next turn.
    pub fn bound(&self) -> Duration {
        let worst = self.worst();
        match self.policy {
            DelayPolicy::Fixed(fixed) => fixed.max(worst),
            DelayPolicy::Auto if self.samples == 0 => Self::PRIOR.max(worst.saturating_mul(3) / 2),
            DelayPolicy::Auto => {
                let factor = 10f64.powf(10.0 / f64::from(self.samples)).min(1e6);
                let seconds = (worst.as_secs_f64() * factor + MARGIN.as_secs_f64()).min(1e9);
                let cap = Self::PRIOR.max(worst.saturating_mul(3) / 2);
                Duration::from_secs_f64(seconds).min(cap)
            }
        }
    }
}

/// Our own scheduling: reading a line, waking a thread.
const MARGIN: Duration = Duration::from_millis(20);
