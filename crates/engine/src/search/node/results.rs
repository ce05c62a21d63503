//! The results of the moves of a node that were searched so far.

use arrayvec::ArrayVec;

use crate::search::{
    score_rules::NodeScores,
    value::{NO_PLY, is_lost},
};
use kyomi_shogi::Move;

/// The results of the moves of a node searched so far.
#[derive(Debug)]
pub(super) struct NodeResults {
    pub(super) scores: NodeScores,
    pub(super) best_move: Option<Move>,
    /// The smallest ply that the scores of all moves depend on, and that of the best move.
    pub(super) depends_on_ply: i32,
    pub(super) best_depends_on_ply: i32,
    /// Sum of the costs of the moves searched.
    pub(super) siblings_cost: i32,
    pub(super) searched: usize,
    /// Quiet moves searched that did not cut.
    pub(super) quiets: ArrayVec<Move, 64>,
    /// Whether a move reached beta.
    pub(super) cut: bool,
}

impl NodeResults {
    /// The results of a node before its first move.
    pub(super) fn new(scores: NodeScores) -> Self {
        Self {
            scores,
            best_move: None,
            depends_on_ply: NO_PLY,
            best_depends_on_ply: NO_PLY,
            siblings_cost: 0,
            searched: 0,
            quiets: ArrayVec::new(),
            cut: false,
        }
    }

    /// The ply that the value of the node depends on: that of the best move if it cut, otherwise that of all moves.
    pub(super) fn depends_on_ply(&self) -> i32 {
        if self.cut && !self.scores.compares() {
            self.best_depends_on_ply
        } else {
            self.depends_on_ply
        }
    }

    /// Whether the value is proven if it is a loss: then all of this number of legal moves were searched.
    pub(super) fn is_proven(&self, moves: usize) -> bool {
        !is_lost(self.scores.value()) || self.cut || self.searched == moves
    }
}
