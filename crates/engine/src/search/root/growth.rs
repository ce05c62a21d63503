//! How the limit grows from iteration to iteration (docs/search.md, section 1.7), and the first limit of each thread
//! (section 5).

use crate::search::fixed_log2::fixed_log2;
use crate::search::parameters::Parameters;

/// How the limit of one thread grows.
#[derive(Debug, Clone)]
pub(super) struct Growth {
    /// The limit of the next iteration.
    pub(super) limit: i32,
    step: i32,
    /// The step never changes.
    fixed: bool,
    /// 256 times the growth of the logarithm of the nodes per unit of the limit; 0 while unknown.
    rate: i32,
    last_nodes: u64,
}

/// The step to the second iteration, where steps are not fixed.
const FIRST_STEP: i32 = 40;
/// 256 log2 1.35: an iteration should take 1.35 times the nodes of the one before.
const TARGET_GROWTH: i32 = 111;
/// The smallest step where time is not short, and the largest step.
const STEPS: (i32, i32) = (30, 150);
/// The smallest step where time is short.
const LEAST_STEP: i32 = 20;

impl Growth {
    /// Threads begin at different limits, so that they search different trees.
    pub(super) fn new(thread: usize, parameters: &Parameters) -> Self {
        let fixed = parameters.limit_step > 0;
        let step = if fixed { parameters.limit_step } else { FIRST_STEP };
        let limit = parameters.first_limit + shift(thread, step);
        Self { limit, step, fixed, rate: 0, last_nodes: 0 }
    }

    /// Ends an iteration that took this number of nodes.
    pub(super) fn advance(&mut self, nodes: u64) {
        if self.last_nodes > 0 && !self.fixed {
            let growth = 256 * (fixed_log2(nodes) - fixed_log2(self.last_nodes)) / self.step.max(1);
            self.rate = if self.rate == 0 { growth } else { i32::midpoint(self.rate, growth) };
            let (least, most) = STEPS;
            self.step = if self.rate <= 0 {
                most
            } else {
                (TARGET_GROWTH * 256 / self.rate).clamp(least, most)
            };
        }
        self.last_nodes = nodes;
        self.limit += self.step;
    }

    /// Shrinks the last step if it would need more nodes than the time left allows.
    pub(super) fn shrink_step(&mut self, nodes: u64) {
        if self.fixed || self.rate <= 0 || self.step <= LEAST_STEP {
            return;
        }
        // At the growth so far, an iteration of step s takes the nodes of the last one times 2^(rate·s/65536).
        let affordable =
            256 * (fixed_log2(nodes.max(1)) - fixed_log2(self.last_nodes.max(1))) / self.rate;
        let step = affordable.clamp(LEAST_STEP, self.step);
        self.limit -= self.step - step;
        self.step = step;
    }

    /// Takes over the largest limit of all threads if this thread is more than a step behind it. An iteration at a
    /// smaller limit would find nothing new.
    pub(super) fn catch_up_with(&mut self, largest: i32) {
        if largest > self.limit + self.step {
            self.limit = largest;
        }
    }
}

/// The amount by which the first limit of a thread is larger: a fraction of the step, the fractional part of a multiple
/// of the golden ratio. These fractions are spread evenly for any number of threads. It is 0 for the first thread.
fn shift(thread: usize, step: i32) -> i32 {
    let part = (thread as u32).wrapping_mul(GOLDEN_RATIO);
    ((u64::from(part) * step.max(0) as u64) >> 32) as i32
}

/// 2^32 times 0.618…
const GOLDEN_RATIO: u32 = 0x9e37_79b9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_begin_at_limits_spread_over_one_step() {
        let first = |thread| Growth::new(thread, &Parameters::interest()).limit;
        assert_eq!([0, 1, 2, 3, 4].map(first), [200, 224, 209, 234, 218]);
        assert!((0..1024).all(|thread| (200..240).contains(&first(thread))));
    }

    #[test]
    fn steps_aim_at_a_third_more_nodes() {
        let mut growth = Growth::new(0, &Parameters::interest());
        growth.advance(1000);
        assert_eq!((growth.limit, growth.step), (240, 40));
        // Twice the nodes for 40 units is 1.35 times for 17 units, but no step is smaller than 30.
        growth.advance(2000);
        assert_eq!((growth.limit, growth.step), (270, 30));
        // No growth for 30 units: the rate is halved, and the step doubles.
        growth.advance(2000);
        assert_eq!((growth.limit, growth.step), (304, 34));
    }

    #[test]
    fn a_step_shrinks_to_the_time_left() {
        let mut growth = Growth::new(0, &Parameters::interest());
        growth.advance(1000);
        growth.advance(1200);
        let (limit, step) = (growth.limit, growth.step);
        let with = |nodes: u64| {
            let mut growth = growth.clone();
            growth.shrink_step(nodes);
            (growth.limit, growth.step)
        };
        assert_eq!(with(1_000_000), (limit, step));
        assert_eq!(with(10), (limit - step + LEAST_STEP, LEAST_STEP));
        let (_, fitted) = with(1400);
        assert!(LEAST_STEP < fitted && fitted < step, "{fitted} of {step}");
    }

    #[test]
    fn a_thread_far_behind_takes_the_largest_limit() {
        let mut growth = Growth::new(1, &Parameters::interest());
        growth.catch_up_with(264);
        assert_eq!(growth.limit, 224);
        growth.catch_up_with(265);
        assert_eq!(growth.limit, 265);
    }
}
