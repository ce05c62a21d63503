//! A shogi engine as a library: [`search`] finds the best move of a position, [`eval`] judges positions.
//!
//! Not here: opening books, protocols, processes.

pub mod eval;
pub mod search;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
