//! A shogi engine as a library: [`search`] finds the best move of a position, [`eval`] judges positions.
//!
//! The feature `fit` adds what training needs: [features of positions](eval) and of moves, the weights by name and by
//! number, and writers of their files. Not here: opening books, protocols, processes, training.

#![cfg_attr(
    not(feature = "fit"),
    allow(unreachable_pub, reason = "modules hold public items that only `fit` gives out")
)]

pub mod eval;
pub mod search;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
