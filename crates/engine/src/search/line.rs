//! Lines of moves.

use arrayvec::ArrayVec;

use super::MAX_PLY;
use kyomi_shogi::Move;

/// A line of moves.
pub(crate) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// The best line of a thread and its score.
#[derive(Debug, Clone, Default)]
pub(crate) struct RootLine {
    /// The line, best move first; empty without a legal move.
    pub(crate) line: Line,
    pub(crate) score: i32,
    /// Limit of the last completed iteration.
    pub(crate) limit: i32,
    /// The cost of the best move there.
    pub(crate) cost: i32,
    /// Whether the line replaces one that is proven to lose. The score is that of the line before, which this line may
    /// not reach.
    pub(crate) is_substitute: bool,
}
