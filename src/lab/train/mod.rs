//! Fitting weights to games.
//!
//! - [`Games`] reads tables of games, whole and replayed.

mod games;

pub use games::{Games, GamesError, RowFault, TrainingGame};
