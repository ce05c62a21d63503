//! Training networks on the values of positions: the one whose output is added to the evaluation (`eval::network`), and
//! one of the K-P architecture that stands in its place (`eval::nnue`).
//!
//! ```text
//!  task ─┬─ rows, cache ── positions: inputs, fitted sum, target
//!        ├─ trainer ─┬──── adam ──── the step of all parameters
//!        │           └──── model ─┬─ beside_sum ── parameters, gradients ── one hidden layer
//!        │                        └─ king_and_piece ── three layers, with the numbers of their file
//!        ├─ checkpoint ─── the file from which training is resumed
//!        └─ report ─────── progress and result
//! ```
//!
//! The fitted sum does not change. The network beside it learns what is missing: the score of a position is the fitted
//! sum plus the output. The result depends on the seed, not on the number of threads.

mod adam;
mod beside_sum;
mod cache;
mod checkpoint;
mod gradients;
mod king_and_piece;
mod losses;
mod model;
mod parameters;
mod report;
mod rows;
mod task;
mod trainer;

pub(super) use adam::Moments;
pub(super) use gradients::{Gradients, backward, forward};
#[cfg(test)]
pub(super) use parameters::Shape;
pub(super) use parameters::{Lanes, Parameters};
pub use report::{NetworkProgress, NetworkReport, TableLosses};
pub use task::{NetworkKind, NetworkTask, train_network};
pub use trainer::NetworkDescent;
pub(super) use trainer::Trainer;

#[cfg(test)]
mod tests;
