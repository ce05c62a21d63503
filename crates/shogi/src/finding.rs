//! What was found about a position.

use super::{Color, Move, Score};

/// What a search, or an opening book, has found about a position or a move. Whose view the score has, and where the
/// line begins, is said where it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The score.
    pub score: Option<Score>,
    /// The expected line; empty if not known.
    pub pv: Vec<Move>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Number of positions searched.
    pub nodes: Option<u64>,
    /// Whether it comes from an opening book; nothing was searched then.
    pub from_book: bool,
}

impl Finding {
    /// What `side` has found, with the score from black's view.
    #[must_use]
    pub fn from_black(mut self, side: Color) -> Self {
        if side == Color::White {
            self.score = self.score.map(|score| -score);
        }
        self
    }
}
