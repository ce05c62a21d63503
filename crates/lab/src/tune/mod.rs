//! Tuning the parameters of the search by games: simultaneous perturbation stochastic approximation (SPSA; Spall,
//! 1992).
//!
//! - A [`Tuned`] is a parameter with its range and steps. It follows from the user's [`TuneSpec`] and from the table of
//!   search parameters.
//! - In each iteration every parameter moves up or down at random by its step. A [`PairPlayer`] plays the two sets of
//!   values against each other in pairs of games, and every parameter moves a little towards the side that won.
//! - `Spsa` is the arithmetic, [`Gains`] the step sizes of each iteration, [`Games`] the player that plays games, here or
//!   by the workers of a room.
//! - [`run`] keeps the run in a folder: `tune.json` is the plan, `pairs.jsonl` has a line for each pair of games. The
//!   state is always computed from these lines, so that an interrupted run continues as if it had not been interrupted.
//!
//! Not here: whether the result is stronger, which a match measures.

mod gains;
mod games;
mod report;
mod run;
mod settings;
mod spsa;
mod state;
mod tuned;

#[cfg(test)]
mod tests;

pub use gains::Gains;
pub use games::Games;
pub use report::{TuneProgress, TuneReport, TunedValue};
pub use run::{IterationGames, PairPlayer, report, run};
pub use settings::TuneSettings;
pub use spsa::Rounding;
pub use state::{PairResult, PlayedPair};
pub use tuned::{TuneSpec, Tuned, TunedError, read_specs};
