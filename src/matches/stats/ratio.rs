//! Distributions on a grid of scores, and the most likely distribution under a hypothesis.
//!
//! Without a hypothesis the observed frequencies are the most likely distribution. Under a hypothesis ("the mean is s",
//! "the ratio of mean and spread is r") the most likely one is found by Lagrange's method: its probabilities are
//! `p̂ᵢ / (1 + λ gᵢ)`, where `g` is the derivative of the constraint and `λ` solves `Σ p̂ᵢ gᵢ / (1 + λ gᵢ) = 0`.
//! Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution" and
//! "Normalized Elo in practice".

/// Observed results: `counts[i]` samples scored `i / (N - 1)`. Empty cells count as a thousandth of a sample, so that
/// every hypothesis is possible.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observed<const N: usize> {
    /// The number of samples, including the values for empty cells.
    pub(super) samples: f64,
    pub(super) frequencies: [f64; N],
}

impl<const N: usize> Observed<N> {
    pub(super) fn new(counts: [u64; N]) -> Self {
        let counts = counts.map(|count| if count == 0 { FILLING } else { count as f64 });
        let samples: f64 = counts.iter().sum();
        Self { samples, frequencies: counts.map(|count| count / samples) }
    }

    /// Mean and variance of the score of one sample.
    pub(super) fn moments(&self) -> (f64, f64) {
        moments(&self.frequencies)
    }

    /// The log-likelihood ratio of the hypotheses that the mean is `s1` and that it is `s0`.
    pub(super) fn ratio_of_means(&self, s0: f64, s1: f64) -> f64 {
        self.ratio(&self.with_mean(s0), &self.with_mean(s1))
    }

    /// The same for the distance of the mean from ½ in standard deviations.
    pub(super) fn ratio_of_distances(&self, t0: f64, t1: f64) -> f64 {
        self.ratio(&self.with_distance(t0), &self.with_distance(t1))
    }

    fn ratio(&self, p0: &[f64; N], p1: &[f64; N]) -> f64 {
        let terms = self.frequencies.iter().zip(p0.iter().zip(p1));
        self.samples * terms.map(|(observed, (p0, p1))| observed * (p1 / p0).ln()).sum::<f64>()
    }

    fn with_mean(&self, mean: f64) -> [f64; N] {
        self.under(&scores::<N>().map(|score| score - mean))
    }

    /// The constraint is not linear, so its derivative is taken at the last answer until that stays put.
    fn with_distance(&self, distance: f64) -> [f64; N] {
        let mut answer = [1.0 / N as f64; N];
        for _ in 0..MOST_ROUNDS {
            let (mean, variance) = moments(&answer);
            let sigma = variance.sqrt();
            let derivative = scores::<N>().map(|score| {
                let off = (mean - score) / sigma;
                score - 0.5 - distance * sigma * (1.0 + off * off) / 2.0
            });
            let next = self.under(&derivative);
            let change = answer.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            answer = next;
            if change < 1e-13 {
                break;
            }
        }
        answer
    }

    /// The most likely distribution with `Σ pᵢ gᵢ = 0`.
    fn under(&self, constraint: &[f64; N]) -> [f64; N] {
        let least = constraint.iter().copied().fold(f64::INFINITY, f64::min);
        let most = constraint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least >= 0.0 || most <= 0.0 {
            // No distribution satisfies the constraint. This does not occur for hypotheses within ±1200 Elo.
            return self.frequencies;
        }
        // The sum falls from +∞ to -∞ between the two poles.
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            let terms = self.frequencies.iter().zip(constraint);
            let sum: f64 = terms.map(|(p, g)| p * g / (1.0 + middle * g)).sum();
            if sum > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let lambda = f64::midpoint(low, high);
        let mut answer = self.frequencies;
        for (p, g) in answer.iter_mut().zip(constraint) {
            *p /= 1.0 + lambda * g;
        }
        answer
    }
}

/// The score of each cell, 0 to 1.
fn scores<const N: usize>() -> [f64; N] {
    std::array::from_fn(|cell| cell as f64 / (N - 1) as f64)
}

fn moments<const N: usize>(frequencies: &[f64; N]) -> (f64, f64) {
    let scores = scores::<N>();
    let mean: f64 = frequencies.iter().zip(&scores).map(|(p, score)| p * score).sum();
    let parts = frequencies.iter().zip(&scores);
    (mean, parts.map(|(p, score)| p * (score - mean) * (score - mean)).sum())
}

/// The count of a cell without samples.
const FILLING: f64 = 1e-3;

/// The number of bisections, enough for every bit of a double.
const BISECTIONS: u32 = 200;

/// The largest number of rounds. The error falls several times in each round; ten are enough in practice.
const MOST_ROUNDS: u32 = 50;
