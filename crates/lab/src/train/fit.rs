//! Gradient descent: steps of `AdaGrad` over batches. Every parameter is drawn towards its expected value.

use std::thread;

use crate::logistic::{entropy, loss, sigmoid};

use super::model::{self, PARAMETERS, WEIGHTS, Weights};
use super::samples::Samples;

/// One unit of a logistic score, in centipawns.
pub(super) const UNIT: f32 = 600.0;

/// The settings of the descent.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent {
    /// The number of positions in a step.
    pub batch: usize,
    /// The first step of a parameter in centipawns.
    pub rate: f32,
    /// The number of positions that count as one independent position, since positions of the same game are correlated.
    pub kinship: f32,
    /// The number of threads. The result is the same with any number.
    pub threads: usize,
}

impl Default for Descent {
    fn default() -> Self {
        Self { batch: 16_384, rate: 10.0, kinship: 0.5, threads: 2 }
    }
}

/// The state of a fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    pub(super) parameters: Vec<f32>,
    /// For each parameter the sum of its squared gradients so far.
    pub(super) squares: Vec<f32>,
    expected: Vec<f32>,
    weights: Weights,
}

/// Sums of losses over positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// The sum of the weights of the positions.
    pub weight: f64,
    /// The sum of the cross-entropy.
    pub loss: f64,
    /// The sum of the least possible cross-entropy.
    pub least: f64,
}

impl Losses {
    /// The mean cross-entropy per position, in nats.
    pub fn mean(&self) -> f64 {
        self.loss / self.weight.max(1e-9)
    }

    /// The mean cross-entropy above the least possible one.
    pub fn excess(&self) -> f64 {
        (self.loss - self.least) / self.weight.max(1e-9)
    }

    pub(super) fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.loss += other.loss;
        self.least += other.least;
    }
}

impl Fit {
    /// A fit that has learnt nothing yet.
    pub(super) fn new() -> Self {
        Self::at(model::expected())
    }

    /// A fit of changes of weights, which are expected to be 0.
    pub(super) fn of_changes() -> Self {
        Self::at(vec![0.0; PARAMETERS])
    }

    fn at(expected: Vec<f32>) -> Self {
        let mut fit = Self {
            parameters: expected.clone(),
            squares: vec![0.0; PARAMETERS],
            expected,
            weights: Vec::new(),
        };
        fit.refresh();
        fit
    }

    /// Recomputes the weights after a change of the parameters.
    pub(super) fn refresh(&mut self) {
        model::expand(&self.parameters, &mut self.weights);
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Takes a step by the positions with the indices in `batch`, out of `total` positions.
    pub(super) fn step(
        &mut self,
        samples: &Samples,
        batch: &[u32],
        total: usize,
        descent: &Descent,
    ) -> Losses {
        let (losses, gradients) = gradients(&self.weights, samples, batch, descent.threads);
        self.step_by(&gradients, losses.weight, total, descent);
        losses
    }

    /// Takes a step by the gradients of a summed loss per logistic unit. `weight` is that of the sum, `total` the
    /// number of positions of the fit.
    pub(super) fn step_by(
        &mut self,
        gradients: &[f32],
        weight: f64,
        total: usize,
        descent: &Descent,
    ) {
        let mut folded = Vec::new();
        model::fold(gradients, &mut folded);
        let scale = 1.0 / weight.max(1e-9) as f32;
        // The loss is that of independent positions, plus a quadratic penalty on the distance from the expected values.
        let pull = UNIT * descent.kinship / total.max(1) as f32;
        for group in model::groups() {
            let pull = pull / (group.spread * group.spread);
            let rate = descent.rate * group.rate;
            let range = group.begin..group.end;
            let parameters = self.parameters[range.clone()].iter_mut();
            let squares = self.squares[range.clone()].iter_mut();
            let gradients = self.expected[range.clone()].iter().zip(&folded[range]);
            for ((parameter, squares), (expected, gradient)) in
                parameters.zip(squares).zip(gradients)
            {
                let gradient = gradient * scale + pull * (*parameter - expected);
                if gradient != 0.0 {
                    *squares += gradient * gradient;
                    *parameter -= rate * gradient / (squares.sqrt() + 1e-9);
                }
            }
        }
        self.refresh();
    }
}

/// The score of a position in logistic units.
pub(super) fn score(weights: &[f32], progress: f32, black: &[u32], white: &[u32]) -> f32 {
    let sum = |list: &[u32]| {
        let (mut begin, mut end) = (0.0, 0.0);
        for &feature in list {
            begin += weights[2 * feature as usize];
            end += weights[2 * feature as usize + 1];
        }
        (begin, end)
    };
    let (black, white) = (sum(black), sum(white));
    ((black.0 - white.0) * (1.0 - progress) + (black.1 - white.1) * progress) / UNIT
}

/// The losses of weights on the positions with these indices.
pub(super) fn losses(
    weights: &[f32],
    samples: &Samples,
    numbers: &[u32],
    threads: usize,
) -> Losses {
    let part = |numbers: &[u32]| {
        let mut losses = Losses::default();
        for &number in numbers {
            let (sample, black, white) = samples.get(number as usize);
            let score = score(weights, sample.progress, black, white);
            losses.add(losses_of_sample(score, sample.target, sample.weight));
        }
        losses
    };
    let mut sum = Losses::default();
    for losses in in_parts(numbers, threads, part) {
        sum.add(losses);
    }
    sum
}

/// The losses, and the gradients of the summed loss in the weights, per logistic unit.
fn gradients(
    weights: &[f32],
    samples: &Samples,
    numbers: &[u32],
    threads: usize,
) -> (Losses, Vec<f32>) {
    let part = |numbers: &[u32]| {
        let mut gradients = vec![0.0; WEIGHTS];
        let mut losses = Losses::default();
        for &number in numbers {
            let (sample, black, white) = samples.get(number as usize);
            let score = score(weights, sample.progress, black, white);
            losses.add(losses_of_sample(score, sample.target, sample.weight));
            let gradient = (sigmoid(score) - sample.target) * sample.weight;
            add_gradients(&mut gradients, gradient, sample.progress, black, white);
        }
        (losses, gradients)
    };
    let mut losses = Losses::default();
    let gradients = summed_gradients(numbers, threads, part, |part| losses.add(part));
    (losses, gradients)
}

/// The sums of the gradients in the weights that `work` computes for parts of the indices. `add` receives the losses of
/// each part.
pub(super) fn summed_gradients<L: Send>(
    numbers: &[u32],
    threads: usize,
    work: impl Fn(&[u32]) -> (L, Vec<f32>) + Sync,
    mut add: impl FnMut(L),
) -> Vec<f32> {
    let mut sums: Vec<f32> = Vec::new();
    for (losses, gradients) in in_parts(numbers, threads, work) {
        add(losses);
        if sums.is_empty() {
            sums = gradients;
            continue;
        }
        for (sum, gradient) in sums.iter_mut().zip(gradients) {
            *sum += gradient;
        }
    }
    sums.resize(WEIGHTS, 0.0);
    sums
}

/// Adds the gradients in the weights of a loss that has this gradient in the score of a position.
pub(super) fn add_gradients(
    gradients: &mut [f32],
    gradient: f32,
    progress: f32,
    black: &[u32],
    white: &[u32],
) {
    let (begin, end) = (gradient * (1.0 - progress), gradient * progress);
    for &feature in black {
        gradients[2 * feature as usize] += begin;
        gradients[2 * feature as usize + 1] += end;
    }
    for &feature in white {
        gradients[2 * feature as usize] -= begin;
        gradients[2 * feature as usize + 1] -= end;
    }
}

pub(super) fn losses_of_sample(score: f32, target: f32, weight: f32) -> Losses {
    Losses {
        weight: f64::from(weight),
        loss: f64::from(weight * loss(score, target)),
        least: f64::from(weight * entropy(target)),
    }
}

/// Applies `work` to fixed parts of the indices and returns the results in order.
fn in_parts<T: Send>(numbers: &[u32], threads: usize, work: impl Fn(&[u32]) -> T + Sync) -> Vec<T> {
    let parts: Vec<&[u32]> = numbers.chunks(numbers.len().div_ceil(PARTS).max(1)).collect();
    let threads = threads.clamp(1, PARTS);
    let mut done: Vec<Option<T>> = parts.iter().map(|_| None).collect();
    let each = parts.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        for (parts, done) in parts.chunks(each).zip(done.chunks_mut(each)) {
            let work = &work;
            let run = move || {
                for (part, done) in parts.iter().zip(done) {
                    *done = Some(work(part));
                }
            };
            if threads == 1 {
                run();
            } else {
                scope.spawn(run);
            }
        }
    });
    done.into_iter().flatten().collect()
}

/// The number of parts of a sum. It does not depend on the number of threads, so that rounding is always the same.
const PARTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_engine::eval::Features;
    use kyomi_shogi::Position;

    fn samples() -> Samples {
        let mut samples = Samples::default();
        for (sfen, target) in [
            ("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1", 0.9),
            ("lnsg1gsnl/1r4kb1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKG1NL b s 1", 0.2),
            ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 0.99),
            ("4k4/9/9/9/9/9/9/9/4K4 w RS3Pgp 1", 0.6),
        ] {
            samples.push(&Features::of(&Position::from_sfen(sfen).unwrap()), target, 1.0);
        }
        samples
    }

    #[test]
    fn gradients_equal_differences_of_the_loss() {
        let samples = samples();
        let numbers: Vec<u32> = (0..samples.len() as u32).collect();
        let mut weights = Fit::new().weights().clone();
        let (_, gradients) = gradients(&weights, &samples, &numbers, 1);
        let mut checked = 0;
        for &number in &numbers {
            let (_, black, white) = samples.get(number as usize);
            for &feature in black.iter().chain(white).step_by(3) {
                for phase in 0..2 {
                    let at = 2 * feature as usize + phase;
                    let kept = weights[at];
                    let mut at_step = |step: f32| {
                        weights[at] = kept + step;
                        losses(&weights, &samples, &numbers, 1).loss
                    };
                    let gradient = (at_step(15.0) - at_step(-15.0)) / 30.0 * f64::from(UNIT);
                    weights[at] = kept;
                    assert!((gradient - f64::from(gradients[at])).abs() < 2e-3, "{at} {gradient}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 50, "{checked}");
    }

    #[test]
    fn steps_lower_the_loss_independently_of_the_threads() {
        let samples = samples();
        let numbers: Vec<u32> = (0..samples.len() as u32).collect();
        let fit = |threads| {
            let descent = Descent { threads, ..Descent::default() };
            let mut fit = Fit::new();
            let first = losses(fit.weights(), &samples, &numbers, threads).excess();
            for _ in 0..12 {
                // A large total makes the pull towards the expected values negligible.
                fit.step(&samples, &numbers, 1_000_000, &descent);
            }
            (fit.parameters.clone(), first, losses(fit.weights(), &samples, &numbers, 1).excess())
        };
        let (one, first, last) = fit(1);
        assert!(last < 0.8 * first, "{first} {last}");
        assert!(one == fit(3).0);
    }
}
