//! Fitting weights to games.
//!
//! - [`Games`] reads tables of games, whole and replayed; games of self-play are read from their own files.
//! - [`fit_evaluation`] fits the weights of the evaluation. [`Samples`] are the quiet positions of the games with their
//!   target values, which follow from the results and from the engines' scores ([`Scales`]). The descent is
//!   deterministic with any number of threads, and an interrupted fit is resumed.
//! - [`train_network`] trains the network whose output is added to the evaluation, on the same positions, or one that
//!   stands in place of both.
//!   [`train_by_comparisons`] trains either further by the moves played.
//! - `fit_merits` and `fit_interest` fit the values of moves to the moves played in the positions that
//!   `sample_positions` returns.
//!
//! Not here: playing games, and tuning the parameters of the search (`lab::tune`).

mod checkpoint;
mod comparisons;
mod data;
mod descent;
mod error;
mod evaluation;
mod fit;
mod interest;
mod merits;
mod model;
mod moves;
mod network;
mod own_games;
mod parallel;
mod sample_positions;
mod samples;
mod scales;
#[cfg(test)]
mod test_folder;

pub use comparisons::{
    Choice, ChoiceLosses, Compared, ComparedWeights, ComparisonProgress, ComparisonRule,
    ComparisonTask, LearningWeights, make_result_folder, train_by_comparisons,
};
pub use data::{DataFile, DataReport, DataSource};
pub(crate) use descent::ValueFit;
pub use error::TrainError;
pub use evaluation::{EvaluationReport, EvaluationTask, FitProgress, PieceValue, fit_evaluation};
pub use fit::{Descent, Losses};
pub(crate) use interest::{
    InterestList, InterestScore, fit_interest, present_weights, score_interest, weights_table,
};
pub use kyomi_record::{Games, GamesError, RowFault, TrainingGame};
pub(crate) use merits::{
    MeritCase, MeritFit, MeritScore, fit_merits, merit_squares, merit_table, present_merits,
    score_merits,
};
pub(crate) use moves::{MoveCases, MoveFit, MoveScore, finished_moves, fit_moves, moves_of_file};
pub use network::{
    NetworkDescent, NetworkKind, NetworkProgress, NetworkReport, NetworkTask, TableLosses,
    train_network,
};
pub(crate) use sample_positions::{SampledPosition, sample_positions};
pub use samples::{PositionFilter, Sample, Samples, SelfplayPositionFilter};
pub use scales::Scales;
