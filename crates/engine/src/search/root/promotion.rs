//! Whether a move of the root is played with promotion or without (docs/search.md, section 1.6).

use super::moves::RootMove;
use crate::search::cost::Budgets;
use crate::search::kind::SearchKind;
use crate::search::line::Line;
use crate::search::promotion::changes_who_mates;
use crate::search::trace::SearchedMove;
use crate::search::value::{Value, is_won};
use crate::search::window::Window;
use crate::search::worker::Worker;
use kyomi_shogi::Move;

/// An unpromoted move of the root that is compared with its promoted form before it becomes the best move.
pub(super) struct UnpromotedMove {
    /// Its index among the moves of the root.
    pub(super) at: usize,
    pub(super) value: Value,
    /// Its charge.
    pub(super) charge: i32,
}

/// Which form of a move is to be played.
pub(super) enum Form {
    /// The search was stopped.
    Stopped,
    /// Without promotion, with its value, which may come from a second search.
    Unpromoted(Value),
    /// With promotion, with the index that this move has now.
    Promoted { place: usize, value: Value },
}

/// Whether a needless non-promotion of the root is left out because another line shows its promoted form.
pub(super) fn is_shown_promoted(moves: &[RootMove], at: usize) -> bool {
    let RootMove { needless_non_promotion, promoted, .. } = &moves[at];
    *needless_non_promotion && promoted.is_some_and(|form| moves.iter().all(|root| root.mv != form))
}

impl<K: SearchKind> Worker<K> {
    /// Compares a move that would become the best one with its promoted form, which is searched at a charge that is no
    /// larger. Afterwards the frame of ply 1 has the line of the form to be played. A promoted form that is played and
    /// comes after the move in the list is moved to the index of the move.
    pub(super) fn choose_promotion(
        &mut self,
        moves: &mut [RootMove],
        unpromoted_move: &UnpromotedMove,
        window: Window,
        budgets: Budgets,
    ) -> Form {
        let &UnpromotedMove { at, value, .. } = unpromoted_move;
        let form = moves[at].promoted;
        let Some(place) = moves.iter().position(|root| Some(root.mv) == form) else {
            return Form::Unpromoted(value);
        };
        let line = self.line.frames[1].pv.clone();
        let Some(promoted) = self.promoted_value(moves, place, unpromoted_move, window, budgets)
        else {
            return Form::Stopped;
        };
        if !self.is_better_unpromoted(&moves[at], value, promoted, window, &line) {
            return take_promoted(moves, at, place, promoted);
        }
        if !moves[at].needless_non_promotion || is_won(value.score) {
            self.line.frames[1].pv = line;
            return Form::Unpromoted(value);
        }
        let promoted_line = self.line.frames[1].pv.clone();
        // The only reason to play this form is that the promoted one is mated. It is searched as deeply as that one.
        let charge = unpromoted_move.charge.min(moves[place].cost).min(self.settings.costs.min);
        let Some(again) = self.search_form(&moves[at], charge, window, budgets) else {
            return Form::Stopped;
        };
        if changes_who_mates(again.score, promoted.score) {
            let Some((score, line)) = self.mated_after(moves[at].mv) else {
                return Form::Unpromoted(again);
            };
            self.mark_proven_loss(&mut moves[at], score, line);
        }
        self.line.frames[1].pv = promoted_line;
        take_promoted(moves, at, place, promoted)
    }

    /// The value of a promoted form; `None` if the search was stopped.
    fn promoted_value(
        &mut self,
        moves: &mut [RootMove],
        place: usize,
        unpromoted_move: &UnpromotedMove,
        window: Window,
        budgets: Budgets,
    ) -> Option<Value> {
        if let Some(score) = moves[place].proven_score {
            self.line.frames[1].pv = moves[place].line.iter().skip(1).copied().collect();
            return Some(Value::of_position(score));
        }
        let unpromoted = &moves[unpromoted_move.at];
        let score = unpromoted_move.value.score;
        let mut charge = unpromoted_move.charge.min(moves[place].cost);
        let asked = if unpromoted.needless_non_promotion {
            if is_won(score) {
                charge = charge.min(self.settings.costs.min);
            }
            window
        } else if is_taken(unpromoted.mv, self.line.frames[1].pv.first().copied()) {
            // A full window, since the answer to the promotion is needed as well as its score.
            window
        } else {
            Window::on_pv(score.min(window.beta) - 1, window.beta)
        };
        let nodes = self.control.nodes;
        let value = self.search_form(&moves[place], charge, asked, budgets)?;
        moves[place].nodes = moves[place].nodes.max(self.control.nodes - nodes);
        Some(value)
    }

    /// Searches one form of a move.
    fn search_form(
        &mut self,
        root: &RootMove,
        charge: i32,
        window: Window,
        budgets: Budgets,
    ) -> Option<Value> {
        let (mv, cost, before) = (root.mv, root.cost, self.control.nodes);
        let undo = self.make(0, mv);
        let searched = self.search_child(window, budgets, charge, 0, true);
        self.line.unmake(mv, undo);
        let (value, _) = searched?;
        if self.is_traced(0) {
            let (siblings_cost, score, nodes) = (0, value.score, self.control.nodes - before);
            self.trace.searched(SearchedMove {
                mv,
                cost,
                siblings_cost,
                charge,
                window,
                score,
                nodes,
            });
        }
        Some(value)
    }

    /// Whether a move is better than its promoted form. `line` is the line after the move; the frame of ply 1 has the
    /// line after the promoted form.
    fn is_better_unpromoted(
        &self,
        root: &RootMove,
        value: Value,
        promoted: Value,
        window: Window,
        line: &Line,
    ) -> bool {
        if root.needless_non_promotion {
            return changes_who_mates(value.score, promoted.score);
        }
        promoted.score < value.score.min(window.beta) && !self.lead_to_the_same(root, line)
    }

    /// Whether both forms of a move are answered by the same capture of the piece. Then both lead to the same position,
    /// and a difference of their scores means nothing.
    fn lead_to_the_same(&self, root: &RootMove, line: &Line) -> bool {
        let Some(form) = root.promoted else { return false };
        let mut position = self.line.position.clone();
        position.do_move(form);
        let stored = || self.table.probe(position.key(), 1).and_then(|found| found.mv);
        let Some(answer) = self.line.frames[1].pv.first().copied().or_else(stored) else {
            return false;
        };
        if !is_taken(form, Some(answer)) || !is_taken(root.mv, line.first().copied()) {
            return false;
        }
        let mut other = self.line.position.clone();
        other.do_move(root.mv);
        other.is_legal(answer)
    }
}

/// Whether `answer` captures the piece that `mv` moves.
fn is_taken(mv: Move, answer: Option<Move>) -> bool {
    answer.is_some_and(|answer| answer.to() == mv.to() && !answer.is_drop())
}

/// Chooses the promoted form at `place` instead of the move at `at`.
fn take_promoted(moves: &mut [RootMove], at: usize, place: usize, value: Value) -> Form {
    if place < at {
        return Form::Promoted { place, value };
    }
    moves[at..=place].rotate_right(1);
    Form::Promoted { place: at, value }
}
