//! Training a network further by comparisons of moves.

use std::{fmt, sync::Arc};

use serde::Serialize;

use crate::{
    eval::network::Network,
    shogi::{Move, Position},
};

use super::{
    adam::Moments,
    comparisons::{Comparer, Comparison, ComparisonLosses, ComparisonRule},
    parameters::Parameters,
    trainer::{NetworkDescent, Trainer, comparison_losses, in_threads},
};

/// A position of a game, and the move played in it.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The position.
    pub position: Position,
    /// The legal move that was played.
    pub played: Move,
}

/// The moves and the settings of a training.
#[derive(Debug, Clone)]
pub struct ComparisonTask {
    /// The choices to learn from. Their order should be random, so that the threads have as much work.
    pub training: Vec<Choice>,
    /// Choices of other games, to validate with.
    pub validation: Vec<Choice>,
    /// The network to train further.
    pub start: Arc<Network>,
    /// How choices become a loss.
    pub rule: ComparisonRule,
    /// The number of passes over all choices.
    pub epochs: u32,
    /// The settings of the descent. A batch is a number of choices.
    pub descent: NetworkDescent,
    /// The seed of the order of choices.
    pub seed: u64,
}

/// How well a network predicts the moves played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ChoiceLosses {
    /// The mean negative logarithm of the probability of the move played.
    pub choice: f64,
    /// The mean loss of values that differ from those before the training.
    pub anchor: f64,
    /// The share of choices in which the move played has the largest value.
    pub first: f64,
    /// The root of the mean squared difference from the values before the training, in centipawns.
    pub change: f64,
}

impl From<ComparisonLosses> for ChoiceLosses {
    fn from(losses: ComparisonLosses) -> Self {
        let count = losses.count.max(1e-9);
        Self {
            choice: losses.choice / count,
            anchor: losses.anchor / count,
            first: losses.first / count,
            change: (losses.squares / count).sqrt(),
        }
    }
}

impl fmt::Display for ChoiceLosses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { choice, anchor, first, change } = self;
        let first = first * 100.0;
        write!(f, "loss {choice:.4} + {anchor:.4}  first {first:.2} %  changed by {change:.1} cp")
    }
}

/// Progress reports of a training.
#[derive(Debug, Clone, Copy)]
pub enum ComparisonProgress {
    /// This part of the choices has been prepared, in percent.
    Prepared(usize),
    /// An epoch is done.
    Epoch {
        /// The epoch, from 1; 0 before the first.
        epoch: u32,
        /// The losses while it ran.
        training: ChoiceLosses,
        /// The losses at its end, on the choices to validate with.
        validation: ChoiceLosses,
    },
}

/// The result of a training.
#[derive(Debug)]
pub struct ComparedNetwork {
    /// The network of the epoch with the least loss on the choices to validate with. The first network is one of them.
    pub network: Network,
    /// The epoch after which it was taken; 0: nothing was learnt.
    pub epoch: u32,
    /// The number of comparisons learnt from. Choices in decided games, or of few moves, have none.
    pub training: usize,
    /// The number of comparisons to validate with.
    pub validation: usize,
    /// The losses of the first network on the choices to validate with.
    pub before: ChoiceLosses,
    /// The losses of the network on the choices to validate with.
    pub after: ChoiceLosses,
}

/// Trains a network further. `show` returns whether to continue; when it does not, the best network so far is returned.
/// The result depends on the seed, not on the number of threads. `None` if there is nothing to learn from or to validate
/// with.
pub fn train_by_comparisons(
    task: &ComparisonTask,
    mut show: impl FnMut(ComparisonProgress) -> bool,
) -> Option<ComparedNetwork> {
    let ComparisonTask { start, rule, descent, epochs, .. } = task;
    let total = task.training.len() + task.validation.len();
    let mut done = 0;
    let mut continues = true;
    let mut prepare = |choices: &[Choice]| {
        let mut comparisons = Vec::with_capacity(choices.len());
        for part in choices.chunks(PREPARED_AT_ONCE) {
            if continues {
                comparisons.extend(compare(part, start, descent.threads));
                done += part.len();
                continues = show(ComparisonProgress::Prepared(done * 100 / total.max(1)));
            }
        }
        comparisons
    };
    let validation = prepare(&task.validation);
    let training = prepare(&task.training);
    if training.is_empty() || validation.is_empty() {
        return None;
    }
    let parameters = Parameters::of_network(start);
    let moments = Moments::new(parameters.shape.parameters());
    let mut trainer = Trainer::new(parameters, moments, 1.0);
    let losses = |trainer: &Trainer| {
        comparison_losses(&trainer.parameters, &validation, rule, descent.threads)
    };
    let before = losses(&trainer);
    let (mut least, mut best) = (before, Network::clone(start));
    let mut best_epoch = 0;
    let report = |epoch, training: ComparisonLosses, validation: ComparisonLosses| {
        ComparisonProgress::Epoch {
            epoch,
            training: training.into(),
            validation: validation.into(),
        }
    };
    continues = continues && show(report(0, before, before));
    let steps = (training.len().div_ceil(descent.batch.max(1)) as u32).saturating_mul(*epochs);
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    let mut random = fastrand::Rng::with_seed(task.seed);
    for epoch in 1..=*epochs {
        if !continues {
            break;
        }
        random.shuffle(&mut order);
        let mut learnt = ComparisonLosses::default();
        for batch in order.chunks(descent.batch.max(1)) {
            learnt.add(trainer.step_by_comparisons(&training, batch, steps, rule, descent));
        }
        let found = losses(&trainer);
        continues = show(report(epoch, learnt, found));
        if found.mean() < least.mean() {
            (least, best, best_epoch) = (found, trainer.parameters.network(), epoch);
        }
    }
    Some(ComparedNetwork {
        network: best,
        epoch: best_epoch,
        training: training.len(),
        validation: validation.len(),
        before: before.into(),
        after: least.into(),
    })
}

/// The number of choices between two reports.
const PREPARED_AT_ONCE: usize = 8192;
/// The number of choices that a thread takes at a time.
const PREPARED_TOGETHER: usize = 64;

/// The comparisons of some choices, in their order.
fn compare(choices: &[Choice], network: &Arc<Network>, threads: usize) -> Vec<Comparison> {
    let parts: Vec<&[Choice]> = choices.chunks(PREPARED_TOGETHER).collect();
    let mut done: Vec<Vec<Comparison>> = parts.iter().map(|_| Vec::new()).collect();
    let mut jobs: Vec<_> = parts.iter().zip(&mut done).collect();
    in_threads(&mut jobs, threads, |(choices, done)| {
        let mut comparer = Comparer::new(network);
        let compare = |choice: &Choice| comparer.compare(&choice.position, choice.played);
        **done = choices.iter().filter_map(compare).collect();
    });
    done.into_iter().flatten().collect()
}
