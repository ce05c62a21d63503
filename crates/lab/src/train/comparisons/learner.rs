//! The interface between a training and the weights that are trained.

use super::choice::{Comparison, LeafContent};
use super::rule::ComparisonLosses;

/// Weights that learn from comparisons.
pub(super) trait Learner {
    /// What the value of a position is computed from.
    type Content: LeafContent;
    /// The weights as whole numbers.
    type Rounded;

    /// Takes a step by the comparisons with the indices in `batch`. `steps` is the number of steps of the training.
    fn step(
        &mut self,
        comparisons: &[Comparison<Self::Content>],
        batch: &[u32],
        steps: u32,
    ) -> ComparisonLosses;

    /// The present weights.
    fn rounded(&self) -> Self::Rounded;

    /// The losses of such weights.
    fn losses(
        &self,
        weights: &Self::Rounded,
        comparisons: &[Comparison<Self::Content>],
    ) -> ComparisonLosses;
}
