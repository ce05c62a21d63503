//! Experiments with kyomi's engine: games to learn from, weights fitted to games, tuning by games, studies.
//!
//! - [`selfplay`]: games of the engine against itself.
//! - [`train`]: weights from games.
//! - [`tune`]: options of the search from games (SPSA).
//! - [`studies`]: what the search does with positions of games.
//! - [`cli`]: the subcommands of `kyomi-lab`.

pub mod cli;
mod logistic;
pub mod selfplay;
pub mod studies;
pub mod train;
pub mod tune;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
