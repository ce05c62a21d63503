//! The training: comparisons are prepared, then learnt from in several epochs.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::train::checkpoint::{replace, write_report};
use crate::train::network::NetworkDescent;
use crate::train::parallel::LossSums as _;
use crate::train::{Descent, TrainError};
use kyomi_engine::eval::network::Network;

use super::choice::{Choice, Comparer, compare};
use super::learner::Learner;
use super::network_learner::NetworkLearner;
use super::rule::{ChoiceLosses, ComparisonLosses, ComparisonRule};
use super::sum_learner::SumLearner;

/// The moves and the settings of a training.
#[derive(Debug)]
pub struct ComparisonTask {
    /// The choices to learn from. Their order should be random, so that the threads have as much work.
    pub training: Vec<Choice>,
    /// Choices of other games, to validate with.
    pub validation: Vec<Choice>,
    /// The network, which is added to the fitted sum.
    pub start: Arc<Network>,
    /// The weights that learn, from their present values.
    pub weights: LearningWeights,
    /// How choices become a loss.
    pub rule: ComparisonRule,
    /// The number of passes over all choices.
    pub epochs: u32,
    /// The seed of the order of choices.
    pub seed: u64,
}

/// The weights that learn, with the settings of their descent. A batch is a number of choices.
#[derive(Debug, Clone, PartialEq)]
pub enum LearningWeights {
    /// The network. The fitted sum stays as it is.
    Network(NetworkDescent),
    /// The fitted sum. The network stays as it is.
    Sum(Descent),
}

impl LearningWeights {
    /// Settings for the network that suit comparisons.
    pub fn network_descent() -> NetworkDescent {
        NetworkDescent { batch: BATCH, rate: 0.0005, ..NetworkDescent::default() }
    }

    /// Settings for the fitted sum that suit comparisons.
    pub fn sum_descent() -> Descent {
        Descent { batch: BATCH, rate: 4.0, ..Descent::default() }
    }

    /// The number of choices in a step, and the number of threads.
    fn batch_and_threads(&self) -> (usize, usize) {
        match self {
            Self::Network(NetworkDescent { batch, threads, .. })
            | Self::Sum(Descent { batch, threads, .. }) => ((*batch).max(1), *threads),
        }
    }
}

/// The usual number of choices in a step.
const BATCH: usize = 1024;

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
pub struct Compared<W = ComparedWeights> {
    /// The weights of the epoch with the least loss on the choices to validate with.
    pub weights: W,
    /// That epoch, from 1.
    pub epoch: u32,
    /// The number of comparisons learnt from. Choices in decided games, or of few moves, have none.
    pub training: usize,
    /// The number of comparisons to validate with.
    pub validation: usize,
    /// The losses of the first weights on the choices to validate with.
    pub before: ChoiceLosses,
    /// The losses of the result on the choices to validate with.
    pub after: ChoiceLosses,
}

/// The weights that were trained.
#[derive(Debug)]
pub enum ComparedWeights {
    /// A network for the fitted sum of this program.
    Network(Network),
    /// The bytes of a fitted sum, and the network that is added to it.
    Sum {
        /// The bytes of the fitted sum.
        sum: Vec<u8>,
        /// The network, which has not changed. Its file is written for the new sum.
        network: Arc<Network>,
    },
}

/// Makes the folder of a result.
///
/// # Errors
/// The folder cannot be made, or has a result, which would be replaced.
pub fn make_result_folder(out: &Path) -> Result<(), TrainError> {
    fs::create_dir_all(out).map_err(TrainError::io("making", out))?;
    for name in ["fitted.bin", "network.bin"] {
        let file = out.join(name);
        if file.exists() {
            return Err(TrainError::Exists(file));
        }
    }
    Ok(())
}

impl Compared {
    /// Writes the weights and a report to a folder: `network.bin` and `network.json`, or `fitted.bin`, `fitted.json`
    /// and `network.bin`.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn write(&self, out: &Path, report: &impl Serialize) -> Result<(), TrainError> {
        let write = |name: &str, bytes: &[u8]| {
            let file = out.join(name);
            replace(&file, bytes).map_err(TrainError::io("writing", &file))
        };
        match &self.weights {
            ComparedWeights::Network(network) => {
                write("network.bin", &network.to_bytes())?;
                write_report(&out.join("network.json"), report)
            }
            ComparedWeights::Sum { sum, network } => {
                // The sum comes last: where it stands, the files beside it do too.
                write("network.bin", &network.to_bytes_for(sum))?;
                write_report(&out.join("fitted.json"), report)?;
                write("fitted.bin", sum)
            }
        }
    }
}

/// Trains weights further. The result depends on the seed, not on the number of threads. When `stop` returns true the
/// training ends within moments; the epoch that runs has no effect.
///
/// # Errors
/// There is nothing to learn from or to validate with, no epoch was done, or none lowered the loss.
pub fn train_by_comparisons(
    task: ComparisonTask,
    show: impl FnMut(ComparisonProgress),
    stop: impl Fn() -> bool,
) -> Result<Compared, TrainError> {
    let start = Arc::clone(&task.start);
    match task.weights.clone() {
        LearningWeights::Network(descent) => {
            let learner = NetworkLearner::new(&start, &task.rule, descent);
            let trained = train(task, learner, show, stop)?;
            Ok(trained.map(ComparedWeights::Network))
        }
        LearningWeights::Sum(descent) => {
            let learner = SumLearner::new(&task.rule, descent);
            let trained = train(task, learner, show, stop)?;
            Ok(trained.map(|sum| ComparedWeights::Sum { sum, network: start }))
        }
    }
}

impl<W> Compared<W> {
    /// The same with other weights.
    fn map<V>(self, change: impl FnOnce(W) -> V) -> Compared<V> {
        let Self { weights, epoch, training, validation, before, after } = self;
        Compared { weights: change(weights), epoch, training, validation, before, after }
    }
}

/// Trains weights by the comparisons of a task.
fn train<T: Learner>(
    task: ComparisonTask,
    mut learner: T,
    mut show: impl FnMut(ComparisonProgress),
    stop: impl Fn() -> bool,
) -> Result<Compared<T::Rounded>, TrainError> {
    let ComparisonTask { training, validation, start, weights, epochs, seed, .. } = task;
    let (batch, threads) = weights.batch_and_threads();
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
    let before = learner.losses(&learner.rounded(), &validation);
    let (mut least, mut best) = (before.mean(), None);
    show(ComparisonProgress::Epoch {
        epoch: 0,
        training: before.into(),
        validation: before.into(),
    });
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
            learnt.add(learner.step(&training, batch, steps));
            let percent = (learnt.count * 100.0) as usize / training.len();
            show(ComparisonProgress::Step { epoch, percent });
        }
        epochs_done = epoch;
        // The weights are written as whole numbers.
        let weights = learner.rounded();
        let found = learner.losses(&weights, &validation);
        let progress =
            ComparisonProgress::Epoch { epoch, training: learnt.into(), validation: found.into() };
        show(progress);
        if found.mean() < least {
            least = found.mean();
            best = Some((weights, epoch, found));
        }
    }
    let Some((weights, epoch, after)) = best else {
        return Err(if epochs_done == 0 { TrainError::NoEpoch } else { TrainError::NoGain });
    };
    Ok(Compared {
        weights,
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
