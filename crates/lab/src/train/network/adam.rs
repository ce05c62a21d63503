//! The steps of the parameters: Adam with decoupled decay.

use kyomi_shogi::machine::{Work, run_with_wide_vectors};

/// The means of gradients and of their squares, for each parameter.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::train) struct Moments {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
    /// The number of steps taken.
    pub(super) steps: u32,
}

/// The share of the earlier gradients in the means.
const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
/// Keeps the step finite for a parameter without gradients.
const LEAST: f32 = 1e-8;

impl Moments {
    pub(in crate::train) fn new(parameters: usize) -> Self {
        Self { first: vec![0.0; parameters], second: vec![0.0; parameters], steps: 0 }
    }
}

/// The settings of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The usual change of a parameter.
    pub(super) rate: f32,
    /// The part of a parameter that each step removes, as a multiple of the rate.
    pub(super) decay: f32,
    /// The factor on the sums of gradients.
    pub(super) scale: f32,
    /// The number of this step, from 1.
    pub(super) number: u32,
}

/// Some parameters with their sums of gradients and their means. All have the same length.
pub(super) struct Chunk<'a> {
    pub(super) values: &'a mut [f32],
    pub(super) gradients: &'a [f32],
    pub(super) first: &'a mut [f32],
    pub(super) second: &'a mut [f32],
    /// The largest absolute value of these parameters.
    pub(super) most: f32,
}

impl Chunk<'_> {
    /// Takes the step.
    pub(super) fn take(self, step: Step) {
        run_with_wide_vectors(ChunkStep(self, step));
    }
}

struct ChunkStep<'a>(Chunk<'a>, Step);

impl Work for ChunkStep<'_> {
    type Output = ();

    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn run(self) {
        let Self(Chunk { values, gradients, first, second, most }, step) = self;
        let Step { rate, decay, scale, number } = step;
        // The means begin at 0.
        let power = number.min(100_000) as i32;
        let first_scale = 1.0 / (1.0 - FIRST.powi(power));
        let second_scale = 1.0 / (1.0 - SECOND.powi(power));
        let keeps = 1.0 - rate * decay;
        let means = first.iter_mut().zip(second);
        for ((value, gradient), (first, second)) in values.iter_mut().zip(gradients).zip(means) {
            let gradient = gradient * scale;
            *first = FIRST * *first + (1.0 - FIRST) * gradient;
            *second = SECOND * *second + (1.0 - SECOND) * gradient * gradient;
            let change = *first * first_scale / ((*second * second_scale).sqrt() + LEAST);
            *value = (*value * keeps - rate * change).clamp(-most, most);
        }
    }
}
