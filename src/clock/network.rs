//! How much of a turn the network eats.
//!
//! The mover pays for the network both ways (from the server's start of the turn to the line that
//! tells us, and from our line to the server). Two observations measure it: the round trip of a line
//! the server answers at once (login, the echo of our own move), and a `T` above our own measure.
//!
//! Few samples say little of what may come. If delays spread as `J * u^k` with `u` uniform, all of
//! `n` samples stay below `J / g` with the chance `g^(-n/k)`; so with `g = 10^(10/n)` the next
//! delay exceeds `g` times the worst sample with a chance of about `10^(-10/k)`. The growth `g` is
//! applied to every sample (to the worst at least one and a half), and the result capped at
//! [`DelayEstimator::PRIOR`] (once worse than two seconds was seen, at one and a half of that).

use std::time::Duration;

/// Where the reserve for the network comes from (`network_delay` in the configuration).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelayPolicy {
    /// From what was measured.
    #[default]
    Auto,
    /// This much for each move, or the worst measured delay where that was more.
    Fixed(Duration),
    /// This much for each move, and more where a late answer would lose the game; the worst measured delay where that was
    /// more.
    Given {
        /// What is kept in each move.
        usual: Duration,
        /// What is kept before the flag falls.
        worst: Duration,
    },
}

/// Collects measured delays and bounds those to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayEstimator {
    policy: DelayPolicy,
    samples: u32,
    worst: Duration,
    /// How many samples were at most the edge of their index, and above the edge before.
    buckets: [u16; BUCKETS],
}

impl DelayEstimator {
    /// What is believed before anything was measured, as long as few samples leave it open, and of
    /// a single delay out of line at any time.
    pub const PRIOR: Duration = Duration::from_secs(3);

    /// An estimator without samples.
    pub const fn new(policy: DelayPolicy) -> Self {
        Self { policy, samples: 0, worst: Duration::ZERO, buckets: [0; BUCKETS] }
    }

    /// An estimator for a server on this machine, which is known to be near.
    pub fn loopback(policy: DelayPolicy) -> Self {
        let mut estimator = Self::new(policy);
        for _ in 0..8 {
            estimator.observe_round_trip(Duration::from_millis(1));
        }
        estimator
    }

    /// Notes the time between a line of ours and its answer (login, echo of our move).
    pub fn observe_round_trip(&mut self, round_trip: Duration) {
        let bucket = EDGES.partition_point(|edge| *edge < round_trip).min(BUCKETS - 1);
        if let Some(count) = self.buckets.get_mut(bucket)
            && *count < u16::MAX
        {
            *count += 1;
            self.samples += 1;
        }
        self.worst = self.worst.max(round_trip);
    }

    /// Notes a turn of ours: what the server counted and what we measured from the line that gave
    /// us the turn to our own line. Since the server may have dropped parts of a unit this shows
    /// only how much the delay was at least; it can raise the worst, but counts as no sample.
    pub fn observe_turn(&mut self, stated: Duration, measured: Duration) {
        self.worst = self.worst.max(stated.saturating_sub(measured));
    }

    /// The number of round trips seen.
    pub const fn samples(&self) -> u32 {
        self.samples
    }

    /// The worst delay seen.
    pub const fn worst(&self) -> Duration {
        self.worst
    }

    /// A bound that the next delay is unlikely to exceed, by the samples.
    pub fn bound(&self) -> Duration {
        match self.policy {
            DelayPolicy::Fixed(usual) | DelayPolicy::Given { usual, .. } => usual.max(self.worst),
            DelayPolicy::Auto if self.samples == 0 => self.cap(),
            DelayPolicy::Auto => {
                let half_more = self.worst.saturating_mul(3) / 2;
                grown(self.worst, self.growth())
                    .max(half_more)
                    .saturating_add(MARGIN)
                    .min(self.cap())
            }
        }
    }

    /// A bound for outlying delays, independent of the samples.
    pub fn spike(&self) -> Duration {
        match self.policy {
            DelayPolicy::Fixed(fixed) => fixed.max(self.worst),
            DelayPolicy::Given { usual, worst } => usual.max(worst).max(self.worst),
            DelayPolicy::Auto => Self::PRIOR.max(self.worst),
        }
    }

    /// The mean of `cost` over delays to come, in seconds: every sample counts with its growth;
    /// without samples the bound counts alone.
    pub fn mean_cost(&self, cost: impl Fn(Duration) -> Duration) -> f64 {
        if self.samples == 0 || self.policy != DelayPolicy::Auto {
            return cost(self.bound()).as_secs_f64();
        }
        let growth = self.growth();
        let total: f64 = EDGES
            .iter()
            .zip(&self.buckets)
            .filter(|(_, count)| **count > 0)
            .map(|(edge, count)| {
                let delay = grown((*edge).min(self.worst), growth).saturating_add(MARGIN);
                f64::from(*count) * cost(delay.min(self.cap())).as_secs_f64()
            })
            .sum();
        total / f64::from(self.samples)
    }

    fn cap(&self) -> Duration {
        Self::PRIOR.max(self.worst.saturating_mul(3) / 2)
    }

    /// How much worse than seen it may be.
    fn growth(&self) -> f64 {
        10f64.powf(10.0 / f64::from(self.samples.max(1))).min(1e6)
    }
}

impl Default for DelayEstimator {
    fn default() -> Self {
        Self::new(DelayPolicy::Auto)
    }
}

fn grown(delay: Duration, growth: f64) -> Duration {
    Duration::from_secs_f64((delay.as_secs_f64() * growth).min(1e9))
}

const BUCKETS: usize = 48;

/// The upper edges of the buckets: 1 ms, growing by a fifth up to about 5 s; the last has none.
const EDGES: [Duration; BUCKETS] = {
    let mut edges = [Duration::MAX; BUCKETS];
    let mut nanos = 1_000_000;
    let mut index = 0;
    while index + 1 < BUCKETS {
        edges[index] = Duration::from_nanos(nanos);
        nanos = nanos * 6 / 5;
        index += 1;
    }
    edges
};

/// Our own scheduling: reading a line, waking a thread.
const MARGIN: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn seen(round_trips: impl IntoIterator<Item = Duration>) -> DelayEstimator {
        let mut estimator = DelayEstimator::default();
        round_trips.into_iter().for_each(|delay| estimator.observe_round_trip(delay));
        estimator
    }

    #[test]
    fn nothing_measured_is_the_prior() {
        let estimator = DelayEstimator::default();
        assert_eq!(estimator.bound(), DelayEstimator::PRIOR);
        assert_eq!(estimator.spike(), DelayEstimator::PRIOR);
    }

    #[test]
    fn a_server_on_this_machine_is_near() {
        assert!(DelayEstimator::loopback(DelayPolicy::Auto).bound() < MS * 100);
    }

    #[test]
    fn few_samples_are_not_believed_and_many_are() {
        assert_eq!(seen([MS * 50; 2]).bound(), DelayEstimator::PRIOR);
        assert!(seen([MS * 50; 60]).bound() < MS * 120);
        assert!(seen([MS / 2; 5]).bound() < MS * 100, "a loopback is believed after a few lines");
    }

    #[test]
    fn the_bound_is_never_below_the_worst_seen() {
        for worst in [1, 80, 900, 2900, 5000, 40_000] {
            let estimator = seen((0..200).map(|_| MS).chain([MS * worst]));
            assert!(estimator.bound() >= MS * worst);
            assert!(estimator.spike() >= MS * worst);
        }
    }

    #[test]
    fn a_turn_shows_the_least_delay_it_had() {
        let mut estimator = seen([MS; 100]);
        estimator.observe_turn(Duration::from_secs(3), MS * 2400);
        assert_eq!(estimator.worst(), MS * 600);
        estimator.observe_turn(Duration::from_secs(2), MS * 2400);
        assert_eq!(estimator.worst(), MS * 600);
    }

    #[test]
    fn one_delay_out_of_line_hardly_raises_the_mean() {
        let calm = seen([MS * 100; 60]);
        let mut shaken = calm;
        shaken.observe_round_trip(Duration::from_secs(3));
        let whole = |delay: Duration| Duration::from_secs(delay.as_secs());
        assert!(calm.mean_cost(whole) < 1e-9);
        assert!(shaken.mean_cost(whole) < 0.1);
        assert!(shaken.bound() > Duration::from_secs(3));
    }

    #[test]
    fn a_fixed_reserve_is_kept_unless_worse_was_seen() {
        let mut estimator = DelayEstimator::new(DelayPolicy::Fixed(MS * 200));
        assert_eq!(estimator.bound(), MS * 200);
        estimator.observe_round_trip(MS * 700);
        assert_eq!(estimator.bound(), MS * 700);
    }

    #[test]
    fn a_given_worst_delay_is_kept_before_the_flag_alone() {
        let given = |usual, worst| {
            let policy = DelayPolicy::Given { usual: MS * usual, worst: MS * worst };
            let estimator = DelayEstimator::new(policy);
            (estimator.bound(), estimator.spike())
        };
        assert_eq!(given(120, 1120), (MS * 120, MS * 1120));
        assert_eq!(given(500, 120), (MS * 500, MS * 500));
    }

    #[test]
    fn absurd_delays_do_not_overflow() {
        let mut estimator = seen([Duration::MAX]);
        estimator.observe_turn(Duration::MAX, Duration::ZERO);
        assert!(estimator.bound() > Duration::from_secs(1_000_000));
        assert!(estimator.mean_cost(|delay| delay).is_finite());
    }
}
