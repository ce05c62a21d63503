//! Interest: how much each legal move of a node deserves to be looked at (docs/search.md, section 1.3).
//!
//! - [`InterestList`] is the moves of a node, each [`Scored`], and the sum of their interest.
//! - `sweep` scores the moves of usual nodes set by set, to the same figures.
//! - `Eye` is what a node's moves are read from, `Candidate` one move as it is read; `terms/` has a file for each term
//!   of interest, a pure function of the two.
//! - [`break_down`] says what each [`Term`] adds, for explanations.
//!
//! Interest is in sixteenths of a point and at least 1. Not here: what similar moves take away while a node is
//! searched, and what a move costs.

mod breakdown;
mod candidate;
mod dull;
mod eye;
mod list;
mod scored;
mod staged;
mod study;
mod sway;
mod sweep;
mod term;
mod terms;

pub(super) use breakdown::{Breakdown, NodeBreakdown, Place, break_down};
pub use breakdown::{Exchange, Part};
pub(super) use eye::Surroundings;
pub(super) use list::InterestList;
pub(super) use scored::{Scored, Traits};
pub(super) use staged::{Staged, Usual};
pub(crate) use study::{InterestStudy, InterestView};
pub use term::Term;
