//! The `go` that the host waits for, and its answer if another command ends the search.

use std::sync::Arc;

use super::{
    io::Action,
    lines::{answer_lines, print},
};
use crate::{
    engine::{Answer, Choice, Thinker},
    search::{SearchInfo, any_move},
    shogi::{Game, Move},
    usi::command::Go,
};

/// A `go` whose search runs.
#[derive(Debug)]
pub(super) struct UnansweredGo {
    game: Arc<Game>,
    is_mate: bool,
    /// The host has sent `stop`, so it waits for an answer.
    pub(super) is_stopped: bool,
    /// The first move of the last PV, if there is one.
    best: Option<Move>,
}

impl UnansweredGo {
    pub(super) fn new(game: Arc<Game>, go: &Go) -> Self {
        // With `searchmoves` not any move may be played.
        let best = go.moves.iter().copied().find(|mv| game.position().is_legal(*mv));
        Self { game, is_mate: go.mate, is_stopped: false, best }
    }

    /// Takes note of a report of the search.
    pub(super) fn note(&mut self, info: &SearchInfo) {
        if info.is_best_line()
            && let Some(best) = info.pv.first()
        {
            self.best = Some(*best);
        }
    }

    /// The answer if the search is dropped now: the best move so far, or any. There is none without `stop`: a `go` that
    /// is replaced is not answered.
    pub(super) fn answer_to_stop(self, thinker: &Thinker) -> Vec<Action> {
        if !self.is_stopped {
            return Vec::new();
        }
        if self.is_mate {
            return vec![print("checkmate timeout")];
        }
        let position = self.game.position();
        let answer = thinker.answer_by_rules(position).unwrap_or_else(|| {
            let best = self.best.filter(|best| position.is_legal(*best));
            let best = best.or_else(|| any_move(&self.game).best);
            Answer::plain(best.map_or(Choice::Resign, Choice::Move))
        });
        answer_lines(&answer)
    }
}
