//! A legal move of the root, and what its searches have shown.

use super::line::Line;
use crate::shogi::Move;

/// A legal move of the root.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Nodes below it in the last iteration.
    pub(super) nodes: u64,
    /// The line that begins with it.
    pub(super) line: Line,
    pub(super) cost: i32,
    /// It is a check that loses by exchange.
    pub(super) bad_check: bool,
    /// The same move with promotion, if that is one of the root's moves too.
    pub(super) promoted: Option<Move>,
    /// It is searched after all others, and best only where it changes who mates.
    pub(super) needless: bool,
    /// Its score, where a mate search has shown that it loses: it need not be searched any more.
    pub(super) lost: Option<i32>,
}

impl RootMove {
    /// Cheaper first among equals, then by code.
    pub(super) fn cost_rank(&self) -> (i32, u16) {
        (-self.cost, u16::MAX - self.mv.to_bits())
    }
}
