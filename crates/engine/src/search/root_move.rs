//! A legal move of the root, with the results of its searches.

use super::interest::ScoredMove;
use super::line::Line;
use kyomi_shogi::Move;

/// A legal move of the root.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Number of nodes below it in the last iteration.
    pub(super) nodes: u64,
    /// The line that begins with it.
    pub(super) line: Line,
    pub(super) cost: i32,
    /// Its interest in this iteration, when the exchange value is known.
    pub(super) scored: ScoredMove,
    /// The same move with promotion, if that is also one of the moves of the root.
    pub(super) promoted: Option<Move>,
    /// Whether it is searched after all others, and becomes the best move only if it changes which side mates.
    pub(super) needless_non_promotion: bool,
    /// Whether it is not plausible, so that it is searched, after all others, only while all plausible moves lose.
    pub(super) is_implausible: bool,
    /// Its score, if a mate search has shown that it loses. It is not searched any more.
    pub(super) proven_score: Option<i32>,
}

impl RootMove {
    /// The order among moves with the same number of nodes: the cheaper first, then the smaller code.
    pub(super) fn cost_rank(&self) -> (i32, u16) {
        (-self.cost, u16::MAX - self.mv.to_bits())
    }
}
