//! The `go` that the host waits for, and its answer if another command ends the search.

use std::sync::Arc;

use super::{
    io::Action,
    lines::{answer_lines, print},
};
use crate::players::{Answer, Choice, Thinker};
use crate::usi::command::Go;
use kyomi_engine::search::{SearchInfo, any_move};
use kyomi_shogi::{Game, Move};

/// A `go` whose search runs, or that waits for `stop` without a search.
#[derive(Debug)]
pub(super) struct UnansweredGo {
    /// `None` if there was no position to search.
    game: Option<Arc<Game>>,
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
        Self { game: Some(game), is_mate: go.mate, is_stopped: false, best }
    }

    /// A `go` after a `position` line that is not a game.
    pub(super) fn refused(go: &Go) -> Self {
        Self { game: None, is_mate: go.mate, is_stopped: false, best: None }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.game.is_none()
    }

    /// The answer of an engine that has not searched. The host waits for one, and `none` is no move and gives no game
    /// up.
    pub(super) fn refusal(&self) -> Action {
        print(if self.is_mate { "checkmate timeout" } else { "bestmove none" })
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
        let Some(game) = self.game.as_ref().filter(|_| !self.is_mate) else {
            return vec![self.refusal()];
        };
        let position = game.position();
        let answer = thinker.answer_by_rules(position).unwrap_or_else(|| {
            let best = self.best.filter(|best| position.is_legal(*best));
            let best = best.or_else(|| any_move(game).best);
            Answer::plain(best.map_or(Choice::Resign, Choice::Move))
        });
        answer_lines(&answer)
    }
}
