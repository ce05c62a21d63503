//! Plausible moves: which legal moves of a node have a purpose, and how much merit each has (Grimbergen and Matsubara,
//! *Plausible Move Generation Using Move Merit Analysis with Cut-off Thresholds in Shogi*; docs/search.md, section 3).
//!
//! - [`Rules`] holds the parameters. [`Rules::judge`] returns a [`Verdict`] for each move of a node: the [`Generators`]
//!   that make it, its merit, and whether it stays in the list.
//! - `NodeContext` holds the data of a node, computed once, and `Facts` those of one move, which `Reader` computes. The
//!   generators are pure functions of the two. Each category has a file: `goals` (G), `threats` (T), `defences` (D),
//!   `positional` and `develop` (P), `restraints` (Q).
//! - `values` has the table of merits, and `squares` the learned squares. [`merit_views`] returns the data of moves for
//!   a fit of both.
//!
//! Merit is in points; 100 points are about one unit of log-odds. The merits of several generators add up. Not here:
//! the use of merit in interest beyond [`Rules::interest`], and the search of dropped moves.

mod castle;
mod context;
mod counts;
mod defences;
mod develop;
mod distance;
mod facts;
mod generator;
mod goals;
mod judge;
mod merit;
mod positional;
mod power;
mod reader;
mod restraints;
mod rules;
mod squares;
mod study;
mod threats;
mod values;

#[cfg(test)]
mod scene;
#[cfg(test)]
mod tests;

pub(super) use judge::{Question, Verdict, Verdicts};
pub(super) use rules::{NodeKind, Rules};
pub(crate) use squares::{Places, SQUARES, present_squares, squares_file};
pub(crate) use study::{GENERATORS, MeritView, merit_views};
pub(crate) use values::MERITS;
