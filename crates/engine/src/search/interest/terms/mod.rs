//! The terms of interest (docs/search.md, section 1.3): [`moves`], [`attacks`] and [`lists`].
//!
//! A term of a single move is a pure function of a node and a move that the [group](super::term::Group) of the term
//! [holds](super::term::Group::holds). Terms of the groups `List` and `Sum` have other functions.
//!
//! Term 4, the best move of the iteration before, is added at the root, and term 15 is a factor on costs.

pub(super) mod attacks;
mod lists;
pub(super) mod moves;

pub(super) use lists::{
    BestQuiet, bad_quiet, evasion, even, hash_move, single_best_quiet, with_history,
};

#[cfg(test)]
mod tests;
