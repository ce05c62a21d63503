//! One search thread. Its state has three parts: the [line](CurrentLine) that it searches, its [`Knowledge`] and its
//! [`Control`]. [`Settings`] do not change during a search.

mod control;
mod knowledge;
mod line;
mod scoring;

use std::{marker::PhantomData, sync::Arc};

use super::cost::CostRules;
use super::interest::LearnedInterest;
use super::kind::SearchKind;
use super::limits::{GameRules, StopFlag};
use super::node_count::NodeCounter;
use super::parameters::Parameters;
use super::plausible::PlausibleRules;
use super::score_rules::{ScoreRules, noise};
use super::table::TranspositionTable;
use super::trace::SearchTrace;
use super::weights::Weights;
use crate::eval::{AnyEvaluator, Evaluation, Fitted, Material};
pub(crate) use control::Control;
pub(crate) use knowledge::Knowledge;
use kyomi_shogi::{Game, Move, Undo};
pub(crate) use line::CurrentLine;

/// One search thread.
pub(crate) struct Worker<K: SearchKind> {
    pub(crate) line: CurrentLine,
    pub(crate) knowledge: Knowledge,
    pub(crate) control: Control,
    pub(crate) settings: Settings,
    /// The table, which all threads share.
    pub(crate) table: Arc<TranspositionTable>,
    /// What the search did at one ply, for explanations. Recorded only on request.
    pub(in crate::search) trace: SearchTrace,
    kind: PhantomData<K>,
    /// Replaces the transposition table in tests.
    #[cfg(test)]
    pub(crate) strict: Option<super::strict_table::StrictTable>,
}

/// The parameters, and what follows from them.
pub(crate) struct Settings {
    pub(crate) parameters: Parameters,
    /// Weights of interest.
    pub(crate) weights: Weights,
    /// Learned move probabilities; `None` if they are off.
    pub(crate) learned: Option<Box<LearnedInterest>>,
    pub(crate) costs: CostRules,
    /// Rules of plausible moves; `None` if they are off.
    pub(crate) plausible: Option<PlausibleRules>,
    pub(crate) score_rules: ScoreRules,
}

impl Settings {
    fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: *parameters,
            weights: Weights::new(parameters),
            learned: LearnedInterest::new(parameters),
            costs: CostRules::new(parameters),
            plausible: PlausibleRules::new(parameters),
            score_rules: ScoreRules::new(parameters),
        }
    }

    /// The largest charge of a move of the root in an iteration with this limit: half of it, so that every move is
    /// searched to at least half the depth. `None` where the root is like every other node.
    pub(crate) fn root_charge_cap(&self, limit: i32) -> Option<i32> {
        (self.parameters.root_full != 0).then_some(limit / 2)
    }
}

/// The evaluator of a thread with these parameters.
fn evaluator(parameters: &Parameters, evaluation: &Evaluation) -> AnyEvaluator {
    match parameters.eval_terms {
        0 => AnyEvaluator::of(evaluation),
        1 => AnyEvaluator::Material(Material),
        _ => AnyEvaluator::Fitted(Fitted::default()),
    }
}

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
            line: CurrentLine::new(evaluator(parameters, evaluation)),
            knowledge: Knowledge::new(parameters),
            control: Control::new(id, counter),
            settings: Settings::new(parameters),
            table,
            trace: SearchTrace::default(),
            kind: PhantomData,
            #[cfg(test)]
            strict: None,
        }
    }

    /// Sets up a new root.
    pub(crate) fn set_root(&mut self, game: &Game, rules: GameRules, stop: StopFlag) {
        self.line.set_root(game, rules);
        self.knowledge.new_root();
        self.control.begin(self.table.first_thread(), stop);
    }

    /// Clears everything that was learnt.
    pub(crate) fn clear_learned(&mut self) {
        self.knowledge.clear(&self.settings.parameters);
    }

    /// Makes a move of the main search.
    #[inline]
    pub(crate) fn make(&mut self, ply: usize, mv: Move) -> Undo {
        self.control.nodes += 1;
        self.line.make(ply, mv)
    }

    /// Passes the turn in the main search.
    pub(crate) fn make_null(&mut self, ply: usize) -> Undo {
        self.control.nodes += 1;
        let undo = self.line.make_null(ply);
        self.table.prefetch(self.line.position.key());
        undo
    }

    /// Makes a move of quiescence, which does not detect repetitions.
    #[inline]
    pub(crate) fn make_in_quiescence(&mut self, ply: usize, mv: Move) -> Undo {
        self.control.nodes += 1;
        self.line.make_in_quiescence(ply, mv)
    }

    /// Prefetches what the tables have about the position after a move. It is called as soon as a move is likely to be
    /// made.
    #[inline]
    pub(crate) fn prefetch_after(&self, mv: Move) {
        let key = self.line.position.key_after(mv);
        self.table.prefetch(key);
        self.line.prefetch_eval(key);
    }

    /// The static evaluation of the position.
    #[inline]
    pub(crate) fn evaluate(&mut self) -> i32 {
        let eval = self.line.plain_eval();
        match self.settings.score_rules.noise {
            range if K::EXPERIMENTAL && range != 0 => noise(eval, self.line.position.key(), range),
            _ => eval,
        }
    }

    /// Whether to stop the search. Called at every node; it updates [`Control::aborted`].
    #[inline]
    pub(crate) fn check_stop(&mut self) -> bool {
        if self.control.aborted {
            return true;
        }
        if self.control.stop.is_stopped() {
            self.control.aborted = true;
        } else if self.control.is_check_due() {
            self.check_limits();
        }
        self.control.aborted
    }

    /// Checks the limits, and takes the results of other machines into the table.
    #[cold]
    fn check_limits(&mut self) {
        if self.control.id == 0 {
            self.table.take_shared();
        }
        self.control.check_limits();
        if self.control.aborted {
            self.line.note_stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator as _;
    use crate::search::kind::Play;
    use kyomi_shogi::Position;

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
                let moves = worker.line.position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // The position is left again, whether it was evaluated or not.
                let tried = moves[random.usize(..moves.len())];
                let undo = worker.make(ply, tried);
                if random.bool() {
                    assert_eq!(worker.evaluate(), afresh(&worker.line.position));
                }
                worker.line.unmake(tried, undo);
                if random.bool() {
                    assert_eq!(worker.evaluate(), afresh(&worker.line.position));
                }
                if random.u32(..8) == 0 && !worker.line.position.in_check() {
                    worker.make_null(ply);
                } else {
                    worker.make(ply, moves[random.usize(..moves.len())]);
                }
            }
        }
    }
}
