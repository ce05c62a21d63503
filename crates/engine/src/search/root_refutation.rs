//! The replacement of a best move after which the other side mates (docs/search.md, section 1.10).

use std::cmp::Reverse;

use super::kind::SearchKind;
use super::line::{Line, RootLine};
use super::root_move::RootMove;
use super::time_manager::thousandths_of;
use super::value::is_mate;
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

    /// Replaces substitutes of the best move that lose as well, within the share of the mate search.
    pub(super) fn refute_substitutes(&mut self, moves: &mut [RootMove], best_line: &mut RootLine) {
        while best_line.is_substitute
            && let Some(&mv) = best_line.line.first()
            && let Some((score, line)) = self.mated_within_share(mv)
        {
            self.refute(moves, best_line, score, line);
        }
    }

    /// Sets the part of the time and of the nodes, in thousandths, that is left to the final mate search after the best
    /// move.
    pub(super) fn set_final_share(&mut self, final_share: u32) {
        self.withhold_nodes(final_share);
        if let Some(time_manager) = &mut self.time_manager {
            time_manager.set_final_share(final_share);
        }
    }

    /// Searches for a mate by the other side after the best move. If there is a mate, another move is played. The
    /// earlier mate searches may have missed it: the best move may be new, or the mate too long for their share of
    /// nodes.
    pub(super) fn run_final_mate_search(
        &mut self,
        moves: &mut [RootMove],
        best_line: &mut RootLine,
        final_share: u32,
    ) {
        if is_mate(best_line.score) && !best_line.is_substitute || moves.len() < 2 {
            return;
        }
        let most = self.nodes + thousandths_of(self.nodes, final_share);
        while self.nodes < most
            && let Some((score, line)) = self.final_mate_search(&best_line.line, most - self.nodes)
        {
            self.refute(moves, best_line, score, line);
            if !best_line.is_substitute {
                return;
            }
        }
    }

    /// Records that a mate search has shown a move to lose.
    pub(super) fn mark_proven_loss(&mut self, root: &mut RootMove, score: i32, line: Line) {
        root.proven_score = Some(score);
        root.line = line;
        root.nodes = 0;
        self.mates.refuted.push(root.mv);
        if self.is_traced(0) {
            self.trace.prove(root.mv, score);
        }
    }
}
