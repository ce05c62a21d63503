//! The arithmetic of SPSA: perturbs all parameters simultaneously and updates them by the results.

use serde::{Deserialize, Serialize};

use super::{Gains, Tuned};

/// How a value is rounded to a whole number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// Up with a probability equal to the fraction, with the same random number for both sides. On average, steps below
    /// one keep their size.
    #[default]
    Stochastic,
    /// To the nearest whole number.
    Nearest,
}

/// The values of the parameters after the iterations so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spsa {
    parameters: Vec<Tuned>,
    gains: Gains,
    seed: u64,
    rounding: Rounding,
    theta: Vec<f64>,
    /// The number of completed iterations.
    done: u64,
}

/// The two sets of values of an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Perturbation {
    /// For each parameter whether it moves up in `plus` and so down in `minus`.
    pub(super) up: Vec<bool>,
    pub(super) plus: Vec<i32>,
    pub(super) minus: Vec<i32>,
}

impl Spsa {
    pub(super) fn new(
        parameters: Vec<Tuned>,
        iterations: u64,
        seed: u64,
        rounding: Rounding,
    ) -> Self {
        let theta = parameters.iter().map(|tuned| tuned.start).collect();
        Self { parameters, gains: Gains::new(iterations), seed, rounding, theta, done: 0 }
    }

    pub(super) fn parameters(&self) -> &[Tuned] {
        &self.parameters
    }

    /// The current values of the parameters.
    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The number of completed iterations.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// The two sets of values of the next iteration. They follow from the seed, the iteration and the current values.
    pub(super) fn perturbation(&self) -> Perturbation {
        let k = self.done + 1;
        let mut random = fastrand::Rng::with_seed(iteration_seed(self.seed, k));
        let mut perturbation = Perturbation { up: Vec::new(), plus: Vec::new(), minus: Vec::new() };
        for (tuned, theta) in self.parameters.iter().zip(&self.theta) {
            let (up, offset) = (random.bool(), random.f64());
            let step = self.gains.step(tuned.c_end, k) * if up { 1.0 } else { -1.0 };
            let round = |value: f64| {
                // The same random number for both sides keeps their distance.
                let added = if self.rounding == Rounding::Nearest { 0.5 } else { offset };
                let value = (tuned.clamp(value) + added).floor();
                tuned.clamp(value) as i32
            };
            perturbation.up.push(up);
            perturbation.plus.push(round(theta + step));
            perturbation.minus.push(round(theta - step));
        }
        perturbation
    }

    /// Updates the values by the result of an iteration: `margin` is the number of wins of the plus values minus their
    /// number of losses.
    pub(super) fn update(&mut self, up: &[bool], margin: i32) {
        let k = self.done + 1;
        for ((tuned, theta), up) in self.parameters.iter().zip(&mut self.theta).zip(up) {
            let rate = self.gains.rate(tuned.c_end, tuned.r_end, k);
            let signed_margin = if *up { f64::from(margin) } else { -f64::from(margin) };
            *theta = tuned.clamp(*theta + rate * signed_margin);
        }
        self.done = k;
    }
}

/// The seed of an iteration. The mixing makes the random numbers of neighbouring iterations independent.
const fn iteration_seed(seed: u64, k: u64) -> u64 {
    let mut word = seed ^ k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ (word >> 32)
}
