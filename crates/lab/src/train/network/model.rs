//! What the trainer and a training need of a network.

use std::path::Path;

use crate::train::parallel::sum_losses;

use super::losses::NetworkLosses;
use super::rows::Row;

/// Parameters that are changed by the gradients of losses.
pub(in crate::train) trait Model: Sync {
    /// Gradients of the loss, summed over items.
    type Gradients: Send;

    /// Gradients that are 0.
    fn zero_gradients(&self) -> Self::Gradients;

    fn values(&self) -> &[f32];

    /// The parameters. [`changed`](Self::changed) must be called after a change.
    fn values_mut(&mut self) -> &mut [f32];

    /// The largest absolute values: for each range of parameters, in their order, its end and the limit.
    fn limits(&self) -> Vec<(usize, f32)>;

    /// Adds gradients to those of the parameters, and sets them to 0.
    fn move_gradients(&self, from: &mut Self::Gradients, to: &mut [f32]);

    /// Computes the gradients that are sums of others, after all have been moved.
    fn complete_gradients(&self, _: &mut [f32]) {}

    /// Recomputes what follows from the values.
    fn changed(&mut self);
}

/// A network that learns the values of positions.
pub(super) trait ValueModel: Model + Sized {
    /// The network as its file has it.
    type Whole: WholeNetwork;

    /// Computes the losses of the positions with some indices, and adds their gradients if `gradients` is given. `unit`
    /// is one logistic unit in centipawns.
    fn pass(
        &self,
        rows: &[Row],
        numbers: &[u32],
        gradients: Option<&mut Self::Gradients>,
        unit: f32,
    ) -> NetworkLosses;

    /// The value of a position in logistic units.
    fn score(&self, row: &Row, unit: f32) -> f32;

    /// The network with whole numbers that is nearest.
    fn whole(&self) -> Self::Whole;
}

/// A network with whole numbers.
pub(super) trait WholeNetwork: Sized {
    /// The name of its file.
    const FILE: &'static str;

    /// The network in a file, if there is one.
    fn read(path: &Path) -> Option<Self>;

    /// The content of its file.
    fn bytes(&self) -> Vec<u8>;

    fn checksum(&self) -> u32;

    /// The value of a position in logistic units; `unit` is a unit in centipawns.
    fn score(&self, row: &Row, unit: f32) -> f32;
}

/// The losses of a network on some positions.
pub(super) fn losses(
    model: &impl ValueModel,
    rows: &[Row],
    unit: f32,
    threads: usize,
) -> NetworkLosses {
    sum_losses(rows.len(), threads, |numbers| model.pass(rows, numbers, None, unit))
}

/// Adds the numbers of `from` to those of `to`, and sets them to 0. `to` may be longer.
pub(super) fn move_numbers(from: &mut [f32], to: &mut [f32]) {
    for (from, to) in from.iter_mut().zip(to) {
        *to += std::mem::take(from);
    }
}
