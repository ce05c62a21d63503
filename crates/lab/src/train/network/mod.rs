//! Training the network whose output is added to the fitted sum (`eval::network`).
//!
//! ```text
//!  task ─┬─ rows, cache ── positions: inputs, fitted sum, target
//!        ├─ trainer ─┬──── gradients ── output, loss and gradients of a part of a batch
//!        │           └──── adam ──── the step of all parameters
//!        ├─ checkpoint ─── the file from which training is resumed
//!        └─ report ─────── progress and result
//! ```
//!
//! The fitted sum does not change. The network learns what is missing: the score of a position is the fitted sum plus
//! the output. The result depends on the seed, not on the number of threads.

mod adam;
mod cache;
mod checkpoint;
mod gradients;
mod losses;
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
pub use task::{NetworkTask, train_network};
pub use trainer::NetworkDescent;
pub(super) use trainer::Trainer;

#[cfg(test)]
mod tests;
