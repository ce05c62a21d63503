//! Plausible moves: which legal moves of a node have a purpose, and how much merit each has (Grimbergen and Matsubara,
//! *Plausible Move Generation Using Move Merit Analysis with Cut-off Thresholds in Shogi*; docs/search.md, section 3).
//!
//! - [`PlausibleRules`] holds the parameters. [`PlausibleRules::classify`] returns a [`Plausibility`] for each move of
//!   a node: the [`Generators`] that make it, its merit, and whether it stays in the list. [`Judge`] does the same for
//!   single moves, where the other moves do not matter.
//! - `NodeContext` holds the data of a node, computed once, and `MoveData` those of one move, which `FeatureReader`
//!   computes. The generators are pure functions of the two. The categories: `threats` (G, T), `defences` (D),
//!   `positional` (P, Q) and `develop` (P6).
//! - `values` has the table of merits, and `squares` the learned squares. [`merit_views`] returns the data of moves for
//!   a fit of both.
//!
//! Merit is in points; 100 points are about one unit of log-odds. The merits of several generators add up. Not here:
//! the search of dropped moves.

mod castle;
mod classify;
mod context;
mod counts;
mod defences;
mod develop;
mod feature_reader;
#[cfg(feature = "fit")]
mod fit_input;
mod generator;
mod judge;
mod merit;
mod move_data;
mod positional;
mod rules;
mod squares;
mod threats;
mod values;

#[cfg(test)]
mod scene;
#[cfg(test)]
mod tests;

pub(super) use classify::{Plausibilities, Plausibility, Selection};
#[cfg(feature = "fit")]
pub use fit_input::{GENERATORS, MeritView, merit_views};
pub(super) use judge::Judge;
pub(super) use rules::{NodeKind, PlausibleRules};
pub use squares::move_weight_bytes;
#[cfg(feature = "fit")]
pub use squares::{Places, SQUARES, present_squares, squares_file};
#[cfg(feature = "fit")]
pub use values::MERITS;
