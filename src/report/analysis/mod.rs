//! The analysis of a game: every position searched, every move judged.
//!
//! - [`Analyst`]: an engine that searches positions ([`BuiltinAnalyst`], [`UsiAnalyst`], and `WorkerAnalyst` for the
//!   workers of a room).
//! - [`analyse`]: searches all positions of a game, except those whose results are in an [`AnalysisStore`].
//! - [`GameJudgement`]: the losses of the moves, marks, accuracy, critical moments.
//! - [`why`]: explains a mistake by figures of the built-in search.

mod analyst;
mod builtin_analyst;
mod chance;
mod judge;
#[cfg(feature = "cluster")]
mod position_job;
mod run;
mod searched;
mod store;
mod usi_analyst;
mod why;
#[cfg(feature = "cluster")]
mod worker_analyst;

pub use analyst::{Analyst, AnalystSettings, PositionLimit};
pub use builtin_analyst::BuiltinAnalyst;
pub use chance::chance;
#[cfg(test)]
pub(crate) use judge::judge;
pub use judge::{
    GameJudgement, LEAST_LOSS, MOST_CRITICAL, Mark, MateFault, MoveJudgement, SideFigures,
};
#[cfg(feature = "cluster")]
pub use position_job::PositionJob;
pub use run::{AnalysisProgress, GameAnalysis, analyse, expect};
pub use searched::{Searched, SearchedLine};
pub use store::{AnalysisStore, NoStore};
pub use usi_analyst::UsiAnalyst;
pub use why::{Cut, MoveFigures, Why, WhyLimits, why};
#[cfg(feature = "cluster")]
pub use worker_analyst::WorkerAnalyst;
