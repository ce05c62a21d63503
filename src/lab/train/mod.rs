//! Fitting weights to games.
//!
//! - [`Games`] reads tables of games, whole and replayed.
//! - [`fit_evaluation`] fits the weights of the evaluation: [`Samples`] are the quiet positions of the games with what
//!   they should be worth, by the results and by what engines said ([`Scales`]); the descent is deterministic,
//!   whatever the number of threads, and an interrupted fit goes on.
//!
//! Not here: playing games, the search's own parameters.

mod checkpoint;
mod evaluation;
mod fit;
mod games;
mod logistic;
mod model;
mod samples;
mod scales;

pub use evaluation::{
    EvaluationReport, EvaluationTask, PieceWorth, Told, TrainError, fit_evaluation,
};
pub use fit::{Descent, Losses};
pub use games::{Games, GamesError, RowFault, TrainingGame};
pub use samples::{Choice, Sample, Samples};
pub use scales::Scales;
