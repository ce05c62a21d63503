//! The state of one search thread: position, line, tables and counters.

use std::{marker::PhantomData, sync::Arc};

use super::MAX_PLY;
use super::cost::CostRules;
use super::history::HistoryTables;
use super::interest::{LearnedInterest, MeanInterest};
use super::kind::SearchKind;
use super::limits::{GameRules, StopFlag};
use super::line::Line;
use super::mate_searches::MateSearches;
use super::node_count::NodeCounter;
use super::pace::Pace;
use super::parameters::Parameters;
use super::penalty::InterestPenalties;
use super::picker::Picker;
use super::plausible;
use super::position_history::PositionHistory;
use super::score_rules::{ScoreRules, noise};
use super::table::TranspositionTable;
use super::time_manager::TimeManager;
use super::trace::SearchTrace;
use super::weights::Weights;
use crate::eval::{AnyEvaluator, Evaluation, Evaluator, Fitted, Material};
use kyomi_shogi::{Game, Move, MoveList, Position, Undo};

/// The data of one ply of the current line.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// The move made at this ply.
    pub(crate) mv: Option<Move>,
    /// Whether the move gave check.
    pub(crate) gave_check: bool,
    /// The best line found from this ply.
    pub(crate) pv: Line,
    /// The moves of this node. The memory is kept, so that the search allocates nothing.
    pub(crate) picker: Option<Box<Picker>>,
    /// The move that is left out of a search that tests whether it is singular.
    pub(crate) excluded: Option<Move>,
    /// The moves searched at this ply that did not cut, in order. Recorded only if penalties are on.
    pub(crate) tried: MoveList,
}

/// One search thread.
pub(crate) struct Worker<K: SearchKind> {
    pub(crate) id: usize,
    /// The number of the thread among those of all machines. Threads with different numbers search in different orders.
    pub(crate) number: usize,
    pub(crate) table: Arc<TranspositionTable>,
    pub(crate) parameters: Parameters,
    /// Weights of interest, from the parameters.
    pub(crate) weights: Weights,
    /// Learned move probabilities; `None` if they are off.
    pub(crate) learned: Option<Box<LearnedInterest>>,
    /// Rules of costs, from the parameters.
    pub(crate) costs: CostRules,
    /// Rules of plausible moves, from the parameters; `None` if they are off.
    pub(crate) plausible: Option<plausible::PlausibleRules>,
    /// Score rules, from the parameters.
    pub(crate) score_rules: ScoreRules,
    pub(crate) position: Position,
    pub(crate) frames: Vec<Frame>,
    pub(crate) path: PositionHistory,
    pub(crate) history: HistoryTables,
    /// `[side]`: the mean interest of moves that do not stand out.
    pub(crate) mean_interest: [MeanInterest; 2],
    pub(crate) penalties: InterestPenalties,
    evaluator: AnyEvaluator,
    kind: PhantomData<K>,
    /// Mate searches at the root. Only the first thread uses them.
    pub(super) mates: MateSearches,
    /// Whether this iteration ignores the penalties.
    pub(crate) penalty_pause: bool,
    pub(crate) stop: StopFlag,
    pub(crate) rules: GameRules,
    /// Number of moves of the game before the root.
    pub(crate) game_moves: u32,
    /// Number of nodes of this search.
    pub(crate) nodes: u64,
    /// The number of nodes at which the search stops.
    node_limit: u64,
    /// The number of nodes at which the limits are checked next.
    next_check: u64,
    pub(crate) counter: Arc<NodeCounter>,
    /// Slows the search down to a set speed.
    pub(crate) pace: Option<Arc<Pace>>,
    /// The number of nodes when it last checked the pace.
    paced_nodes: u64,
    /// The value of the counter before this search.
    counted_before: u64,
    pub(crate) seldepth: usize,
    /// Whether the search was stopped. Values that nodes return then are not valid.
    pub(crate) aborted: bool,
    /// Limit of the iteration.
    pub(crate) limit: i32,
    /// Whether the score has fallen, so that moves of little interest near the root cost less.
    pub(crate) score_fell: bool,
    /// The time manager. Only the first thread has one.
    pub(crate) time_manager: Option<TimeManager>,
    /// The line that was being searched when the search was stopped.
    pub(crate) line_at_stop: Line,
    /// What the search did at one ply, for explanations. Recorded only on request.
    pub(in crate::search) trace: SearchTrace,
    /// Replaces the transposition table in tests.
    #[cfg(test)]
    pub(crate) strict: Option<super::strict_table::StrictTable>,
}

/// The evaluator of a thread with these parameters.
fn evaluator(parameters: &Parameters, evaluation: &Evaluation) -> AnyEvaluator {
    match parameters.eval_terms {
        0 => AnyEvaluator::of(evaluation),
        1 => AnyEvaluator::Material(Material),
        _ => AnyEvaluator::Fitted(Fitted::default()),
    }
}

/// The number of nodes between two checks of the limits.
pub(crate) const CLOCK_INTERVAL: u64 = 512;

impl<K: SearchKind> Worker<K> {
    #[cfg(test)]
    pub(crate) fn new(
        id: usize,
        table: Arc<TranspositionTable>,
        counter: Arc<NodeCounter>,
        parameters: &Parameters,
    ) -> Self {
        Self::with_evaluation(id, table, counter, parameters, &Evaluation::builtin())
    }

    /// A thread with another evaluation than the built-in one.
    pub(crate) fn with_evaluation(
        id: usize,
        table: Arc<TranspositionTable>,
        counter: Arc<NodeCounter>,
        parameters: &Parameters,
        evaluation: &Evaluation,
    ) -> Self {
        Self {
            id,
            number: id,
            table,
            parameters: *parameters,
            weights: Weights::new(parameters),
            learned: LearnedInterest::new(parameters),
            costs: CostRules::new(parameters),
            plausible: plausible::PlausibleRules::new(parameters),
            score_rules: ScoreRules::new(parameters),
            position: Position::startpos(),
            frames: (0..MAX_PLY + 2).map(|_| Frame::default()).collect(),
            path: PositionHistory::default(),
            history: HistoryTables::with(parameters),
            mean_interest: [MeanInterest::NEW; 2],
            penalties: InterestPenalties::new(parameters),
            evaluator: evaluator(parameters, evaluation),
            kind: PhantomData,
            mates: MateSearches::default(),
            penalty_pause: false,
            stop: StopFlag::new(),
            rules: GameRules::default(),
            game_moves: 0,
            nodes: 0,
            node_limit: u64::MAX,
            next_check: 0,
            counter,
            pace: None,
            paced_nodes: 0,
            counted_before: 0,
            seldepth: 0,
            aborted: false,
            limit: 0,
            score_fell: false,
            time_manager: None,
            line_at_stop: Line::new(),
            trace: SearchTrace::default(),
            #[cfg(test)]
            strict: None,
        }
    }

    /// Sets up a new root.
    pub(crate) fn set_root(&mut self, game: &Game, rules: GameRules, stop: StopFlag) {
        self.number = self.table.first_thread() + self.id;
        self.position = game.position().clone();
        self.path.restart(game);
        self.history.new_root();
        self.penalties.new_root();
        self.mates.new_root();
        self.evaluator.reset(&self.position);
        self.game_moves = game.len() as u32;
        self.rules = rules;
        self.stop = stop;
        self.nodes = 0;
        self.paced_nodes = 0;
        self.limit_nodes(u64::MAX);
        self.counted_before = self.counter.get();
        self.seldepth = 0;
        self.aborted = false;
        self.score_fell = false;
        self.line_at_stop.clear();
    }

    /// Sets up a position without a game.
    pub(super) fn set_position(&mut self, position: &Position) {
        self.position = position.clone();
        self.evaluator.reset(position);
    }

    /// Sets the number of nodes at which the search stops.
    pub(crate) fn limit_nodes(&mut self, most: u64) {
        self.node_limit = most;
        self.next_check = self.interval().min(most);
    }

    /// The number of nodes between two checks of the limits.
    fn interval(&self) -> u64 {
        self.pace.as_ref().map_or(CLOCK_INTERVAL, |pace| pace.interval())
    }

    /// The number of nodes left before the limit.
    pub(crate) const fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.nodes)
    }

    /// Adds nodes that were searched outside the main search, up to the limit.
    pub(crate) fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes.min(self.nodes_left());
    }

    /// Clears everything that was learnt.
    pub(crate) fn clear_learned(&mut self) {
        self.history = HistoryTables::with(&self.parameters);
        self.mean_interest = [MeanInterest::NEW; 2];
        self.penalties.clear();
        self.mates = MateSearches::default();
    }

    /// Makes a move of the main search.
    #[inline]
    pub(crate) fn make(&mut self, ply: usize, mv: Move) -> Undo {
        let undo = self.make_in_quiescence(ply, mv);
        self.path.push(&self.position);
        undo
    }

    /// Takes back a move of the main search.
    #[inline]
    pub(crate) fn unmake(&mut self, mv: Move, undo: Undo) {
        self.path.pop();
        self.unmake_in_quiescence(mv, undo);
    }

    /// Passes the turn in the main search.
    pub(crate) fn make_null(&mut self, ply: usize) -> Undo {
        self.evaluator.push_null(&self.position);
        let undo = self.position.do_null_move();
        self.table.prefetch(self.position.key());
        self.frames[ply].mv = None;
        self.frames[ply].gave_check = false;
        self.nodes += 1;
        self.path.push(&self.position);
        undo
    }

    /// Takes back a passed turn.
    pub(crate) fn unmake_null(&mut self, undo: Undo) {
        self.path.pop();
        self.evaluator.pop();
        self.position.undo_null_move(undo);
    }

    /// Prefetches what the tables have about the position after a move. It is called as soon as a move is likely to be
    /// made.
    #[inline]
    pub(crate) fn prefetch_after(&self, mv: Move) {
        let key = self.position.key_after(mv);
        self.table.prefetch(key);
        self.evaluator.prefetch(key);
    }

    /// Makes a move of quiescence, which does not detect repetitions.
    #[inline]
    pub(crate) fn make_in_quiescence(&mut self, ply: usize, mv: Move) -> Undo {
        self.evaluator.push(&self.position, mv);
        let undo = self.position.do_move(mv);
        self.frames[ply].mv = Some(mv);
        self.frames[ply].gave_check = self.position.in_check();
        self.nodes += 1;
        undo
    }

    /// Takes back a move of quiescence.
    #[inline]
    pub(crate) fn unmake_in_quiescence(&mut self, mv: Move, undo: Undo) {
        self.evaluator.pop();
        self.position.undo_move(mv, undo);
    }

    /// The static evaluation of the position.
    #[inline]
    pub(crate) fn evaluate(&mut self) -> i32 {
        let eval = self.evaluator.value(&self.position);
        match self.score_rules.noise {
            range if K::EXPERIMENTAL && range != 0 => noise(eval, self.position.key(), range),
            _ => eval,
        }
    }

    /// Whether to stop the search. Called at every node.
    #[inline]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.aborted {
            return true;
        }
        if self.stop.is_stopped() {
            self.aborted = true;
        } else if self.nodes >= self.next_check {
            self.check_limits();
        }
        self.aborted
    }

    /// Publishes the number of nodes, and checks the limits of nodes and time.
    #[cold]
    fn check_limits(&mut self) {
        self.counter.set(self.counted_before + self.nodes);
        if let Some(pace) = &self.pace {
            pace.spend(self.id, self.nodes - self.paced_nodes);
            self.paced_nodes = self.nodes;
        }
        if self.id == 0 {
            self.table.take_shared();
        }
        self.aborted |= self.nodes >= self.node_limit
            || self.time_manager.as_mut().is_some_and(|manager| manager.expired(self.nodes));
        if self.aborted {
            let made = self.frames.iter().take(self.path.plies()).map_while(|frame| frame.mv);
            self.line_at_stop = made.collect();
        } else {
            self.next_check = (self.nodes + self.interval()).min(self.node_limit);
        }
    }

    /// Sets the best line of this ply to this move, followed by the best line of the next ply.
    pub(crate) fn set_pv(&mut self, ply: usize, mv: Move) {
        let (here, below) = self.frames.split_at_mut(ply + 1);
        let (Some(here), Some(below)) = (here.last_mut(), below.first()) else { return };
        here.pv.clear();
        here.pv.push(mv);
        for &next in &below.pv {
            if here.pv.try_push(next).is_err() {
                break;
            }
        }
    }

    /// The move made `back` plies before, if the search made it.
    pub(crate) fn earlier_move(&self, ply: usize, back: usize) -> Option<Move> {
        ply.checked_sub(back).and_then(|at| self.frames[at].mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::kind::Play;

    #[test]
    fn updated_evaluations_equal_evaluations_from_scratch() {
        let table = Arc::new(TranspositionTable::new(1 << 12, 1));
        let parameters = Parameters::default();
        let mut worker =
            Worker::<Play>::new(0, table, Arc::new(NodeCounter::default()), &parameters);
        let mut other = AnyEvaluator::of(&Evaluation::builtin());
        let mut afresh = |position: &Position| {
            other.reset(position);
            other.value(position)
        };
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            worker.set_root(&Game::default(), GameRules::default(), StopFlag::new());
            for ply in 0..100 {
                let moves = worker.position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // The position is left again, whether it was evaluated or not.
                let tried = moves[random.usize(..moves.len())];
                let undo = worker.make(ply, tried);
                if random.bool() {
                    assert_eq!(worker.evaluate(), afresh(&worker.position));
                }
                worker.unmake(tried, undo);
                if random.bool() {
                    assert_eq!(worker.evaluate(), afresh(&worker.position));
                }
                if random.u32(..8) == 0 && !worker.position.in_check() {
                    worker.make_null(ply);
                } else {
                    worker.make(ply, moves[random.usize(..moves.len())]);
                }
            }
        }
    }
}
