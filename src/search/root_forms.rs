//! The two forms of a move at the root: whether it is played with promotion or without (docs/search.md, section 1.6).

use super::cost::Budgets;
use super::kind::SearchKind;
use super::line::Line;
use super::promotion::changes_who_mates;
use super::root_move::RootMove;
use super::trace::SearchedMove;
use super::value::{Value, is_mate};
use super::window::Window;
use super::worker::Worker;
use crate::shogi::Move;

/// An unpromoted move of the root that would be the best one, but for its promoted form.
pub(super) struct Rival {
    /// Its place.
    pub(super) at: usize,
    pub(super) value: Value,
    /// What it was charged.
    pub(super) charge: i32,
}

/// Which form of a move is to be played.
pub(super) enum Form {
    /// The search was stopped.
    Stopped,
    /// Without promotion; its value, which may be known better now.
    Unpromoted(Value),
    /// With promotion, with the place of that move now.
    Promoted { place: usize, value: Value },
}

/// Whether a needless move of the root is left out because another line shows its promoted form.
pub(super) fn is_shown_promoted(moves: &[RootMove], at: usize) -> bool {
    let RootMove { needless, promoted, .. } = &moves[at];
    *needless && promoted.is_some_and(|form| moves.iter().all(|root| root.mv != form))
}

impl<K: SearchKind> Worker<K> {
    /// Holds a move that would be the best one against its promoted form, which is searched with no less of the budget.
    /// The line of the form that is to be played is in the frame of ply 1 afterwards. A promoted form that comes after
    /// the move in the list comes before it afterwards, at its place.
    pub(super) fn choose_form(
        &mut self,
        moves: &mut [RootMove],
        rival: &Rival,
        window: Window,
        budgets: Budgets,
    ) -> Form {
        let &Rival { at, value, .. } = rival;
        let form = moves[at].promoted;
        let Some(place) = moves.iter().position(|root| Some(root.mv) == form) else {
            return Form::Unpromoted(value);
        };
        let line = self.frames[1].pv.clone();
        let Some(promoted) = self.promoted_value(moves, place, rival, window, budgets) else {
            return Form::Stopped;
        };
        if !self.is_better_unpromoted(&moves[at], value, promoted, window, &line) {
            return take_promoted(moves, at, place, promoted);
        }
        if !moves[at].needless || is_won(value.score) {
            self.frames[1].pv = line;
            return Form::Unpromoted(value);
        }
        let promoted_line = self.frames[1].pv.clone();
        // The only reason for this form is that the promoted one is mated. It is searched as thoroughly.
        let charge = rival.charge.min(moves[place].cost).min(self.costs.min);
        let Some(again) = self.search_form(&moves[at], charge, window, budgets) else {
            return Form::Stopped;
        };
        if changes_who_mates(again.score, promoted.score) {
            let Some((score, line)) = self.mated_after(moves[at].mv) else {
                return Form::Unpromoted(again);
            };
            self.give_up(&mut moves[at], score, line);
        }
        self.frames[1].pv = promoted_line;
        take_promoted(moves, at, place, promoted)
    }

    /// The value of a promoted form; `None` if the search was stopped.
    fn promoted_value(
        &mut self,
        moves: &mut [RootMove],
        place: usize,
        rival: &Rival,
        window: Window,
        budgets: Budgets,
    ) -> Option<Value> {
        if let Some(score) = moves[place].lost {
            self.frames[1].pv = moves[place].line.iter().skip(1).copied().collect();
            return Some(Value::of_position(score));
        }
        let unpromoted = &moves[rival.at];
        let score = rival.value.score;
        let mut charge = rival.charge.min(moves[place].cost);
        let asked = if unpromoted.needless {
            if is_won(score) {
                charge = charge.min(self.costs.min);
            }
            window
        } else if is_taken(unpromoted.mv, self.frames[1].pv.first().copied()) {
            // What the answer to the promotion is counts, not only whether it is enough.
            window
        } else {
            Window::on_pv(score.min(window.beta) - 1, window.beta)
        };
        let nodes = self.nodes;
        let value = self.search_form(&moves[place], charge, asked, budgets)?;
        moves[place].nodes = moves[place].nodes.max(self.nodes - nodes);
        Some(value)
    }

    /// Searches a form of a move by itself.
    fn search_form(
        &mut self,
        root: &RootMove,
        charge: i32,
        window: Window,
        budgets: Budgets,
    ) -> Option<Value> {
        let (mv, cost, before) = (root.mv, root.cost, self.nodes);
        self.frames[0].bad_check = root.bad_check;
        let undo = self.make(0, mv);
        let searched = self.search_child(window, budgets, charge, 0, true);
        self.unmake(mv, undo);
        let (value, _) = searched?;
        if self.is_traced(0) {
            let (siblings, score, nodes) = (0, value.score, self.nodes - before);
            self.trace.searched(&SearchedMove { mv, cost, siblings, charge, window, score, nodes });
        }
        Some(value)
    }

    /// Whether a move is better than its promoted form. `line`: what is expected after it; the frame of ply 1 has what is
    /// expected after the other.
    fn is_better_unpromoted(
        &self,
        root: &RootMove,
        value: Value,
        promoted: Value,
        window: Window,
        line: &Line,
    ) -> bool {
        if root.needless {
            return changes_who_mates(value.score, promoted.score);
        }
        promoted.score < value.score.min(window.beta) && !self.lead_to_the_same(root, line)
    }

    /// Whether the answer to both forms of a move is to take the piece: then they lead to one position, and what makes one
    /// of them look better is chance.
    fn lead_to_the_same(&self, root: &RootMove, line: &Line) -> bool {
        let Some(form) = root.promoted else { return false };
        let mut position = self.position.clone();
        position.do_move(form);
        let stored = || self.table.probe(position.key(), 1).and_then(|found| found.mv);
        let Some(answer) = self.frames[1].pv.first().copied().or_else(stored) else {
            return false;
        };
        if !is_taken(form, Some(answer)) || !is_taken(root.mv, line.first().copied()) {
            return false;
        }
        let mut other = self.position.clone();
        other.do_move(root.mv);
        other.is_legal(answer)
    }
}

/// Whether a move is answered by taking the piece.
fn is_taken(mv: Move, answer: Option<Move>) -> bool {
    answer.is_some_and(|answer| answer.to() == mv.to() && !answer.is_drop())
}

/// The promoted form at `place` is to be played rather than the move at `at`.
fn take_promoted(moves: &mut [RootMove], at: usize, place: usize, value: Value) -> Form {
    if place < at {
        return Form::Promoted { place, value };
    }
    moves[at..=place].rotate_right(1);
    Form::Promoted { place: at, value }
}

/// Whether it is a mate for the side to move.
fn is_won(score: i32) -> bool {
    is_mate(score) && score > 0
}
