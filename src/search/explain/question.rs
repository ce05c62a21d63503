//! What is to be explained.

use crate::search::{Parameters, SearchLimits};
use crate::shogi::Move;

/// What is to be explained.
#[derive(Debug, Clone)]
pub struct Question {
    /// When the search ends.
    pub limits: SearchLimits,
    /// Switches and numbers of the search.
    pub parameters: Parameters,
    /// Size of the table in bytes.
    pub hash_bytes: u64,
    /// The inner node that is asked about; the root if there is none.
    pub node: Option<InnerNode>,
}

/// An inner node.
#[derive(Debug, Clone, Default)]
pub struct InnerNode {
    /// The moves that lead to it, at least one.
    pub line: Vec<Move>,
    /// What the side to move and the other one have left, in units; by default what the moves of the line leave.
    pub budgets: Option<(i32, i32)>,
    /// A node of the principal variation: searched with an open window.
    pub pv: bool,
}
