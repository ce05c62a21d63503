//! The replacement of a best move after which the other side mates (docs/search.md, section 1.10).

use std::cmp::Reverse;

use super::kind::SearchKind;
use super::line::{Line, RootLine};
use super::root_move::RootMove;
use super::worker::Worker;

impl<K: SearchKind> Worker<K> {
    /// Replaces the best move, which is shown to lose, by the move that took the most nodes to refute. The score is
    /// kept until the next iteration, although none of the other moves has reached it.
    pub(super) fn refute(
        &mut self,
        moves: &mut [RootMove],
        best_line: &mut RootLine,
        score: i32,
        line: Line,
    ) {
        let best = best_line.line.first();
        let Some(root) = moves.iter_mut().find(|root| Some(&root.mv) == best) else { return };
        let form = root.mv;
        self.mark_proven_loss(root, score, line);
        // An unpromoted form is better only if it is not mated.
        if let Some(other) = moves.iter_mut().find(|root| root.promoted == Some(form))
            && other.proven_score.is_none()
            && let Some((score, line)) = self.mated_after(other.mv)
        {
            self.mark_proven_loss(other, score, line);
        }
        let order = |root: &RootMove| {
            // If all moves lose, the one with the longest mate.
            let lost =
                root.proven_score.map_or((false, Reverse(0)), |score| (true, Reverse(score)));
            (lost, root.is_implausible, root.needless_non_promotion, Reverse(root.nodes))
        };
        moves.sort_by_key(order);
        best_line.line.clone_from(&moves[0].line);
        best_line.cost = moves[0].cost;
        best_line.is_substitute = moves[0].proven_score.is_none();
        if let Some(score) = moves[0].proven_score {
            best_line.score = score;
        }
    }

    /// Records that a mate search has shown a move to lose.
    pub(super) fn mark_proven_loss(&mut self, root: &mut RootMove, score: i32, line: Line) {
        root.proven_score = Some(score);
        root.line = line;
        root.nodes = 0;
        self.knowledge.mates.refuted.push(root.mv);
        if self.is_traced(0) {
            self.trace.prove(root.mv, score);
        }
    }
}
