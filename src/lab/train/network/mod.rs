//! Training the network whose output is added to the fitted sum (`eval::network`).
//!
//! ```text
//!  task ─┬─ rows, cache ── positions: inputs, fitted sum, target
//!        ├─ trainer ─┬──── gradients ── output, loss and gradients of a part of a batch
//!        │           └──── adam ──── the step of all parameters
//!        ├─ checkpoint ─── the file from which training is resumed
//!        └─ report ─────── progress and result
//!
//!  comparison_task ─┬─ comparisons ── positions after the legal moves; loss and gradients of a part of a batch
//!                   └─ trainer
//! ```
//!
//! The fitted sum does not change. The network learns what is missing: the score of a position is the fitted sum plus
//! the output. The result depends on the seed, not on the number of threads.

mod adam;
mod cache;
mod checkpoint;
mod comparison_task;
mod comparisons;
mod gradients;
mod losses;
mod parallel;
mod parameters;
mod report;
mod rows;
mod task;
mod trainer;

pub use comparison_task::{
    Choice, ChoiceLosses, ComparedNetwork, ComparisonProgress, ComparisonTask, make_result_folder,
    train_by_comparisons,
};
pub use comparisons::ComparisonRule;
pub use report::{NetworkProgress, NetworkReport, TableLosses};
pub use task::{NetworkTask, train_network};
pub use trainer::NetworkDescent;

#[cfg(test)]
mod tests;
