//! The terms of interest (docs/search.md, section 1.3), one in each file: pure functions of a node and a move.
//!
//! Term 4, the best move of the iteration before, is added at the root, and term 15 is a factor on costs.

mod attacks;
mod best_quiet;
mod capture;
mod capture_checker;
mod check;
mod development;
mod drops;
mod evasion;
mod even;
mod guards;
mod hash_move;
mod history;
mod king_zone;
mod promotion;
mod suggested;
mod target;
mod under_attack;

pub(super) use attacks::attacks;
pub(super) use best_quiet::BestQuiet;
pub(super) use capture::{capture, recapture};
pub(super) use capture_checker::capture_checker;
pub(super) use check::check;
pub(super) use development::development;
pub(super) use drops::drops;
pub(super) use evasion::evasion;
pub(super) use even::even;
pub(super) use guards::guards;
pub(super) use hash_move::hash_move;
pub(super) use history::with_history;
pub(super) use king_zone::king_zone;
pub(super) use promotion::promotion;
pub(super) use suggested::suggested;
pub(super) use target::{target, targets};
pub(super) use under_attack::under_attack;

#[cfg(test)]
mod scene;
