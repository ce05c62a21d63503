//! The fit of the evaluation, from tables of games to a file of weights.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use kyomi::matches::Fingerprint;
use kyomi_engine::eval::layout::FEATURES;
use kyomi_shogi::PieceKind;

use super::checkpoint::{self, Kept};
use super::data::{Data, DataReport, DataSource};
use super::error::TrainError;
use super::fit::{self, Descent, Fit, Losses};
use super::model;
use super::samples::Samples;

/// The games, the folder and the settings of a fit of the evaluation.
#[derive(Debug, Clone)]
pub struct EvaluationTask {
    /// The games, the choice of their positions, and the seed, which decides their order too.
    pub source: DataSource,
    /// The folder of the result. A fit that was started in it is resumed.
    pub out: PathBuf,
    /// The number of passes over all positions.
    pub epochs: u32,
    /// The settings of the descent.
    pub descent: Descent,
}

impl EvaluationTask {
    /// A hash of everything that must be the same to resume a fit.
    fn fingerprint(&self, positions: usize) -> u64 {
        let mut fingerprint = Fingerprint::new();
        let Descent { batch, rate, kinship, threads: _ } = self.descent;
        let DataSource { tables, seed, validation, choice, selfplay } = &self.source;
        let text = format!(
            "{tables:?} {seed} {validation} {choice:?} {batch} {rate} {kinship} {positions} {FEATURES}"
        );
        fingerprint.add(text.as_bytes());
        if self.source.has_selfplay() {
            fingerprint.add(format!("{selfplay:?}").as_bytes());
        }
        fingerprint.value()
    }

    /// A description of the choice of positions and of the weight updates.
    fn settings(&self) -> String {
        let DataSource { validation, choice, selfplay, .. } = &self.source;
        let mut text = format!("validation {validation}, {choice:?}, {:?}", self.descent);
        if self.source.has_selfplay() {
            let _ = write!(text, ", {selfplay:?}");
        }
        text
    }
}

/// Progress reports of a fit.
#[derive(Debug, Clone)]
pub enum FitProgress {
    /// A table has been read.
    Read {
        /// The table.
        path: PathBuf,
        /// The number of its games.
        games: usize,
        /// The number of positions taken so far, from all tables.
        positions: usize,
    },
    /// An earlier fit is resumed after this number of epochs.
    Resumed(u32),
    /// A part of an epoch is done.
    Step {
        /// The epoch, from 1.
        epoch: u32,
        /// The part of the epoch that is done, in percent.
        percent: usize,
        /// The mean loss per position above the least possible loss, so far in this epoch.
        training: f64,
    },
    /// An epoch is done.
    Epoch {
        /// The epoch, from 1.
        epoch: u32,
        /// The loss over the epoch, with weights that changed during it.
        training: Losses,
        /// The loss of the weights at the end of the epoch, on the validation games.
        validation: Losses,
        /// The duration of the epoch.
        time: Duration,
    },
}

impl fmt::Display for FitProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, games, positions } => {
                write!(f, "{}: {games} games, {positions} positions in all", path.display())
            }
            Self::Resumed(epochs) => write!(f, "resumed after epoch {epochs}"),
            Self::Step { epoch, percent, training } => {
                write!(f, "epoch {epoch} {percent:3} % training {training:.5}")
            }
            Self::Epoch { epoch, training, validation, time } => write!(
                f,
                "epoch {epoch} training {:.5} validation {:.5} (loss {:.5}) {:.1} s",
                training.excess(),
                validation.excess(),
                validation.mean(),
                time.as_secs_f64()
            ),
        }
    }
}

/// The report of a fit, written to `fitted.json`.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluationReport {
    /// What made the weights, and from what data.
    #[serde(flatten)]
    pub data: DataReport,
    /// The seed of the split into training and validation, and of the order of the positions.
    pub seed: u64,
    /// The number of passes over all positions.
    pub epochs: u32,
    /// Whether all epochs are done.
    pub whole: bool,
    /// The choice of positions and the settings of the descent.
    pub settings: String,
    /// The mean cross-entropy per position over the last epoch, in nats, as for all losses here.
    pub training_loss: f64,
    /// The loss of the written weights on the validation positions.
    pub validation_loss: f64,
    /// The loss of the plain piece values on the same positions.
    pub plain_validation_loss: f64,
    /// The least loss that any evaluation can reach on the same positions.
    pub least_validation_loss: f64,
    /// The number of engines whose scores are used.
    pub engines: usize,
    /// The values of the pieces.
    pub pieces: Vec<PieceValue>,
}

/// The value of a kind of piece in centipawns, at the beginning and at the end of a game.
#[derive(Debug, Clone, Serialize)]
pub struct PieceValue {
    /// The kind.
    pub kind: &'static str,
    /// Its value on the board, the mean over all squares.
    pub board: [f32; 2],
    /// The value of the first piece of this kind in hand; `None` for kinds that are never in hand.
    pub hand: Option<[f32; 2]>,
}

/// Runs or resumes a fit. `report` receives its progress; `stop` is called before each step and ends the fit by
/// returning true.
///
/// # Errors
/// The tables or the folder cannot be used. Epochs that are done are kept.
pub fn fit_evaluation(
    task: &EvaluationTask,
    mut report: impl FnMut(&FitProgress),
    stop: impl Fn() -> bool,
) -> Result<EvaluationReport, TrainError> {
    let data: Data<Samples> = task.source.read(|path, games, positions| {
        report(&FitProgress::Read { path: path.to_owned(), games, positions });
    })?;
    let (learnt, validated) = (data.training.len(), data.validation.len());
    if learnt == 0 || validated == 0 {
        return Err(TrainError::Few { training: learnt, validation: validated });
    }
    let io = TrainError::io;
    fs::create_dir_all(&task.out).map_err(io("making", &task.out))?;
    let kept = task.out.join("checkpoint.bin");
    let fingerprint = task.fingerprint(learnt);
    let load = || checkpoint::load(&kept, fingerprint).map_err(io("reading", &kept));
    let (mut epoch, mut fit) = match load()? {
        Kept::Nothing => (0, Fit::new()),
        Kept::Other => return Err(TrainError::Other(task.out.clone())),
        Kept::Fit(epochs, fit) => (epochs, *fit),
    };
    if epoch > 0 {
        report(&FitProgress::Resumed(epoch));
    }
    let all: Vec<u32> = (0..validated as u32).collect();
    let threads = task.descent.threads;
    let mut training = Losses::default();
    while epoch < task.epochs && !stop() {
        let started = Instant::now();
        let is_complete;
        (training, is_complete) =
            fit_epoch(task, &mut fit, &data.training, epoch, &mut report, &stop);
        if !is_complete {
            break;
        }
        epoch += 1;
        checkpoint::save(&kept, fingerprint, epoch, &fit).map_err(io("writing", &kept))?;
        let validation = fit::losses(fit.weights(), &data.validation, &all, threads);
        report(&FitProgress::Epoch { epoch, training, validation, time: started.elapsed() });
    }
    // The written weights do not include an incomplete epoch.
    if let Kept::Fit(_, last) = load()? {
        fit = *last;
    }
    let bytes = model::in_bytes(fit.weights());
    let weights = task.out.join("fitted.bin");
    checkpoint::replace(&weights, &bytes).map_err(io("writing", &weights))?;
    let report = EndedFit { task, data: &data, fit: &fit, epochs: epoch, training }.report(&bytes);
    checkpoint::write_report(&task.out.join("fitted.json"), &report)?;
    Ok(report)
}

/// A fit that is done or was stopped.
struct EndedFit<'a> {
    task: &'a EvaluationTask,
    data: &'a Data<Samples>,
    fit: &'a Fit,
    /// The number of epochs that are done.
    epochs: u32,
    /// The losses of the last epoch.
    training: Losses,
}

impl EndedFit<'_> {
    /// The report of the fit, with the losses of the written weights.
    fn report(&self, written: &[u8]) -> EvaluationReport {
        let Self { task, data, fit, epochs, training } = self;
        let validated = data.validation.len();
        let all: Vec<u32> = (0..validated as u32).collect();
        let losses =
            |weights: &[f32]| fit::losses(weights, &data.validation, &all, task.descent.threads);
        let validation = losses(&model::from_bytes(written));
        EvaluationReport {
            data: task.source.report(data.games, data.training.len(), validated),
            seed: task.source.seed,
            epochs: *epochs,
            whole: *epochs >= task.epochs,
            settings: task.settings(),
            training_loss: training.mean(),
            validation_loss: validation.mean(),
            plain_validation_loss: losses(Fit::new().weights()).mean(),
            least_validation_loss: validation.least / validation.weight.max(1e-9),
            engines: data.scales.iter().count(),
            pieces: PieceKind::ALL
                .into_iter()
                .filter(|kind| *kind != PieceKind::King)
                .map(|kind| piece_value(fit, kind))
                .collect(),
        }
    }
}

/// Takes the steps of the epoch with this number, from 0. Returns its losses, and whether it was completed.
fn fit_epoch(
    task: &EvaluationTask,
    fit: &mut Fit,
    samples: &Samples,
    epoch: u32,
    report: &mut impl FnMut(&FitProgress),
    stop: &impl Fn() -> bool,
) -> (Losses, bool) {
    let count = samples.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    fastrand::Rng::with_seed(task.source.seed.wrapping_add(u64::from(epoch))).shuffle(&mut order);
    let mut losses = Losses::default();
    let mut done = 0;
    for batch in order.chunks(task.descent.batch.max(1)) {
        if stop() {
            return (losses, false);
        }
        losses.add(fit.step(samples, batch, count, &task.descent));
        done += batch.len();
        let percent = done * 100 / count;
        report(&FitProgress::Step { epoch: epoch + 1, percent, training: losses.excess() });
    }
    (losses, true)
}

fn piece_value(fit: &Fit, kind: PieceKind) -> PieceValue {
    let value = |in_hand: bool| model::piece_value(&fit.parameters, kind, in_hand);
    PieceValue {
        kind: kind.name(),
        board: value(false),
        hand: kind.is_droppable().then(|| value(true)),
    }
}

#[cfg(test)]
mod tests;
