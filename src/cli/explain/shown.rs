//! The part of an explanation that is shown.

use crate::search::explain::{Explanation, MoveView};
use crate::shogi::Move;

/// What of an explanation is shown.
pub(super) struct Shown<'a> {
    pub(super) explanation: &'a Explanation,
    /// One move of the node.
    pub(super) chosen: Option<Move>,
    pub(super) top: Option<usize>,
}

impl<'a> Shown<'a> {
    /// The one move.
    pub(super) fn one(&self) -> Option<&'a MoveView> {
        let chosen = self.chosen?;
        self.explanation.node.moves.iter().find(|view| view.mv == chosen)
    }

    /// The moves that are listed.
    pub(super) fn moves(&self) -> &'a [MoveView] {
        let all = &self.explanation.node.moves;
        &all[..self.top.unwrap_or(all.len()).min(all.len())]
    }
}
