//! Sums of losses over positions.

use crate::logistic::sigmoid;
use crate::train::Losses;
use crate::train::fit::losses_of_sample;
use crate::train::parallel::LossSums;

/// Sums over positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct NetworkLosses {
    pub(super) losses: Losses,
    /// The sum of the squared errors of the expected score.
    squares: f64,
}

impl NetworkLosses {
    /// Adds a position with this score in logistic units. Returns the gradient of its loss in the score.
    pub(super) fn count(&mut self, score: f32, target: f32, weight: f32) -> f32 {
        self.losses.add(losses_of_sample(score, target, weight));
        let error = sigmoid(score) - target;
        self.squares += f64::from(weight * error * error);
        error * weight
    }

    /// The root of the mean squared error of the expected score.
    pub(super) fn root_mean_square(&self) -> f64 {
        (self.squares / self.losses.weight.max(1e-9)).sqrt()
    }
}

impl LossSums for NetworkLosses {
    fn add(&mut self, other: Self) {
        self.losses.add(other.losses);
        self.squares += other.squares;
    }

    fn weight(&self) -> f64 {
        self.losses.weight
    }
}
