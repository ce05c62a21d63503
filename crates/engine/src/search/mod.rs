//! The search. In interest search a line ends when the accumulated cost of its moves exceeds a budget, not after a fixed
//! number of plies; in the search by plies (`plies`), with which the preset `tournament` plays, interest is the prior of
//! what the search learns.
//!
//! - [`Searcher`] owns the search threads and the table. A search takes a [`Game`](kyomi_shogi::Game),
//!   [`SearchLimits`] and a [`StopFlag`], reports [`SearchInfo`]s while it runs, and returns a [`SearchResult`].
//!
//! Invariants: with one thread and a limit of nodes or depth, the same game gives the same result and the same number
//! of nodes on every machine. A score in the range of mates is proven. Not here: opening books and resignation
//! (`engine`), protocols.

mod attack_maps;
pub mod bench;
mod cost;
pub mod explain;
mod fixed_log2;
mod history;
mod interest;
mod job;
mod kind;
mod limits;
mod line;
mod mate_in_one;
mod mate_search;
mod node;
mod node_count;
mod node_counts;
mod pace;
#[cfg(test)]
mod paper_tests;
mod parameters;
mod penalty;
mod picker;
mod plausible;
mod plies;
mod ply_knowledge;
mod position_history;
mod promotion;
mod pruning;
mod quiescence;
mod ram;
mod record_trace;
mod report;
mod root;
mod score_rules;
mod search_options;
mod searcher;
mod see;
mod shared_entries;
mod similar;
#[cfg(test)]
mod strict_table;
mod table;
mod team;
mod time_manager;
mod trace;
mod value;
mod vote;
mod weights;
mod window;
mod worker;

pub use interest::{Exchange, Part, Term};
#[cfg(feature = "fit")]
pub use interest::{
    InterestFitInput, InterestView, KingViews, LearnedFileError, LearnedMove, LearnedMoveView,
    LearnedWeights, MoveFitInput, OCTAVE, VALUES, moves_file, shift_all, with_shared,
};
pub use kyomi_shogi::Score;
pub use limits::{GameRules, SearchLimits, StopFlag, TimeLimit};
pub use mate_in_one::find_mate_in_one;
pub use mate_search::{MateLimits, MateOutcome, MateSearch, is_mate_line};
pub use pace::Pace;
pub use parameters::{
    PRESET, Parameter, ParameterError, ParameterKind, Parameters, Preset, TABLE as PARAMETERS,
};
pub use plausible::move_weight_bytes;
#[cfg(feature = "fit")]
pub use plausible::{
    GENERATORS, MERITS, MeritView, Places, SQUARES, merit_views, present_squares, squares_file,
};
pub use quiescence::{Quiescence, quick_move};
pub use ram::available as available_memory;
pub use report::{Bound, SearchInfo, SearchResult};
pub use search_options::SearchOptions;
pub use searcher::any_move;
pub use searcher::{MAX_THREADS, Searcher, SearcherError};
pub use see::{is_good, see};
pub use shared_entries::{MOST_OFFERED, SharedEntries, SharedEntry};
pub use team::lower_priority;
pub use time_manager::time_of;
#[cfg(feature = "fit")]
pub use weights::{NAMED_WEIGHTS, NamedWeight};

/// The longest line in plies.
const MAX_PLY: usize = 127;
