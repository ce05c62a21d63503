//! The part of an explanation that is printed.

use kyomi_engine::search::explain::{Explanation, MoveView};
use kyomi_shogi::Move;

/// An explanation, and the part of it to print.
pub(super) struct ExplanationView<'a> {
    pub(super) explanation: &'a Explanation,
    /// The one move to show; `None` for the table of all moves.
    pub(super) chosen: Option<Move>,
    /// The number of moves in the table; `None` for all.
    pub(super) top: Option<usize>,
}

impl<'a> ExplanationView<'a> {
    /// The one move to show, if one was chosen.
    pub(super) fn chosen_move(&self) -> Option<&'a MoveView> {
        let chosen = self.chosen?;
        self.explanation.node.moves.iter().find(|view| view.mv == chosen)
    }

    /// The moves in the table.
    pub(super) fn moves(&self) -> &'a [MoveView] {
        let all = &self.explanation.node.moves;
        &all[..self.top.unwrap_or(all.len()).min(all.len())]
    }
}
