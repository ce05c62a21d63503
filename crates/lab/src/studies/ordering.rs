//! How early the best moves come: by their interest at the root of a search, and among the moves that inner nodes search.

use std::cmp::Reverse;

use serde::Serialize;

use super::{PositionReader, RankCurve};
use crate::train::SampledPosition;
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::explain::{
    CutCounts, ExplainError, ExplainRequest, MoveView, explain_until,
};
use kyomi_engine::search::{Parameters, SearchLimits, StopFlag, Term};
use kyomi_shogi::{Game, Move};

/// The ranks of moves in searches with one set of weights.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MoveOrder {
    /// `learned` with the learned move probabilities, `without` without them.
    pub name: &'static str,
    /// The ranks of the played moves by the interest at the root, in which the best move so far has a term of its own.
    pub played: RankCurve,
    /// The ranks of the best moves of the longer searches with the same weights, likewise.
    pub best: RankCurve,
    /// The ranks of the played moves without the terms for the best move so far. The bonus of the best quiet move still
    /// goes to another one.
    pub played_by_other_terms: RankCurve,
    /// The ranks of the best moves of the longer searches, likewise.
    pub best_by_other_terms: RankCurve,
    /// The ranks of the moves that reached beta among the moves that their inner nodes searched, in nodes without a
    /// move from the table.
    pub cuts: RankCurve,
    /// The same in nodes with a move from the table.
    pub cuts_with_table_move: RankCurve,
}

/// The tables of `kyomi-lab ordering`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OrderingStudy {
    /// The node limit of each search.
    pub nodes: u64,
    /// The node limit of the longer searches that find the best moves.
    pub judge_nodes: u64,
    /// With learned move probabilities, and without.
    pub orders: Vec<MoveOrder>,
}

/// Builds an [`OrderingStudy`] from positions, which are added one after the other.
pub(crate) struct OrderingReader {
    study: OrderingStudy,
    /// For each order, the search whose moves are ordered, and the longer one.
    requests: Vec<[ExplainRequest; 2]>,
}

impl OrderingReader {
    /// A reader without positions. The searches have these parameters, first as they are and then without learned
    /// probabilities. Each position is searched with `nodes` nodes, whose last completed iteration orders its
    /// moves, and with `judge_nodes` nodes to find its best move.
    pub(crate) fn new(nodes: u64, judge_nodes: u64, learned: &Parameters) -> Self {
        let without = Parameters { learned: 0, ..*learned };
        let request = |parameters| {
            [nodes, judge_nodes].map(|nodes| ExplainRequest {
                limits: SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
                parameters,
                evaluation: Evaluation::builtin(),
                hash_bytes: HASH_BYTES,
                node: None,
            })
        };
        let named = |name| MoveOrder { name, ..MoveOrder::default() };
        let orders = vec![named("learned"), named("without")];
        Self {
            study: OrderingStudy { nodes, judge_nodes, orders },
            requests: vec![request(*learned), request(without)],
        }
    }
}

impl PositionReader for OrderingReader {
    type Study = OrderingStudy;

    /// Adds a position of a game that the probabilities were not learned from; other positions do not count.
    fn add(&mut self, sampled: &SampledPosition<'_>, stop: &StopFlag) -> Result<(), ExplainError> {
        if !sampled.in_test_set {
            return Ok(());
        }
        let game = Game::new(sampled.position.clone());
        let mut found = Vec::new();
        for [request, longer] in &self.requests {
            let explained = explain_until(&game, request, stop)?;
            let best = explain_until(&game, longer, stop)?.search.pv.first().copied();
            found.push((explained, best));
        }
        if stop.is_stopped() {
            return Ok(());
        }
        for (order, (explained, best)) in self.study.orders.iter_mut().zip(found) {
            order.add_cuts(&explained.search.cuts);
            order.add_ranks(&explained.node.moves, sampled.played, best);
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        self.study.orders.last().map_or(0, |order| order.played.positions())
    }

    fn finish(self) -> OrderingStudy {
        self.study
    }
}

impl MoveOrder {
    /// Adds the ranks of the played move and of the best move of the longer search.
    fn add_ranks(&mut self, moves: &[MoveView], played: Move, best: Option<Move>) {
        let by_other_terms = by_other_terms(moves);
        let place = |wanted: Move| by_other_terms.iter().position(|&mv| mv == wanted);
        let rank = |wanted: Move| place(wanted).map(|place| place + 1);
        let interest_rank = |wanted: Move| {
            moves.iter().find(|view| view.mv == wanted).map(|view| view.interest_rank)
        };
        self.played.add_some(interest_rank(played));
        self.best.add_some(best.and_then(interest_rank));
        self.played_by_other_terms.add_some(rank(played));
        self.best_by_other_terms.add_some(best.and_then(rank));
    }

    fn add_cuts(&mut self, cuts: &CutCounts) {
        let CutCounts { without_table_move, with_table_move } = cuts;
        for (curve, counts) in [
            (&mut self.cuts, without_table_move),
            (&mut self.cuts_with_table_move, with_table_move),
        ] {
            for (place, &count) in counts.iter().enumerate() {
                curve.add_times(place + 1, count as usize);
            }
        }
    }
}

/// The moves in descending order of their interest without the terms for the best move so far.
fn by_other_terms(moves: &[MoveView]) -> Vec<Move> {
    let of_best = |view: &MoveView| -> i32 {
        let parts = view.parts.iter();
        let of_best = parts.filter(|part| matches!(part.term, Term::Hash | Term::RootBest));
        of_best.map(|part| view.amount(part)).sum()
    };
    let mut ordered: Vec<_> = moves
        .iter()
        .map(|view| (Reverse(view.interest - of_best(view)), view.mv.to_bits(), view.mv))
        .collect();
    ordered.sort_unstable_by_key(|&(interest, bits, _)| (interest, bits));
    ordered.into_iter().map(|(.., mv)| mv).collect()
}

/// The size of the transposition table of one search.
const HASH_BYTES: u64 = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;
    use kyomi_shogi::notation::usi::parse_move;

    fn study(in_test_set: bool) -> OrderingStudy {
        // 5e5d wins a gold for nothing.
        let position = Position::from_sfen("4k4/9/9/4g4/4P4/9/9/9/4K4 b - 1").unwrap();
        let mut reader = OrderingReader::new(300, 600, &Parameters::interest());
        for mv in ["5e5d", "5i4i"] {
            let sampled = SampledPosition {
                in_test_set,
                ..SampledPosition::new(&position, parse_move(mv).unwrap())
            };
            reader.add(&sampled, &StopFlag::new()).unwrap();
        }
        reader.finish()
    }

    #[test]
    fn the_best_move_is_first_and_cuts_are_counted() {
        let study = study(true);
        assert_eq!(study.orders.len(), 2);
        for order in &study.orders {
            assert_eq!((order.played.positions(), order.best.positions()), (2, 2), "{order:?}");
            assert_eq!(order.best.counts(), [2], "{order:?}");
            assert_eq!(order.best_by_other_terms.counts(), [2], "{order:?}");
            assert!((order.played.within(1) - 0.5).abs() < 1e-9, "{order:?}");
            assert!(order.cuts.positions() + order.cuts_with_table_move.positions() > 0);
            assert!(order.cuts_with_table_move.within(1) > 0.5, "{order:?}");
        }
    }

    #[test]
    fn other_terms_leave_out_what_the_best_move_so_far_adds() {
        let mut game = Game::new(Position::startpos());
        let mut changed = 0;
        for mv in ["7g7f", "3c3d", "2g2f", "4c4d", "3i4h", "8b4b", "5i6h", "5a6b"] {
            game.push(parse_move(mv).unwrap()).unwrap();
            let reader = OrderingReader::new(1000, 1000, &Parameters::interest());
            let moves = explain_until(&game, &reader.requests[0][0], &StopFlag::new());
            let moves = moves.unwrap().node.moves;
            let ordered = by_other_terms(&moves);
            assert_eq!(ordered.len(), moves.len());
            let place = |wanted| ordered.iter().position(|&mv| mv == wanted).unwrap() + 1;
            let of_best = |view: &&MoveView| view.parts.iter().any(|part| part.term == Term::Hash);
            let best = moves.iter().find(of_best).unwrap();
            assert!(place(best.mv) >= best.interest_rank, "{best:?}");
            changed += usize::from(place(best.mv) > best.interest_rank);
        }
        assert!(changed > 0, "the best move is always first by other terms");
    }

    #[test]
    fn cuts_are_added_by_rank() {
        let (mut order, mut cuts) = (MoveOrder::default(), CutCounts::default());
        (cuts.without_table_move[2], cuts.with_table_move[0]) = (5, 7);
        order.add_cuts(&cuts);
        order.add_cuts(&cuts);
        assert_eq!(order.cuts.counts(), [0, 0, 10]);
        assert_eq!(order.cuts_with_table_move.counts(), [14]);
    }

    #[test]
    fn games_that_were_learned_from_do_not_count() {
        assert!(study(false).orders.iter().all(|order| order.played.positions() == 0));
    }

    #[test]
    fn a_stopped_position_does_not_count() {
        let position = Position::startpos();
        let mut reader = OrderingReader::new(300, 600, &Parameters::interest());
        let stop = StopFlag::new();
        stop.stop();
        let played = parse_move("7g7f").unwrap();
        let sampled =
            SampledPosition { in_test_set: true, ..SampledPosition::new(&position, played) };
        reader.add(&sampled, &stop).unwrap();
        assert_eq!(reader.positions(), 0);
    }
}
