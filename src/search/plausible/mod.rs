//! Plausible moves: which legal moves of a node have a point, and how much merit each has (Grimbergen and Matsubara,
//! *Plausible Move Generation Using Move Merit Analysis with Cut-off Thresholds in Shogi*; docs/search.md, section 3).
//!
//! - [`Rules`] are the parameters of it; [`Rules::judge`] gives each move of a node a [`Verdict`]: the [`Generators`]
//!   that make it, its merit, whether it stays in the list.
//! - `NodeContext` is what a node's moves are read from, computed once; `Facts` is one move as `Reader` reads it; a file for
//!   each category has its generators, pure functions of the two: `goals` (G), `threats` (T), `defences` (D),
//!   `positional` and `develop` (P), `restraints` (Q).
//! - `values` is the table that merits are summed from, `squares` what is learned of squares beside it; [`merit_views`]
//!   reads the moves of positions for a fit of both.
//!
//! Merit is in points, a hundred of them about one unit of log-odds; several generators add up. Not here: what
//! interest makes of merit beyond [`Rules::interest`], and searching the moves that were dropped.

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
