//! What an explanation is about.

use crate::eval::Evaluation;
use crate::search::{Parameters, SearchLimits};
use kyomi_shogi::Move;

/// What to explain.
#[derive(Debug, Clone)]
pub struct ExplainRequest {
    /// The limits of the search.
    pub limits: SearchLimits,
    /// The parameters of the search.
    pub parameters: Parameters,
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Size of the table in bytes.
    pub hash_bytes: u64,
    /// The inner node to explain; `None` for the root.
    pub node: Option<InnerNode>,
}

/// An inner node.
#[derive(Debug, Clone, Default)]
pub struct InnerNode {
    /// The moves that lead to it, at least one.
    pub line: Vec<Move>,
    /// Budgets of the side to move and of the other side, in units. By default the budgets that the moves of the line
    /// leave.
    pub budgets: Option<(i32, i32)>,
    /// Whether to search it as a node of the principal variation, with an open window.
    pub pv: bool,
}
