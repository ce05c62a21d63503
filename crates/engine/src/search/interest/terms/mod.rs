//! The terms of interest (docs/search.md, section 1.3), one in each file.
//!
//! `weight` is a pure function of a node and a move that the [group](super::term::Group) of the term
//! [holds](super::term::Group::holds). Terms of the group `NewAttacks` have two more functions: `notable` returns the
//! squares at which a new attack can count, and `part` adds the same weights to sets of drops. Terms of the groups
//! `List` and `Sum` have other functions.
//!
//! Term 4, the best move of the iteration before, is added at the root, and term 15 is a factor on costs.

pub(super) mod attacks;
mod bad_quiet;
mod best_quiet;
pub(super) mod capture;
pub(super) mod capture_checker;
pub(super) mod check;
pub(super) mod continuation;
pub(super) mod counter_move;
pub(super) mod development;
pub(super) mod drops;
mod evasion;
mod even;
pub(super) mod fork;
pub(super) mod further_check;
pub(super) mod guards;
mod hash_move;
mod history;
pub(super) mod killer;
pub(super) mod king_zone;
pub(super) mod pawn_attacks;
pub(super) mod promotion;
pub(super) mod recapture;
pub(super) mod target;
pub(super) mod under_attack;

pub(super) use bad_quiet::bad_quiet;
pub(super) use best_quiet::{BestQuiet, single_best_quiet};
pub(super) use evasion::evasion;
pub(super) use even::even;
pub(super) use hash_move::hash_move;
pub(super) use history::with_history;

#[cfg(test)]
mod scene;
