//! A network in training: steps over batches, on several threads.

use std::f32::consts::PI;

use crate::train::parallel::{LossSums, in_threads};
use kyomi_engine::eval::network::LANES;

use super::adam::{Chunk, Moments, Step};
use super::gradients::Gradients;
use super::parameters::{Parameters, Shape};

/// The settings of the descent.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkDescent {
    /// The number of positions in a step.
    pub batch: usize,
    /// The first change of a parameter. The rate falls from step to step, by half a wave of a cosine.
    pub rate: f32,
    /// The last rate as a share of the first one.
    pub last_rate: f32,
    /// The part of a parameter that each step removes, as a multiple of the rate.
    pub decay: f32,
    /// The number of threads. The result is the same with any number.
    pub threads: usize,
}

impl Default for NetworkDescent {
    fn default() -> Self {
        Self { batch: 16_384, rate: 0.001, last_rate: 0.01, decay: 0.01, threads: 2 }
    }
}

impl NetworkDescent {
    /// The rate of a step, counted from 0, of a training with this number of steps.
    fn rate_of(&self, step: u32, steps: u32) -> f32 {
        let done = step as f32 / steps.max(1) as f32;
        let wave = 0.5 + 0.5 * (done.min(1.0) * PI).cos();
        self.rate * (self.last_rate + (1.0 - self.last_rate) * wave)
    }
}

/// A network in training.
#[derive(Debug)]
pub(in crate::train) struct Trainer {
    pub(in crate::train) parameters: Parameters,
    pub(super) moments: Moments,
    /// The sums of gradients of each part of a batch, 0 between two steps.
    parts: Vec<Gradients>,
    /// The sums of gradients in the parameters.
    gradients: Vec<f32>,
}

/// The number of parts of a batch. It does not depend on the number of threads, so that rounding is always the same.
const PARTS: usize = 4;
/// The number of parameters that one thread updates at a time.
const CHUNK: usize = 1 << 14;

impl Trainer {
    pub(in crate::train) fn new(parameters: Parameters, moments: Moments) -> Self {
        let shape = parameters.shape;
        let parts = (0..PARTS).map(|_| Gradients::new(shape)).collect();
        Self { parameters, moments, parts, gradients: vec![0.0; shape.parameters()] }
    }

    /// Takes a step by the items with the indices in `batch`. `steps` is the number of steps of the whole training.
    /// `pass` computes the losses of some items with some parameters, and adds their gradients.
    pub(in crate::train) fn step<L: LossSums>(
        &mut self,
        batch: &[u32],
        steps: u32,
        descent: &NetworkDescent,
        pass: impl Fn(&Parameters, &[u32], Option<&mut Gradients>) -> L + Sync,
    ) -> L {
        let mut losses = [L::default(); PARTS];
        let numbers: Vec<&[u32]> = batch.chunks(batch.len().div_ceil(PARTS).max(1)).collect();
        let parameters = &self.parameters;
        let mut jobs: Vec<_> = numbers.iter().zip(&mut self.parts).zip(&mut losses).collect();
        in_threads(&mut jobs, descent.threads, |((numbers, gradients), losses)| {
            **losses = pass(parameters, numbers, Some(gradients));
        });
        let mut sum = L::default();
        for losses in losses {
            sum.add(losses);
        }
        self.finish_step(sum.weight(), steps, descent);
        sum
    }

    /// Takes the step of the gradients of all parts, which are sums with this weight.
    fn finish_step(&mut self, weight: f64, steps: u32, descent: &NetworkDescent) {
        self.collect_gradients();
        let step = Step {
            rate: descent.rate_of(self.moments.steps, steps),
            decay: descent.decay,
            scale: 1.0 / weight.max(1e-9) as f32,
            number: self.moments.steps.saturating_add(1),
        };
        self.moments.steps = step.number;
        self.change(step, descent.threads);
        self.parameters.refresh();
    }

    /// Moves the gradients of all parts into those of the parameters.
    fn collect_gradients(&mut self) {
        let shape = self.parameters.shape;
        let (before, rest) = self.gradients.split_at_mut(shape.rest_range().start);
        let (shared, zoned) = before.split_at_mut(shape.shared_range().end);
        zoned.fill(0.0);
        rest.fill(0.0);
        for part in &mut self.parts {
            let Gradients { first, biases, second, bias } = part;
            take(first.as_flattened_mut(), zoned);
            let (to_biases, rest) = rest.split_at_mut(shape.width);
            take(biases.as_flattened_mut(), to_biases);
            take(second.as_flattened_mut(), rest);
            if let Some(last) = rest.last_mut() {
                *last += std::mem::take(bias);
            }
        }
        if !shared.is_empty() {
            shared.fill(0.0);
            for layer in zoned.chunks_exact(shared.len()) {
                for (shared, gradient) in shared.iter_mut().zip(layer) {
                    *shared += gradient;
                }
            }
        }
    }

    /// Changes all parameters by a step.
    fn change(&mut self, step: Step, threads: usize) {
        let shape: Shape = self.parameters.shape;
        let values = self.parameters.values.chunks_mut(CHUNK);
        let means = self.moments.first.chunks_mut(CHUNK).zip(self.moments.second.chunks_mut(CHUNK));
        let chunks = values.zip(self.gradients.chunks(CHUNK)).zip(means).enumerate();
        let mut jobs: Vec<_> = chunks.collect();
        in_threads(&mut jobs, threads, |(number, ((values, gradients), (first, second)))| {
            // A chunk may have parameters with different limits. All limits change at multiples of the lanes, or at the
            // last parameter.
            let mut at = 0;
            while at < values.len() {
                let end = (at + LANES).min(values.len());
                let index = *number * CHUNK + at;
                let most = shape.most(index);
                let mut end_of_limit = end;
                while end_of_limit < values.len()
                    && shape.most(*number * CHUNK + end_of_limit).to_bits() == most.to_bits()
                {
                    end_of_limit = (end_of_limit + LANES).min(values.len());
                }
                let range = at..end_of_limit;
                Chunk {
                    values: &mut values[range.clone()],
                    gradients: &gradients[range.clone()],
                    first: &mut first[range.clone()],
                    second: &mut second[range],
                    most,
                }
                .take(step);
                at = end_of_limit;
            }
        });
    }
}

/// Adds the numbers of `from` to those of `to`, and sets them to 0. `to` may be longer.
fn take(from: &mut [f32], to: &mut [f32]) {
    for (from, to) in from.iter_mut().zip(to) {
        *to += std::mem::take(from);
    }
}
