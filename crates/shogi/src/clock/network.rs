//! Estimates the part of a turn that the network takes.
//!
//! The server charges the player to move for the network both ways: from the server's start of the turn until its line
//! reaches us, and from our line until it reaches the server. Two observations measure the delay: the round trip of a
//! line that the server answers at once (the login, the echo of our own move), and a `T` above our own measurement.
//!
//! A small number of samples says little about later delays. If delays are distributed as `J * u^k` with `u` uniform,
//! all of `n` samples are below `J / g` with probability `g^(-n/k)`. So with `g = 10^(10/n)` the next delay exceeds `g`
//! times the longest sample with a probability of about `10^(-10/k)`. Every sample is multiplied by the growth `g` (the
//! longest sample by at least 1.5), and the result is capped at [`DelayEstimator::LONGEST_UNMEASURED`], or at 1.5 times
//! the longest sample if that is more.
//!
//! The longest sample is that of the last games, so that one slow line does not shorten the moves of all later
//! games.
//!
//! A reserve of seconds for a delay that was never measured would use up a short time control. If the server is on this
//! machine or in its local network, that reserve is derived from the measured delays, too.

use std::time::Duration;

/// The source of the reserve for network delays (`network_delay` in the configuration).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelayPolicy {
    /// The measured delays.
    #[default]
    Auto,
    /// This reserve for each move, or the longest measured delay if that is longer.
    Fixed(Duration),
    /// `usual` for each move and `worst` where a late answer would lose the game, or the longest measured delay if
    /// that is longer.
    Given {
        /// The reserve in each move.
        usual: Duration,
        /// The reserve before the flag falls.
        worst: Duration,
    },
}

/// Collects measured delays and estimates a bound on later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayEstimator {
    policy: DelayPolicy,
    /// Whether the server is on this machine or in its local network.
    near: bool,
    samples: u32,
    /// The longest delay of each of the last games, that of the present one first.
    longest: [Duration; GAMES],
    /// A histogram: the number of samples above the previous edge of [`EDGES`] and up to the edge of this index.
    buckets: [u16; BUCKETS],
}

impl DelayEstimator {
    /// The bound before any delay was measured, the cap on the bound while there are few samples, and the least bound
    /// on an outlying delay at any time. A near server has a smaller one as soon as a delay was measured:
    /// [`Self::NEAR_FACTOR`] times the longest, but at least [`Self::NEAR_LONGEST_UNMEASURED`].
    pub const LONGEST_UNMEASURED: Duration = Duration::from_secs(3);

    /// The least bound on an outlying delay of a near server: what a busy machine may take to wake a program.
    pub const NEAR_LONGEST_UNMEASURED: Duration = Duration::from_millis(250);

    /// How many times the longest measured delay of a near server an outlying delay may take. A tunnel to a far server
    /// looks near, but its delays of tens of milliseconds give [`Self::LONGEST_UNMEASURED`] again.
    pub const NEAR_FACTOR: u32 = 50;

    /// An estimator without samples.
    pub const fn new(policy: DelayPolicy) -> Self {
        Self {
            policy,
            near: false,
            samples: 0,
            longest: [Duration::ZERO; GAMES],
            buckets: [0; BUCKETS],
        }
    }

    /// An estimator for a server on this machine: it starts with samples of a millisecond.
    pub fn loopback(policy: DelayPolicy) -> Self {
        let mut estimator = Self::new(policy);
        estimator.set_near(true);
        for _ in 0..8 {
            estimator.observe_round_trip(Duration::from_millis(1));
        }
        estimator
    }

    /// Sets whether the address of the server is on this machine or in its local network.
    pub const fn set_near(&mut self, near: bool) {
        self.near = near;
    }

    /// Begins a new game. The longest delay of the oldest game no longer counts. Games without a measured delay are not
    /// counted.
    pub fn begin_game(&mut self) {
        if let [present, ..] = self.longest
            && !present.is_zero()
        {
            self.longest.rotate_right(1);
            self.longest[0] = Duration::ZERO;
        }
    }

    /// Records the time between the login and its answer. It counts as [`Self::LONGEST_UNMEASURED`] at most: a server
    /// may check a password for seconds, or be busy with many logins at the full hour.
    pub fn observe_login(&mut self, round_trip: Duration) {
        self.observe_round_trip(round_trip.min(Self::LONGEST_UNMEASURED));
    }

    /// Records the time between one of our moves and its echo.
    pub fn observe_round_trip(&mut self, round_trip: Duration) {
        let bucket = EDGES.partition_point(|edge| *edge < round_trip).min(BUCKETS - 1);
        if let Some(count) = self.buckets.get_mut(bucket)
            && *count < u16::MAX
        {
            *count += 1;
            self.samples += 1;
        }
        self.raise(round_trip);
    }

    /// Records one of our turns: the time that the server counted, and the time that we measured from the server's line
    /// to our own line. The server may have dropped parts of a unit, so the difference is only a lower bound on the
    /// delay. It can raise the longest delay, but does not count as a sample.
    pub fn observe_turn(&mut self, stated: Duration, measured: Duration) {
        self.raise(stated.saturating_sub(measured));
    }

    /// The number of recorded round trips.
    pub const fn samples(&self) -> u32 {
        self.samples
    }

    /// The longest delay of the last games.
    pub fn longest(&self) -> Duration {
        self.longest.into_iter().max().unwrap_or_default()
    }

    /// A bound, based on the samples, that the next delay is unlikely to exceed.
    pub fn bound(&self) -> Duration {
        match self.policy {
            DelayPolicy::Fixed(usual) | DelayPolicy::Given { usual, .. } => {
                usual.max(self.longest())
            }
            DelayPolicy::Auto if self.samples == 0 => self.cap(),
            DelayPolicy::Auto => {
                let half_more = self.longest().saturating_mul(3) / 2;
                grown(self.longest(), self.growth())
                    .max(half_more)
                    .saturating_add(MARGIN)
                    .min(self.cap())
            }
        }
    }

    /// A bound on outlying delays: at least [`Self::LONGEST_UNMEASURED`] (less for a near server) or the fixed delay,
    /// and at least the longest delay of the last games.
    pub fn outlier_bound(&self) -> Duration {
        match self.policy {
            DelayPolicy::Fixed(fixed) => fixed.max(self.longest()),
            DelayPolicy::Given { usual, worst } => usual.max(worst).max(self.longest()),
            DelayPolicy::Auto => self.longest_unmeasured().max(self.longest()),
        }
    }

    /// The expected value of `cost` over later delays, in seconds: the mean over the samples multiplied by the growth;
    /// without samples the cost of the bound.
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
                let delay = grown((*edge).min(self.longest()), growth).saturating_add(MARGIN);
                f64::from(*count) * cost(delay.min(self.cap())).as_secs_f64()
            })
            .sum();
        total / f64::from(self.samples)
    }

    fn cap(&self) -> Duration {
        self.longest_unmeasured().max(self.longest().saturating_mul(3) / 2)
    }

    /// The longest delay that is expected although it was never measured.
    fn longest_unmeasured(&self) -> Duration {
        if self.near && self.samples > 0 {
            self.longest()
                .saturating_mul(Self::NEAR_FACTOR)
                .clamp(Self::NEAR_LONGEST_UNMEASURED, Self::LONGEST_UNMEASURED)
        } else {
            Self::LONGEST_UNMEASURED
        }
    }

    fn raise(&mut self, delay: Duration) {
        self.longest[0] = self.longest[0].max(delay);
    }

    /// The factor by which later delays may exceed the samples.
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

/// The number of games whose longest delay counts, with the present one.
const GAMES: usize = 3;

/// The upper edges of the buckets: 1 ms, then a fifth more each up to about 5 s; the last bucket has no edge.
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

/// The time that reading a line and waking a thread may take on our side.
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
    fn without_samples_the_bound_is_the_longest_unmeasured() {
        let estimator = DelayEstimator::default();
        assert_eq!(estimator.bound(), DelayEstimator::LONGEST_UNMEASURED);
        assert_eq!(estimator.outlier_bound(), DelayEstimator::LONGEST_UNMEASURED);
    }

    #[test]
    fn a_near_server_has_a_lower_prior() {
        assert!(DelayEstimator::loopback(DelayPolicy::Auto).bound() < MS * 100);
    }

    #[test]
    fn the_reserve_for_a_near_server_follows_its_delays() {
        let near = |delays: &[Duration]| {
            let mut estimator = seen(delays.iter().copied());
            estimator.set_near(true);
            (estimator.bound(), estimator.outlier_bound())
        };
        assert_eq!(
            near(&[]),
            (DelayEstimator::LONGEST_UNMEASURED, DelayEstimator::LONGEST_UNMEASURED)
        );
        assert_eq!(
            near(&[MS / 2]),
            (DelayEstimator::NEAR_LONGEST_UNMEASURED, DelayEstimator::NEAR_LONGEST_UNMEASURED)
        );
        assert_eq!(near(&[MS * 20]).1, Duration::from_secs(1));
        // A tunnel to a far server.
        assert_eq!(near(&[MS * 80]).1, DelayEstimator::LONGEST_UNMEASURED);
        assert_eq!(near(&[MS, Duration::from_secs(5)]).1, Duration::from_secs(5));
        assert!(near(&[MS / 2; 5]).0 < MS * 100);
    }

    #[test]
    fn few_samples_give_a_higher_bound_than_many() {
        assert_eq!(seen([MS * 50; 2]).bound(), DelayEstimator::LONGEST_UNMEASURED);
        assert!(seen([MS * 50; 60]).bound() < MS * 120);
        assert!(seen([MS / 2; 5]).bound() < MS * 100, "a loopback is believed after a few lines");
    }

    #[test]
    fn the_bound_is_at_least_the_longest_sample() {
        for longest in [1, 80, 900, 2900, 5000, 40_000] {
            let estimator = seen((0..200).map(|_| MS).chain([MS * longest]));
            assert!(estimator.bound() >= MS * longest);
            assert!(estimator.outlier_bound() >= MS * longest);
        }
    }

    #[test]
    fn a_turn_gives_a_lower_bound_on_the_delay() {
        let mut estimator = seen([MS; 100]);
        estimator.observe_turn(Duration::from_secs(3), MS * 2400);
        assert_eq!(estimator.longest(), MS * 600);
        estimator.observe_turn(Duration::from_secs(2), MS * 2400);
        assert_eq!(estimator.longest(), MS * 600);
    }

    #[test]
    fn one_outlier_hardly_raises_the_mean() {
        let calm = seen([MS * 100; 60]);
        let mut shaken = calm;
        shaken.observe_round_trip(Duration::from_secs(3));
        let whole = |delay: Duration| Duration::from_secs(delay.as_secs());
        assert!(calm.mean_cost(whole) < 1e-9);
        assert!(shaken.mean_cost(whole) < 0.1);
        assert!(shaken.bound() > Duration::from_secs(3));
    }

    #[test]
    fn one_slow_delay_counts_in_its_game_and_the_next_two() {
        let mut estimator = seen([MS * 5; 300]);
        let calm = estimator.bound();
        estimator.begin_game();
        estimator.observe_round_trip(Duration::from_secs(20));
        for _ in 0..3 {
            assert!(estimator.bound() >= Duration::from_secs(20));
            estimator.observe_round_trip(MS * 5);
            estimator.begin_game();
            // Games that never begin in earnest do not push it out.
            estimator.begin_game();
        }
        assert_eq!(estimator.longest(), MS * 5);
        assert!(estimator.bound() <= calm + MS, "{:?}", estimator.bound());
        assert_eq!(estimator.outlier_bound(), DelayEstimator::LONGEST_UNMEASURED);
    }

    #[test]
    fn a_slow_login_does_not_raise_the_bound_beyond_the_longest_unmeasured() {
        let mut estimator = DelayEstimator::default();
        estimator.observe_login(Duration::from_secs(60));
        assert_eq!(estimator.longest(), DelayEstimator::LONGEST_UNMEASURED);
        assert_eq!(estimator.samples(), 1);
    }

    #[test]
    fn a_fixed_reserve_holds_unless_a_longer_delay_was_measured() {
        let mut estimator = DelayEstimator::new(DelayPolicy::Fixed(MS * 200));
        assert_eq!(estimator.bound(), MS * 200);
        estimator.observe_round_trip(MS * 700);
        assert_eq!(estimator.bound(), MS * 700);
    }

    #[test]
    fn a_given_worst_delay_counts_only_before_the_flag() {
        let given = |usual, worst| {
            let policy = DelayPolicy::Given { usual: MS * usual, worst: MS * worst };
            let estimator = DelayEstimator::new(policy);
            (estimator.bound(), estimator.outlier_bound())
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
