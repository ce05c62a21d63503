//! The fit of the evaluation, from tables of games to a file of weights.

use std::{
    fmt::{self, Write as _},
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{
    eval::{SCALE, layout::FEATURES},
    lab::{fingerprint::Fingerprint, selfplay::SelfplayStoreError},
    search::Quiescence,
    shogi::PieceKind,
};

use super::{
    Games, GamesError, TrainingGame,
    checkpoint::{self, Kept},
    fit::{self, Descent, Fit, Losses},
    model,
    own_games::{is_selfplay, read_selfplay},
    samples::{Choice, Samples, SelfplayChoice},
    scales::Scales,
};

/// What to fit by and how.
#[derive(Debug, Clone)]
pub struct EvaluationTask {
    /// Tables of games, and folders or files of self-play.
    pub tables: Vec<PathBuf>,
    /// The folder of the result; a fit that was begun there is resumed.
    pub out: PathBuf,
    /// Decides which games validate and the order of the positions.
    pub seed: u64,
    /// How often each position is seen.
    pub epochs: u32,
    /// The share of the games that is only judged by.
    pub validation: f64,
    /// Which positions are taken.
    pub choice: Choice,
    /// Which positions of self-play are taken.
    pub selfplay: SelfplayChoice,
    /// How the weights are moved.
    pub descent: Descent,
}

impl EvaluationTask {
    /// A hash of everything that must be the same to resume a fit.
    fn number(&self, positions: usize) -> u64 {
        let mut fingerprint = Fingerprint::new();
        let Descent { batch, rate, kinship, threads: _ } = self.descent;
        let text = format!(
            "{:?} {} {} {:?} {batch} {rate} {kinship} {positions} {FEATURES}",
            self.tables, self.seed, self.validation, self.choice
        );
        fingerprint.add(text.as_bytes());
        if self.has_selfplay() {
            fingerprint.add(format!("{:?}", self.selfplay).as_bytes());
        }
        fingerprint.value()
    }

    fn has_selfplay(&self) -> bool {
        self.tables.iter().any(|path| is_selfplay(path))
    }

    /// A description of the choice of positions and of the weight updates.
    fn settings(&self) -> String {
        let mut text =
            format!("validation {}, {:?}, {:?}", self.validation, self.choice, self.descent);
        if self.has_selfplay() {
            let _ = write!(text, ", {:?}", self.selfplay);
        }
        text
    }
}

/// Why a fit cannot be made. What was kept of it stays.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A table of games cannot be used.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// Games of self-play cannot be used.
    #[error(transparent)]
    Selfplay(#[from] SelfplayStoreError),
    /// There is nothing to learn from, or nothing to judge by.
    #[error(
        "{training} positions to learn from and {validation} to judge by: both are needed; give more games"
    )]
    Few {
        /// Positions to learn from.
        training: usize,
        /// Positions to judge by.
        validation: usize,
    },
    /// The folder contains another fit.
    #[error("{} holds a fit of another task; give another folder, or remove it", .0.display())]
    Other(PathBuf),
    /// The folder cannot be read or written.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// The operation.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

/// Progress reports of a fit.
#[derive(Debug, Clone)]
pub enum FitProgress {
    /// A table has been read.
    Read {
        /// The table.
        path: PathBuf,
        /// Its games.
        games: usize,
        /// Positions taken so far.
        positions: usize,
    },
    /// An earlier fit is resumed after this number of epochs.
    Resumed(u32),
    /// A part of an epoch is done.
    Step {
        /// The epoch, from 1.
        epoch: u32,
        /// Percent of it.
        percent: usize,
        /// Loss a position above what is possible, so far in this epoch.
        training: f64,
    },
    /// An epoch is done.
    Epoch {
        /// The epoch, from 1.
        epoch: u32,
        /// Loss over the epoch, of weights that changed on the way.
        training: Losses,
        /// Loss of the weights at its end on games they have not seen.
        validation: Losses,
        /// How long it took.
        time: Duration,
    },
}

impl fmt::Display for FitProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, games, positions } => {
                write!(f, "{}: {games} games, {positions} positions in all", path.display())
            }
            Self::Resumed(epochs) => write!(f, "going on after epoch {epochs}"),
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

/// What came out.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluationReport {
    /// The tables, by name.
    pub tables: Vec<String>,
    /// Games read.
    pub games: usize,
    /// Positions learnt from.
    pub training_positions: usize,
    /// Positions judged by.
    pub validation_positions: usize,
    /// What decides the split and the order.
    pub seed: u64,
    /// How often each position was seen.
    pub epochs: u32,
    /// Whether all epochs were made.
    pub whole: bool,
    /// How positions were chosen and weights moved.
    pub settings: String,
    /// Mean cross-entropy a position in nats: the last epoch's, validation, the values of the pieces alone on the
    /// same positions, and what no evaluation can go below.
    pub training_loss: f64,
    /// Of the weights as they are written.
    pub validation_loss: f64,
    /// Of what was expected before any game was seen: the values of the pieces.
    pub plain_validation_loss: f64,
    /// What no evaluation can go below.
    pub least_validation_loss: f64,
    /// Engines whose evaluations are used.
    pub engines: usize,
    /// What pieces are worth.
    pub pieces: Vec<PieceWorth>,
}

/// What a kind of piece is worth in centipawns, at the beginning and at the end of a game.
#[derive(Debug, Clone, Serialize)]
pub struct PieceWorth {
    /// The kind.
    pub kind: &'static str,
    /// On the board, the mean over all squares.
    pub board: [f32; 2],
    /// The first of its kind in hand.
    pub hand: Option<[f32; 2]>,
}

/// Positions of a table to learn from and to judge by.
struct Data {
    games: usize,
    training: Samples,
    validation: Samples,
    scales: Scales,
}

/// Makes or resumes a fit. `report` receives its progress; `stop` is checked at each step.
///
/// # Errors
/// Why it could not be made; epochs that are done are kept.
pub fn fit_evaluation(
    task: &EvaluationTask,
    mut report: impl FnMut(&FitProgress),
    stop: impl Fn() -> bool,
) -> Result<EvaluationReport, TrainError> {
    let data = read(task, &mut report)?;
    let (learnt, judged) = (data.training.len(), data.validation.len());
    if learnt == 0 || judged == 0 {
        return Err(TrainError::Few { training: learnt, validation: judged });
    }
    let io = |doing: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| TrainError::Io { doing, path, source }
    };
    fs::create_dir_all(&task.out).map_err(io("making", &task.out))?;
    let kept = task.out.join("checkpoint.bin");
    let number = task.number(learnt);
    let (mut epoch, mut fit) =
        match checkpoint::load(&kept, number).map_err(io("reading", &kept))? {
            Kept::Nothing => (0, Fit::new()),
            Kept::Other => return Err(TrainError::Other(task.out.clone())),
            Kept::Fit(epochs, fit) => (epochs, *fit),
        };
    if epoch > 0 {
        report(&FitProgress::Resumed(epoch));
    }
    let all: Vec<u32> = (0..judged as u32).collect();
    let threads = task.descent.threads;
    let mut training = Losses::default();
    while epoch < task.epochs && !stop() {
        let begun = Instant::now();
        let mut order: Vec<u32> = (0..learnt as u32).collect();
        fastrand::Rng::with_seed(task.seed.wrapping_add(u64::from(epoch))).shuffle(&mut order);
        training = Losses::default();
        let mut done = 0;
        let mut stopped = false;
        for batch in order.chunks(task.descent.batch.max(1)) {
            if stop() {
                stopped = true;
                break;
            }
            training.add(fit.step(&data.training, batch, learnt, &task.descent));
            done += batch.len();
            let percent = done * 100 / learnt;
            report(&FitProgress::Step { epoch: epoch + 1, percent, training: training.excess() });
        }
        if stopped {
            break;
        }
        epoch += 1;
        checkpoint::save(&kept, number, epoch, &fit).map_err(io("writing", &kept))?;
        let validation = fit::losses(fit.weights(), &data.validation, &all, threads);
        report(&FitProgress::Epoch { epoch, training, validation, time: begun.elapsed() });
    }
    // An epoch that was broken off is not in what is written.
    if let Kept::Fit(_, last) = checkpoint::load(&kept, number).map_err(io("reading", &kept))? {
        fit = *last;
    }
    let bytes = in_bytes(fit.weights());
    let weights = task.out.join("fitted.bin");
    checkpoint::replace(&weights, &bytes).map_err(io("writing", &weights))?;
    let validation = fit::losses(&from_bytes(&bytes), &data.validation, &all, threads);
    let plain = fit::losses(Fit::new().weights(), &data.validation, &all, threads);
    let piece = |kind: PieceKind| {
        let worth = |in_hand: bool| model::worth(&fit.parameters, kind, in_hand);
        PieceWorth {
            kind: kind.name(),
            board: worth(false),
            hand: kind.is_droppable().then(|| worth(true)),
        }
    };
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let report = EvaluationReport {
        tables: task.tables.iter().map(name).collect(),
        games: data.games,
        training_positions: learnt,
        validation_positions: judged,
        seed: task.seed,
        epochs: epoch,
        whole: epoch >= task.epochs,
        settings: task.settings(),
        training_loss: training.mean(),
        validation_loss: validation.mean(),
        plain_validation_loss: plain.mean(),
        least_validation_loss: validation.least / validation.weight.max(1e-9),
        engines: data.scales.iter().count(),
        pieces: PieceKind::ALL
            .into_iter()
            .filter(|kind| *kind != PieceKind::King)
            .map(piece)
            .collect(),
    };
    let path = task.out.join("fitted.json");
    let text = serde_json::to_string_pretty(&report).unwrap_or_default() + "\n";
    checkpoint::replace(&path, text.as_bytes()).map_err(io("writing", &path))?;
    Ok(report)
}

fn read(task: &EvaluationTask, report: &mut impl FnMut(&FitProgress)) -> Result<Data, TrainError> {
    let mut tables: Vec<Vec<TrainingGame>> = Vec::new();
    for path in &task.tables {
        tables.push(if is_selfplay(path) {
            read_selfplay(path)?
        } else {
            Games::open(path)?.collect::<Result<_, _>>()?
        });
    }
    let scales = Scales::fit(tables.iter().flatten());
    let mut random = fastrand::Rng::with_seed(task.seed);
    let (mut training, mut validation) = (Samples::default(), Samples::default());
    let mut counts = [0, 0];
    let mut quiescence = Quiescence::default();
    let mut games = 0;
    for (path, table) in task.tables.iter().zip(&tables) {
        let is_own = is_selfplay(path);
        for game in table {
            let judges = random.f64() < task.validation;
            let samples = if judges { &mut validation } else { &mut training };
            let count = &mut counts[usize::from(judges)];
            if is_own {
                let own = &task.selfplay;
                samples.add_selfplay(game, &scales, &task.choice, own, &mut quiescence, count);
            } else {
                samples.add_game(game, &scales, &task.choice, count);
            }
        }
        games += table.len();
        let positions = training.len() + validation.len();
        report(&FitProgress::Read { path: path.clone(), games: table.len(), positions });
    }
    Ok(Data { games, training, validation, scales })
}

/// Weights as the evaluation reads them: 16 bits each, in its parts of a centipawn.
fn in_bytes(weights: &[f32]) -> Vec<u8> {
    let rounded = |weight: &f32| {
        let parts = (weight * SCALE as f32).round();
        parts.clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
    };
    weights.iter().flat_map(|weight| rounded(weight).to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let weight = |bytes: &[u8; 2]| f32::from(i16::from_le_bytes(*bytes)) / SCALE as f32;
    bytes.as_chunks::<2>().0.iter().map(weight).collect()
}

#[cfg(test)]
mod tests;
