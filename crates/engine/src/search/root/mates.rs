//! The mate search at the root, beside the main search (docs/search.md, section 1.10). It looks for a mate by the side
//! to move, and by the other side after the best move so far. A best move after which the other side mates is replaced.

use std::cmp::Reverse;
use std::time::Instant;

use super::moves::RootMove;
use crate::search::MAX_PLY;
use crate::search::kind::SearchKind;
use crate::search::line::{Line, RootLine};
use crate::search::mate_search::{MateSearches, Proof};
use crate::search::time_manager::TimeManager;
use crate::search::value::{MATE_BOUND, mated_in, mates_in};
use crate::search::worker::Worker;
use kyomi_shogi::{EnteringKingRule, Move};

/// The result of the mate searches of a root.
pub(super) enum Proven {
    /// The side to move mates.
    Win {
        /// The score of that mate.
        score: i32,
        line: Box<Line>,
    },
    /// The side to move is mated after its best move.
    Loss {
        /// The score of that mate, for the side to move.
        score: i32,
        /// Best move first.
        line: Box<Line>,
    },
}

/// One node in this many is spent on the mate search: it slows the main search by no more than that.
const NODES_PER_MATE_NODE: u64 = 20;
/// The least number of nodes of one call. Fewer do not repay the start.
const LEAST_SHARE: u64 = 64;
/// The largest number of nodes of one call. It takes some hundredths of a second, so that a ponder hit is noticed soon.
const LARGEST_SHARE: u64 = 50_000;
/// Number of positions searched to show that an unpromoted form loses as well as the promoted one. It is asked rarely,
/// outside the share.
const FORM_NODES: u64 = 5000;

impl<K: SearchKind> Worker<K> {
    /// Runs the mate searches with their share of the nodes so far.
    pub(super) fn search_for_mates(&mut self, best: &RootLine) -> Option<Proven> {
        let mut mates = std::mem::take(&mut self.knowledge.mates);
        let proven = self.run_mate_searches(&mut mates, best);
        self.knowledge.mates = mates;
        proven
    }

    fn run_mate_searches(&mut self, mates: &mut MateSearches, best: &RootLine) -> Option<Proven> {
        let node_share = self.node_share(mates);
        if node_share < LEAST_SHARE {
            return None;
        }
        let before = mates.nodes();
        let (deadline, stop) = (self.deadline(), self.control.stop.clone());
        let position = self.line.position.clone();
        let own = mates.own_mate.continue_search(&position, node_share / 2, deadline, &stop);
        let proven = match (own, best.line.first()) {
            (Proof::Mate { line, plies }, _) if self.check_mate_by_rules(&line, plies) => {
                let line = Box::new(line.into_iter().take(MAX_PLY).collect());
                Some(Proven::Win { score: mates_in(plies).max(MATE_BOUND), line })
            }
            (_, Some(&mv)) if !mates.refuted.contains(&mv) => {
                let mut after = position;
                after.do_move(mv);
                let left = node_share - (mates.nodes() - before).min(node_share);
                let proof = mates.opponent_mate.continue_search(&after, left, deadline, &stop);
                self.loss(mv, proof)
                    .map(|(score, line)| Proven::Loss { score, line: Box::new(line) })
            }
            _ => None,
        };
        self.control.add_nodes(mates.nodes() - before);
        proven
    }

    /// The number of positions that the mate search may search now.
    fn node_share(&self, mates: &MateSearches) -> u64 {
        let most = self.settings.parameters.mate_nodes as u64;
        let share = (self.control.nodes / NODES_PER_MATE_NODE).min(most);
        share.saturating_sub(mates.nodes()).min(self.control.nodes_left()).min(LARGEST_SHARE)
    }

    fn deadline(&self) -> Option<Instant> {
        self.control.time_manager.as_ref().and_then(TimeManager::deadline_at)
    }

    /// The score and the line of a mate against the side to move after one of its moves, if a search of [`FORM_NODES`]
    /// positions proves one. These positions count as nodes.
    pub(super) fn mated_after(&mut self, mv: Move) -> Option<(i32, Line)> {
        if self.settings.parameters.mate_nodes == 0 {
            return None;
        }
        let mut position = self.line.position.clone();
        position.do_move(mv);
        let deadline = self.deadline();
        let (stop, nodes) = (self.control.stop.clone(), FORM_NODES.min(self.control.nodes_left()));
        let mut search = std::mem::take(&mut self.knowledge.mates.unpromoted_form);
        let before = search.nodes;
        let proof = search.continue_search(&position, nodes, deadline, &stop);
        self.control.add_nodes(search.nodes - before);
        self.knowledge.mates.unpromoted_form = search;
        self.loss(mv, proof)
    }

    /// The score and the line of a loss, from the proof of a mate after a move.
    fn loss(&mut self, mv: Move, proof: Proof) -> Option<(i32, Line)> {
        let Proof::Mate { line, plies } = proof else { return None };
        let line: Vec<Move> = std::iter::once(mv).chain(line).collect();
        let counts = self.check_mate_by_rules(&line, plies + 1);
        let score = mated_in(plies + 1).min(-MATE_BOUND);
        counts.then(|| (score, line.into_iter().take(MAX_PLY).collect()))
    }

    /// Whether a mate from the root counts by all rules of the game: it comes before the last move allowed, and no
    /// position of the line occurred before. A repetition could be a loss by perpetual check. By the try rule a king
    /// may win by fleeing from a check, which the mate search does not know.
    fn check_mate_by_rules(&mut self, line: &[Move], plies: usize) -> bool {
        let last = self.line.game_moves as usize + plies;
        if self.line.rules.max_moves.is_some_and(|most| last > most as usize) {
            return false;
        }
        let mut position = self.line.position.clone();
        let (mut made, mut repeated) = (0, false);
        for &mv in line {
            position.do_move(mv);
            self.line.path.push(&position);
            made += 1;
            repeated |= self.line.path.repeated(position.side_to_move()).is_some();
        }
        let is_try = self.line.rules.entering_king == EnteringKingRule::Try;
        let may_try = is_try && self.line.has_entered(position.side_to_move());
        for _ in 0..made {
            self.line.path.pop();
        }
        !repeated && !may_try
    }

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::search::kind::Play;
    use crate::search::node_count::NodeCounter;
    use crate::search::{GameRules, Parameters, StopFlag, is_mate_line, table::TranspositionTable};
    use kyomi_shogi::{Game, Position, notation::usi::parse_move};

    /// Black mates in five; it has no king.
    const BLACK: &str = "5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1";
    /// The same position with white to move.
    const WHITE: &str = "5B1n1/8k/6Rpp/9/9/9/9/9/9 w rb4g4s3n4l16p 1";

    /// The result for a position after a search of 100,000 nodes with this best move.
    fn proven(sfen: &str, best: &str, rules: GameRules) -> Option<Proven> {
        let parameters = Parameters { mate_nodes: 1_000_000, ..Parameters::default() };
        let table = Arc::new(TranspositionTable::new(1 << 12, 1));
        let mut worker =
            Worker::<Play>::new(0, table, Arc::new(NodeCounter::default()), &parameters);
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        worker.set_root(&game, rules, StopFlag::new());
        worker.control.add_nodes(100_000);
        let line = Line::from_iter([parse_move(best).unwrap()]);
        let best = RootLine { line, limit: 300, ..RootLine::default() };
        let found = worker.search_for_mates(&best);
        assert!((100_001..105_100).contains(&worker.control.nodes), "{}", worker.control.nodes);
        // Until the share of these nodes is used up, or the result is known.
        assert!(worker.search_for_mates(&best).is_none());
        found
    }

    #[test]
    fn a_mate_is_found_with_its_line_and_no_shorter_score() {
        let Some(Proven::Win { score, line }) = proven(BLACK, "3c3b+", GameRules::default()) else {
            panic!("there is a mate");
        };
        assert!(is_mate_line(&Position::from_sfen(BLACK).unwrap(), &line), "{line:?}");
        assert!(score <= mates_in(line.len()) && score >= mates_in(9));
    }

    #[test]
    fn the_best_move_is_shown_to_lose() {
        let Some(Proven::Loss { score, line }) = proven(WHITE, "P*9b", GameRules::default()) else {
            panic!("black mates in five");
        };
        assert!(score >= mated_in(6) && score <= mated_in(10), "{score}");
        let mut position = Position::from_sfen(WHITE).unwrap();
        position.do_move(line[0]);
        assert!(is_mate_line(&position, &line[1..]), "{line:?}");
    }

    #[test]
    fn a_mate_after_the_move_limit_does_not_count() {
        let rules = GameRules { max_moves: Some(4), ..GameRules::default() };
        assert!(proven(BLACK, "3c3b+", rules).is_none());
    }
}
