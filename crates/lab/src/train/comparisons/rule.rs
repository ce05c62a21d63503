//! The loss of comparisons, and sums of it.

use std::fmt;

use serde::Serialize;

use crate::train::parallel::LossSums;

use super::choice::Leaf;

/// How comparisons become a loss, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRule {
    /// The centipawns by which a value must be larger for the probability of its move to be e times as large. More
    /// than 0.
    pub temperature: f32,
    /// The loss of values that differ by 100 centipawns from those before the training. It grows with the square of
    /// the difference.
    pub anchor: f32,
}

impl ComparisonRule {
    /// The temperature and the anchor that suit a network.
    pub const FOR_NETWORK: Self = Self { temperature: 100.0, anchor: 0.1 };

    /// The temperature and the anchor that suit the fitted sum, which changes more.
    pub const FOR_SUM: Self = Self { temperature: 100.0, anchor: 0.02 };

    /// Adds the losses of a comparison whose moves have these values for the side that chooses. Passes the number of
    /// each move and the gradient of the loss in its value to `learn`.
    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    pub(super) fn add_losses<L>(
        &self,
        leaves: &[Leaf<L>],
        values: &[f32],
        losses: &mut ComparisonLosses,
        mut learn: impl FnMut(usize, f32),
    ) {
        let Self { temperature, anchor } = self;
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let power = |value: f32| ((value - most) / temperature).exp();
        let all: f32 = values.iter().copied().map(power).sum();
        losses.count += 1.0;
        losses.choice += f64::from(all.ln() - (values[0] - most) / temperature);
        losses.first += f64::from(u8::from(values[0] >= most));
        let share = 1.0 / leaves.len() as f32;
        for (at, leaf) in leaves.iter().enumerate() {
            let change = values[at] - leaf.before;
            let square = share * change * change;
            losses.squares += f64::from(square);
            losses.anchor += f64::from(anchor * square / ANCHOR_UNIT);
            let played = if at == 0 { 1.0 } else { 0.0 };
            let of_choice = (power(values[at]) / all - played) / temperature;
            let of_anchor = 2.0 * anchor * share * change / ANCHOR_UNIT;
            learn(at, of_choice + of_anchor);
        }
    }
}

/// The square of 100 centipawns.
const ANCHOR_UNIT: f32 = 10_000.0;

/// Sums over comparisons.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ComparisonLosses {
    /// The number of comparisons.
    pub(super) count: f64,
    /// The negative natural logarithms of the probabilities of the moves played.
    pub(super) choice: f64,
    /// The losses of values that have changed.
    pub(super) anchor: f64,
    /// The number of comparisons in which no value is larger than that of the move played.
    pub(super) first: f64,
    /// The mean squares of the changes of values, in centipawns.
    pub(super) squares: f64,
}

impl ComparisonLosses {
    /// The mean loss of a comparison.
    pub(super) fn mean(&self) -> f64 {
        (self.choice + self.anchor) / self.count.max(1e-9)
    }
}

impl LossSums for ComparisonLosses {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.choice += other.choice;
        self.anchor += other.anchor;
        self.first += other.first;
        self.squares += other.squares;
    }

    fn weight(&self) -> f64 {
        self.count
    }
}

/// How well weights predict the moves played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ChoiceLosses {
    /// The mean negative natural logarithm of the probability of the move played.
    pub choice: f64,
    /// The mean loss of values that differ from those before the training.
    pub anchor: f64,
    /// The share of choices in which the move played has the largest value.
    pub first: f64,
    /// The root of the mean squared difference from the values before the training, in centipawns.
    pub change: f64,
}

impl From<ComparisonLosses> for ChoiceLosses {
    fn from(losses: ComparisonLosses) -> Self {
        let count = losses.count.max(1e-9);
        Self {
            choice: losses.choice / count,
            anchor: losses.anchor / count,
            first: losses.first / count,
            change: (losses.squares / count).sqrt(),
        }
    }
}

impl fmt::Display for ChoiceLosses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { choice, anchor, first, change } = self;
        let first = first * 100.0;
        write!(f, "loss {choice:.4} + {anchor:.4}  first {first:.2} %  changed by {change:.1} cp")
    }
}
