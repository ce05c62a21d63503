//! Tuning the numbers of the search by games: simultaneous perturbation stochastic approximation (Spall, 1992).
//!
//! - A [`Tuned`] is a number with its range and step, as a [`Wish`] of the user and the search's own table have it.
//! - In each iteration all numbers move up or down by their step, at random and simultaneously; a [`Judge`] plays the two
//!   sets of values against each other in pairs of games, and every number goes a little to the side that won.
//! - `Spsa` is the arithmetic, [`Gains`] the steps of each iteration, [`Games`] the judge that plays.
//! - [`run`] keeps it all in a folder: `tune.json` is the plan, `pairs.jsonl` has a line for each pair of games. What
//!   is known is always computed from these lines, so that an interrupted run continues as if it had not been interrupted.
//!
//! Not here: playing games, and whether the result is better, which a match measures.

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
pub use run::{Bout, Judge, report, run};
pub use settings::TuneSettings;
pub use spsa::Rounding;
pub use state::{PairResult, PlayedPair};
pub use tuned::{Tuned, TunedError, Wish, read_wishes};
