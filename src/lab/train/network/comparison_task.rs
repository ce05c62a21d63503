//! Training a network further by comparisons of moves.

use std::{fmt, fs, path::Path, sync::Arc};

use serde::Serialize;

use crate::{
    eval::network::Network,
    lab::train::{
        TrainError,
        checkpoint::{replace, write_report},
    },
    shogi::{Move, Position, machine::run_with_wide_vectors},
};

use super::{
    adam::Moments,
    comparisons::{
        Comparer, Comparison, ComparisonLosses, ComparisonPass, ComparisonRule, comparison_losses,
    },
    losses::LossSums as _,
    parallel::in_threads,
    parameters::Parameters,
    trainer::{NetworkDescent, Trainer},
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
#[derive(Debug)]
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

impl ComparisonTask {
    /// The settings of the descent, with the first rate that suits comparisons.
    pub fn usual_descent() -> NetworkDescent {
        NetworkDescent { batch: 1024, rate: 0.0005, ..NetworkDescent::default() }
    }
}

/// How well a network predicts the moves played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ChoiceLosses {
    /// The mean negative natural logarithm of the probability of the move played.
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
    /// A part of an epoch is done.
    Step {
        /// The epoch, from 1.
        epoch: u32,
        /// The part of the epoch that is done, in percent.
        percent: usize,
    },
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
    /// The network of the epoch with the least loss on the choices to validate with.
    pub network: Network,
    /// That epoch, from 1.
    pub epoch: u32,
    /// The number of comparisons learnt from. Choices in decided games, or of few moves, have none.
    pub training: usize,
    /// The number of comparisons to validate with.
    pub validation: usize,
    /// The losses of the first network on the choices to validate with.
    pub before: ChoiceLosses,
    /// The losses of the result on the choices to validate with.
    pub after: ChoiceLosses,
}

/// Makes the folder of a result.
///
/// # Errors
/// The folder cannot be made, or has a network, which would be replaced.
pub fn make_result_folder(out: &Path) -> Result<(), TrainError> {
    fs::create_dir_all(out).map_err(TrainError::io("making", out))?;
    let network = out.join("network.bin");
    if network.exists() { Err(TrainError::Exists(network)) } else { Ok(()) }
}

impl ComparedNetwork {
    /// Writes the network to `network.bin` and a report to `network.json` in a folder.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn write(&self, out: &Path, report: &impl Serialize) -> Result<(), TrainError> {
        let network = out.join("network.bin");
        replace(&network, &self.network.to_bytes()).map_err(TrainError::io("writing", &network))?;
        write_report(&out.join("network.json"), report)
    }
}

/// Trains a network further. The result depends on the seed, not on the number of threads. When `stop` returns true the
/// training ends within moments; the epoch that runs has no effect.
///
/// # Errors
/// There is nothing to learn from or to validate with, no epoch was done, or none lowered the loss.
pub fn train_by_comparisons(
    task: ComparisonTask,
    mut show: impl FnMut(ComparisonProgress),
    stop: impl Fn() -> bool,
) -> Result<ComparedNetwork, TrainError> {
    let ComparisonTask { training, validation, start, rule, epochs, descent, seed } = task;
    let threads = descent.threads;
    let total = training.len() + validation.len();
    let mut comparers: Vec<Comparer> =
        (0..threads.clamp(1, MOST_PREPARING)).map(|_| Comparer::new(&start)).collect();
    let mut done = 0;
    // A choice is not needed once it is a comparison.
    let mut prepare = |choices: Vec<Choice>| {
        let mut comparisons = Vec::new();
        for part in choices.chunks(PREPARED_AT_ONCE) {
            if stop() {
                break;
            }
            comparisons.extend(compare(part, &mut comparers));
            done += part.len();
            show(ComparisonProgress::Prepared(done * 100 / total.max(1)));
        }
        // The reading of the choices may have been stopped, too.
        if stop() { Err(TrainError::NoEpoch) } else { Ok(comparisons) }
    };
    let (validation, training) = (prepare(validation)?, prepare(training)?);
    if training.is_empty() || validation.is_empty() {
        let (training, validation) = (training.len(), validation.len());
        return Err(TrainError::Few { training, validation });
    }
    let parameters = Parameters::of_network(&start);
    let moments = Moments::new(parameters.shape.parameters());
    let mut trainer = Trainer::new(parameters, moments);
    let losses =
        |parameters: &Parameters| comparison_losses(parameters, &validation, &rule, threads);
    let before = losses(&trainer.parameters);
    let (mut least, mut best) = (before.mean(), None);
    show(ComparisonProgress::Epoch {
        epoch: 0,
        training: before.into(),
        validation: before.into(),
    });
    let batch = descent.batch.max(1);
    let steps = (training.len().div_ceil(batch) as u32).saturating_mul(epochs);
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut epochs_done = 0;
    'training: for epoch in 1..=epochs {
        random.shuffle(&mut order);
        let mut learnt = ComparisonLosses::default();
        for batch in order.chunks(batch) {
            if stop() {
                break 'training;
            }
            let comparisons = training.as_slice();
            learnt.add(trainer.step(batch, steps, &descent, |parameters, numbers, gradients| {
                let rule = &rule;
                run_with_wide_vectors(ComparisonPass {
                    parameters,
                    comparisons,
                    numbers,
                    gradients,
                    rule,
                })
            }));
            let percent = (learnt.count * 100.0) as usize / training.len();
            show(ComparisonProgress::Step { epoch, percent });
        }
        epochs_done = epoch;
        // The weights are written as whole numbers.
        let network = trainer.parameters.network();
        let found = losses(&Parameters::of_network(&network));
        let progress =
            ComparisonProgress::Epoch { epoch, training: learnt.into(), validation: found.into() };
        show(progress);
        if found.mean() < least {
            least = found.mean();
            best = Some((network, epoch, found));
        }
    }
    let Some((network, epoch, after)) = best else {
        return Err(if epochs_done == 0 { TrainError::NoEpoch } else { TrainError::NoGain });
    };
    Ok(ComparedNetwork {
        network,
        epoch,
        training: training.len(),
        validation: validation.len(),
        before: before.into(),
        after: after.into(),
    })
}

/// The number of choices between two reports.
const PREPARED_AT_ONCE: usize = 256;
/// The largest number of threads that prepare choices.
const MOST_PREPARING: usize = 64;

/// The comparisons of some choices, in their order, with a thread for each comparer.
fn compare(choices: &[Choice], comparers: &mut [Comparer]) -> Vec<Comparison> {
    let threads = comparers.len();
    let parts = choices.chunks(choices.len().div_ceil(threads).max(1));
    let mut done: Vec<Vec<Comparison>> = parts.clone().map(|_| Vec::new()).collect();
    let mut jobs: Vec<_> = comparers.iter_mut().zip(parts).zip(&mut done).collect();
    in_threads(&mut jobs, threads, |((comparer, choices), done)| {
        let compare = |choice: &Choice| comparer.compare(&choice.position, choice.played);
        **done = choices.iter().filter_map(compare).collect();
    });
    done.into_iter().flatten().collect()
}
