//! Interest search: lines end by the accumulated cost of their moves, not by their number (floor 3).
//!
//! - [`Searcher`] owns the search threads and the table; it is given a [`Game`](crate::shogi::Game), [`Limits`] and
//!   a [`StopFlag`], reports [`SearchInfo`]s on the way and ends with a [`SearchResult`].
//!
//! Invariants: with one thread and a limit of nodes or depth the same game gives the same answer, to the node, on
//! every machine; a score in the range of mates is proven. Not here: opening books, resignation, protocols.

mod cost;
mod lg;
mod limits;
mod report;
mod searcher;
mod see;
mod table;
mod value;

pub use limits::{GameRules, Limits, StopFlag, TimeLimit};
pub use report::{Bound, Score, SearchInfo, SearchResult};
pub use searcher::{SearchOptions, Searcher, SearcherError};
