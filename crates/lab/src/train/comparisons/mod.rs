//! Training the evaluation further by the moves that were played.
//!
//! A move that was played should lead to a better position, after quiescence search, than the other legal moves. The
//! idea is comparison training (G. Tesauro, *Connectionist Learning of Expert Preferences by Comparison Training*,
//! 1989). In shogi, positions after quiescence search are compared (K. Hoki and T. Kaneko, *Large-Scale Optimization
//! for Evaluation Functions with Minimax Search*, 2014).
//!
//! ```text
//!  task ─┬─ network_learner ─┬─ learner ── the interface between a training and its weights
//!        └─ sum_learner ─────┤
//!                            ├─ choice ─── the positions that the legal moves lead to
//!                            └─ rule ───── the loss of a comparison, sums of losses
//! ```
//!
//! The result depends on the seed, not on the number of threads.

mod choice;
mod learner;
mod network_learner;
mod rule;
mod sum_learner;
mod task;

pub use choice::Choice;
pub use rule::{ChoiceLosses, ComparisonRule};
pub use task::{
    Compared, ComparedWeights, ComparisonProgress, ComparisonTask, LearningWeights,
    make_result_folder, train_by_comparisons,
};

#[cfg(test)]
mod tests;
