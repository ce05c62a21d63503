//! Whether the engine may resign.
//!
//! Its own limit may be far from the user's, and an engine that is confused or was stopped early may answer `resign` in
//! a good position.

use crate::players::Score;

use super::{Driver, search::Search};

impl Driver {
    /// Counts the last score of an own turn, if there was one.
    pub(super) fn count_score(&mut self, score: Option<Score>) {
        let (Some(rule), Some(score)) = (self.spec.resign, score) else { return };
        let is_hopeless = score.centipawns() <= rule.score;
        self.hopeless_turns = if is_hopeless { self.hopeless_turns.saturating_add(1) } else { 0 };
    }

    /// Why the engine must not resign after this search, whose score is counted; `None` if it may.
    pub(super) fn resign_fault(&self, search: &Search) -> Option<&'static str> {
        let rule = self.spec.resign?;
        if !search.request.game.position().has_legal_move() {
            None
        } else if rule.moves == 0 {
            Some(SWITCHED_OFF)
        } else if search.stop_sent_at.is_some() {
            Some("the engine resigned when it was told to stop")
        } else if matches!(search.last_score(), Some(Score::Loss(_))) {
            None
        } else {
            (self.hopeless_turns < rule.moves).then_some(TOO_EARLY)
        }
    }
}

const SWITCHED_OFF: &str = "resigning is switched off (budget.resign_moves)";

const TOO_EARLY: &str = "the engine resigned, but its last scores are not low enough \
                         (budget.resign_score, budget.resign_moves)";
