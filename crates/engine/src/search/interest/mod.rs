//! Interest: how much each legal move of a node deserves to be searched (docs/search.md, sections 1.1 and 1.3).
//!
//! - [`InterestList`] holds the moves of a node, each [`ScoredMove`], and the sum of their interest.
//! - `Scorer` holds the data of a node that terms read, and `MoveFeatures` those of a move. `term.rs` has the table of
//!   all terms, and `terms/` their functions.
//! - `Scorer::score` sums the terms of one move. `score_by_sets` does the same for all moves of a node at once: it
//!   computes each group of terms only as often as the group requires, and keeps drops of equal interest as sets
//!   (`drop_set`).
//! - [`break_down`] returns the amount that each [`Term`] adds, for explanations.
//!
//! `score`, `score_by_sets` and `break_down` sum the rows of the same table. Interest is in sixteenths of a point, and
//! at least one sixteenth. Not here: the factors for similar moves (`search/similar.rs`) and costs (`search/cost.rs`).
//!
//! # Adding a term
//!
//! 1. Write a function of the node and the move in `terms/moves.rs` or `terms/attacks.rs`, and a test.
//! 2. Add a row to the table in `term.rs`: number, name, option, meaning, and the group of the term. The group
//!    determines which moves have the term, and what the term may depend on besides the node. A term of the group
//!    `NewAttacks` also needs the functions `…_notable` and `…_part`, which its row names.
//! 3. Add its weights to `search/weights.rs` and its option to `search/parameters/table.rs`, a row each. A row in
//!    `search/weights/named.rs` lets `kyomi-lab train interest` fit it.
//!
//! The tests of this module switch on each term alone and compare the lists, the breakdown and the options.
//!
//! A term that fits no group needs a new `Group`, and then a line in each of `Group::holds`, `SetScorer::add_rest`
//! (single moves) and `SetScorer::add_drop_sets` (sets of drops). Terms that look at the whole list (group `List`) or
//! change the sum (group `Sum`) are called by name in `fill.rs` or `scoring.rs`, in `by_sets.rs` and in `breakdown.rs`.
//!
//! # What a term may read
//!
//! - `Scorer`, created once for a node: the position, the attack maps of both sides, the squares around the other king,
//!   and the pieces that hang or are undefended. Data that several moves need are computed there.
//! - `Scorer::context`, the [`ScoringContext`]: weights (`search/weights.rs`), history tables, killers and counter
//!   moves, the last moves. `Worker::scoring_context` in `search/worker/scoring.rs` fills it.
//! - The move itself as a `MoveFeatures`, within the limits of its group.
//!
//! The phase of the game is not among these data yet. The evaluator updates it from move to move (`eval/progress.rs`).
//! A term that depends on the phase needs it as a field of `ScoringContext`. Since it is the same for all moves of a
//! node, terms of any group may read it.

mod breakdown;
mod by_sets;
mod drop_set;
mod fill;
#[cfg(feature = "fit")]
mod fit;
mod learned;
mod learned_share;
mod list;
mod move_features;
mod perturb;
mod scored;
mod scorer;
mod scoring;
mod staged;
mod term;
mod terms;

pub(super) use breakdown::{Breakdown, NodeBreakdown, Place, break_down};
pub use breakdown::{Exchange, Part};
#[cfg(feature = "fit")]
pub use fit::{InterestFitInput, InterestView, LearnedMoveView, MoveFitInput};
pub(super) use learned::LearnedInterest;
#[cfg(feature = "fit")]
pub use learned::{
    KingViews, LearnedFileError, LearnedMove, LearnedWeights, OCTAVE, VALUES, moves_file,
    shift_all, with_shared,
};
pub(super) use list::InterestList;
pub(super) use scored::ScoredMove;
pub(super) use scorer::ScoringContext;
pub(super) use staged::{MeanInterest, TwoStageLimits};
pub use term::Term;

#[cfg(test)]
mod tests;
