//! A network in training: steps over batches, on several threads.

use std::f32::consts::PI;

use crate::train::parallel::{LossSums, in_threads};

use super::adam::{Chunk, Moments, Step};
use super::model::Model;

/// The settings of the descent.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkDescent {
    /// The number of positions in a step.
    pub batch: usize,
    /// The first change of a parameter. The rate falls from step to step, by half a wave of a cosine.
    pub rate: f32,
    /// The last rate as a share of the first one.
    pub last_rate: f32,
    /// The number of first steps in which the rate rises to the first one.
    pub warmup: u32,
    /// The part of a parameter that each step removes, as a multiple of the rate.
    pub decay: f32,
    /// The number of threads. The result is the same with any number.
    pub threads: usize,
}

impl Default for NetworkDescent {
    fn default() -> Self {
        Self { batch: 16_384, rate: 0.001, last_rate: 0.01, warmup: 0, decay: 0.01, threads: 2 }
    }
}

impl NetworkDescent {
    /// The rate of a step, counted from 0, of a training with this number of steps.
    fn rate_of(&self, step: u32, steps: u32) -> f32 {
        let done = step as f32 / steps.max(1) as f32;
        let wave = 0.5 + 0.5 * (done.min(1.0) * PI).cos();
        let rise = (step + 1) as f32 / self.warmup.max(1) as f32;
        self.rate * rise.min(1.0) * (self.last_rate + (1.0 - self.last_rate) * wave)
    }
}

/// A network in training.
#[derive(Debug)]
pub(in crate::train) struct Trainer<M: Model> {
    pub(in crate::train) model: M,
    pub(super) moments: Moments,
    /// The sums of gradients of each part of a batch, 0 between two steps.
    parts: Vec<M::Gradients>,
    /// The sums of gradients in the parameters.
    gradients: Vec<f32>,
    limits: Vec<(usize, f32)>,
}

/// The number of parts of a batch. It does not depend on the number of threads, so that rounding is always the same.
const PARTS: usize = 4;
/// The number of parameters that one thread updates at a time.
const CHUNK: usize = 1 << 14;

impl<M: Model> Trainer<M> {
    pub(in crate::train) fn new(model: M, moments: Moments) -> Self {
        let parts = (0..PARTS).map(|_| model.zero_gradients()).collect();
        let gradients = vec![0.0; model.values().len()];
        let limits = model.limits();
        Self { model, moments, parts, gradients, limits }
    }

    /// Takes a step by the items with the indices in `batch`. `steps` is the number of steps of the whole training.
    /// `pass` computes the losses of some items, and adds their gradients.
    pub(in crate::train) fn step<L: LossSums>(
        &mut self,
        batch: &[u32],
        steps: u32,
        descent: &NetworkDescent,
        pass: impl Fn(&M, &[u32], Option<&mut M::Gradients>) -> L + Sync,
    ) -> L {
        let mut losses = [L::default(); PARTS];
        let numbers: Vec<&[u32]> = batch.chunks(batch.len().div_ceil(PARTS).max(1)).collect();
        let model = &self.model;
        let mut jobs: Vec<_> = numbers.iter().zip(&mut self.parts).zip(&mut losses).collect();
        in_threads(&mut jobs, descent.threads, |((numbers, gradients), losses)| {
            **losses = pass(model, numbers, Some(gradients));
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
        self.model.changed();
    }

    /// Moves the gradients of all parts into those of the parameters.
    fn collect_gradients(&mut self) {
        self.gradients.fill(0.0);
        for part in &mut self.parts {
            self.model.move_gradients(part, &mut self.gradients);
        }
        self.model.complete_gradients(&mut self.gradients);
    }

    /// Changes all parameters by a step.
    fn change(&mut self, step: Step, threads: usize) {
        let limits = &self.limits;
        let values = self.model.values_mut().chunks_mut(CHUNK);
        let means = self.moments.first.chunks_mut(CHUNK).zip(self.moments.second.chunks_mut(CHUNK));
        let chunks = values.zip(self.gradients.chunks(CHUNK)).zip(means).enumerate();
        let mut jobs: Vec<_> = chunks.collect();
        in_threads(&mut jobs, threads, |(number, ((values, gradients), (first, second)))| {
            // A chunk may have parameters with different limits.
            let mut begin = 0;
            for (end, most) in limits {
                let end = end.saturating_sub(*number * CHUNK).min(values.len());
                if end <= begin {
                    continue;
                }
                let range = begin..end;
                Chunk {
                    values: &mut values[range.clone()],
                    gradients: &gradients[range.clone()],
                    first: &mut first[range.clone()],
                    second: &mut second[range],
                    most: *most,
                }
                .take(step);
                begin = end;
            }
        });
    }
}
