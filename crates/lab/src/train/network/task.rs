//! A training, from tables of games to a file of a network.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::logistic::best_unit;
use crate::train::checkpoint::{replace, write_report};
use crate::train::data::Data;
use crate::train::parallel::LossSums as _;
use crate::train::samples::PositionSet as _;
use crate::train::scales::PLAUSIBLE;
use crate::train::{DataSource, TrainError};
use kyomi::matches::Fingerprint;
use kyomi_engine::eval::network::{KingZones, Network, UNKNOWN_CHECKSUM};
use kyomi_engine::eval::nnue::Architecture;
use kyomi_engine::eval::weight_bytes;
use kyomi_engine::search;

use super::adam::Moments;
use super::cache::{self, Positions};
use super::checkpoint::{self, Best, Kept, State};
use super::king_and_piece::{KingAndPiece, MIRRORED, WholeKingAndPiece};
use super::losses::NetworkLosses;
use super::model::{self, Model, ValueModel, WholeNetwork};
use super::parameters::{Parameters, Shape};
use super::report::{NetworkProgress, NetworkReport, TableLosses};
use super::rows::{Row, Rows};
use super::trainer::{NetworkDescent, Trainer};

/// The games, the folder and the settings of a training.
#[derive(Debug, Clone)]
pub struct NetworkTask {
    /// The games, the choice of their positions, and the seed, which decides their order and the first weights too.
    pub source: DataSource,
    /// The folder of the result. A training that was started in it is resumed.
    pub out: PathBuf,
    /// The number of passes over all positions.
    pub epochs: u32,
    /// What is trained.
    pub kind: NetworkKind,
    /// The settings of the descent.
    pub descent: NetworkDescent,
    /// A file that keeps the chosen positions. A further training with the same games and the same choice reads it.
    pub cache: Option<PathBuf>,
}

/// The network of a training.
#[derive(Debug, Clone)]
pub enum NetworkKind {
    /// One hidden layer, whose output is added to the fitted sum.
    BesideSum {
        /// The number of hidden units of each view, a multiple of 64.
        width: usize,
        /// The zones of the kings.
        zones: KingZones,
        /// The network to train further, of this width and these zones; `None` begins with random weights.
        start: Option<Network>,
    },
    /// The architecture K-P-256x2-32-32, in place of the sum.
    KingAndPiece {
        /// One logistic unit of the output in centipawns.
        unit: f32,
        /// Whether half of the positions, others in each epoch, are mirrored left to right.
        mirrors: bool,
    },
}

impl NetworkKind {
    /// The name of the file of the network.
    const fn file(&self) -> &'static str {
        match self {
            Self::BesideSum { .. } => <Network as WholeNetwork>::FILE,
            Self::KingAndPiece { .. } => WholeKingAndPiece::FILE,
        }
    }

    /// The network to train further.
    const fn start(&self) -> Option<&Network> {
        match self {
            Self::BesideSum { start, .. } => start.as_ref(),
            Self::KingAndPiece { .. } => None,
        }
    }
}

impl NetworkTask {
    fn checkpoint_path(&self) -> PathBuf {
        self.out.join("checkpoint.bin")
    }

    fn network_path(&self) -> PathBuf {
        self.out.join(self.kind.file())
    }

    /// The error for a network that is not the one of the checkpoint.
    fn changed(&self) -> TrainError {
        TrainError::Changed { file: self.network_path(), checkpoint: self.checkpoint_path() }
    }

    /// A hash of everything that must be the same to resume a training.
    fn fingerprint(&self, positions: usize) -> u64 {
        let mut fingerprint = Fingerprint::new();
        let NetworkDescent { batch, rate, last_rate, warmup, decay, threads: _ } = self.descent;
        let DataSource { tables, seed, validation, choice, selfplay } = &self.source;
        let kind = match &self.kind {
            NetworkKind::BesideSum { width, zones, .. } => format!("{width} {zones:?}"),
            NetworkKind::KingAndPiece { unit, mirrors } => {
                format!("{} {unit} {mirrors} {warmup}", Architecture::KING_AND_PIECE)
            }
        };
        let text = format!(
            "{tables:?} {seed} {validation} {choice:?} {selfplay:?} {batch} {rate} {last_rate} {decay} {} {kind} \
             {positions}",
            self.epochs,
        );
        fingerprint.add(text.as_bytes());
        fingerprint.add(weight_bytes());
        if let Some(start) = self.kind.start() {
            fingerprint.add(&start.to_bytes());
        }
        fingerprint.value()
    }

    /// A hash of everything that decides which positions are chosen, the sizes and times of the files included.
    fn choice(&self) -> u64 {
        let mut fingerprint = Fingerprint::new();
        let mut add = |text: String| fingerprint.add(text.as_bytes());
        let DataSource { tables, seed, validation, choice, selfplay } = &self.source;
        add(format!("{seed} {validation} {choice:?} {selfplay:?}"));
        for table in tables {
            let mut files = vec![table.clone()];
            if let Ok(entries) = fs::read_dir(table) {
                files.extend(entries.flatten().map(|entry| entry.path()));
            }
            files.sort();
            for file in files {
                let data = fs::metadata(&file).ok();
                let length = data.as_ref().map_or(0, fs::Metadata::len);
                let changed = data.and_then(|data| data.modified().ok());
                add(format!("{} {length} {changed:?}", file.display()));
            }
        }
        // The choice of quiet positions depends on these.
        add(format!("{:?}", search::Parameters::interest()));
        fingerprint.add(weight_bytes());
        fingerprint.add(Network::builtin_bytes());
        fingerprint.value()
    }

    /// A description of the choice of positions and of the descent.
    fn settings(&self) -> String {
        let DataSource { validation, choice, selfplay, .. } = &self.source;
        let start = match self.kind.start() {
            Some(network) => format!(", from {:08x}", network.checksum()),
            None => String::new(),
        };
        let mirrored = match self.kind {
            NetworkKind::KingAndPiece { mirrors: true, .. } => ", mirrored",
            _ => "",
        };
        let descent = &self.descent;
        format!("validation {validation}, {choice:?}, {selfplay:?}, {descent:?}{start}{mirrored}")
    }
}

/// Runs or resumes a training. `report` receives its progress; `stop` is called before each step and ends the training
/// by returning true. The network of the epoch with the least validation loss is kept in a file of the folder.
///
/// # Errors
/// The tables or the folder cannot be used. Epochs that are done are kept.
pub fn train_network(
    task: &NetworkTask,
    report: impl FnMut(&NetworkProgress),
    stop: impl Fn() -> bool,
) -> Result<NetworkReport, TrainError> {
    let seed = task.source.seed;
    match &task.kind {
        NetworkKind::BesideSum { start: Some(start), .. } => {
            run(task, || Parameters::of_network(start), report, stop)
        }
        NetworkKind::BesideSum { width, zones, start: None } => {
            let shape = Shape { width: *width, zones: *zones };
            run(task, || Parameters::new(shape, seed), report, stop)
        }
        NetworkKind::KingAndPiece { unit, .. } => {
            run(task, || KingAndPiece::new(seed, *unit), report, stop)
        }
    }
}

/// The same for one kind of network. `first` makes the one that a new training begins with.
fn run<M: ValueModel>(
    task: &NetworkTask,
    first: impl FnOnce() -> M,
    mut report: impl FnMut(&NetworkProgress),
    stop: impl Fn() -> bool,
) -> Result<NetworkReport, TrainError> {
    let cache_folder = task.cache.as_deref().and_then(Path::parent);
    for folder in [Some(task.out.as_path()), cache_folder].into_iter().flatten() {
        fs::create_dir_all(folder).map_err(TrainError::io("making", folder))?;
    }
    if !task.checkpoint_path().exists() && task.network_path().exists() {
        return Err(TrainError::Foreign(task.network_path()));
    }
    let data = positions(task, &mut report)?;
    let (training, validation) = (data.training.rows.len(), data.validation.rows.len());
    if training == 0 || validation == 0 {
        return Err(TrainError::Few { training, validation });
    }
    let mut run = TrainingRun::begin(task, &data, first())?;
    let base = base_losses(&data.validation.rows, run.unit_of_sum);
    let base = NetworkProgress::Base { unit: run.unit_of_sum, validation: base.losses.excess() };
    report(&base);
    if run.epochs > 0 {
        report(&NetworkProgress::Resumed(run.epochs));
    }
    while run.epochs < task.epochs && !stop() {
        match run.epoch(&mut report, &stop)? {
            Some(epoch) => report(&epoch),
            None => break,
        }
    }
    let report = run.report()?;
    write_report(&task.out.join("network.json"), &report)?;
    Ok(report)
}

/// A training, from one epoch to the next.
struct TrainingRun<'a, M: Model> {
    task: &'a NetworkTask,
    data: &'a Positions,
    fingerprint: u64,
    trainer: Trainer<M>,
    /// One logistic unit of the network's values in centipawns.
    unit: f32,
    /// That of the fitted sum alone.
    unit_of_sum: f32,
    /// The number of epochs that are done.
    epochs: u32,
    /// The epoch whose network is in the file.
    best: Best,
}

impl<'a, M: ValueModel> TrainingRun<'a, M> {
    /// Begins a training with this network, or resumes the one in the folder.
    fn begin(task: &'a NetworkTask, data: &'a Positions, model: M) -> Result<Self, TrainError> {
        let training = &data.training.rows;
        let fingerprint = task.fingerprint(training.len());
        let unit_of_sum = unit_of_sum(training);
        let unit = match task.kind {
            NetworkKind::BesideSum { .. } => unit_of_sum,
            NetworkKind::KingAndPiece { unit, .. } => unit,
        };
        let moments = Moments::new(model.values().len());
        let trainer = Trainer::new(model, moments);
        let best = Best::default();
        let mut run = Self { task, data, fingerprint, trainer, unit, unit_of_sum, epochs: 0, best };
        run.resume()?;
        Ok(run)
    }

    /// Takes the state of the checkpoint, if there is one.
    fn resume(&mut self) -> Result<(), TrainError> {
        let Self { task, trainer, .. } = self;
        let path = task.checkpoint_path();
        let State { epochs, best, values, moments } =
            match checkpoint::load(&path, self.fingerprint, trainer.model.values().len())
                .map_err(TrainError::io("reading", &path))?
            {
                Kept::Nothing => return Ok(()),
                Kept::Other => return Err(TrainError::Other(task.out.clone())),
                Kept::Damaged => return Err(TrainError::Damaged(path)),
                Kept::State(state) => *state,
            };
        if epochs > 0 && read_network::<M::Whole>(&task.network_path(), best.checksum).is_none() {
            return Err(task.changed());
        }
        trainer.model.values_mut().copy_from_slice(&values);
        trainer.model.changed();
        trainer.moments = moments;
        (self.epochs, self.best) = (epochs, best);
        Ok(())
    }

    /// Trains for an epoch, and saves its network if that is the best. Returns its losses; `None` if it was stopped.
    fn epoch(
        &mut self,
        report: &mut impl FnMut(&NetworkProgress),
        stop: &impl Fn() -> bool,
    ) -> Result<Option<NetworkProgress>, TrainError> {
        let started = Instant::now();
        let Some(losses) = self.train(report, stop) else { return Ok(None) };
        self.epochs += 1;
        let rows = &self.data.validation.rows;
        let Trainer { model, moments, .. } = &self.trainer;
        let found = model::losses(model, rows, self.unit, self.task.descent.threads);
        let is_best = found.losses.mean() < self.best.loss;
        if is_best {
            let network = model.whole();
            let path = self.task.network_path();
            replace(&path, &network.bytes()).map_err(TrainError::io("writing", &path))?;
            self.best = Best {
                loss: found.losses.mean(),
                epoch: self.epochs,
                checksum: network.checksum(),
            };
        }
        let path = self.task.checkpoint_path();
        checkpoint::save(&path, self.fingerprint, self.epochs, self.best, model.values(), moments)
            .map_err(TrainError::io("writing", &path))?;
        let time = started.elapsed();
        Ok(Some(NetworkProgress::Epoch {
            epoch: self.epochs,
            training: losses.losses.excess(),
            validation: found.losses.excess(),
            error: found.root_mean_square(),
            best: is_best,
            time,
            left: time * (self.task.epochs - self.epochs),
        }))
    }

    /// Takes the steps of an epoch. `None` if it was stopped.
    fn train(
        &mut self,
        report: &mut impl FnMut(&NetworkProgress),
        stop: &impl Fn() -> bool,
    ) -> Option<NetworkLosses> {
        let started = Instant::now();
        let NetworkTask { descent, epochs: all_epochs, .. } = self.task;
        let (training, unit) = (&self.data.training.rows, self.unit);
        let per_epoch = training.len().div_ceil(descent.batch.max(1));
        let steps = (per_epoch as u32).saturating_mul(*all_epochs);
        let order = self.order();
        let mut losses = NetworkLosses::default();
        let mut done = 0;
        for batch in order.chunks(descent.batch.max(1)) {
            if stop() {
                return None;
            }
            losses.add(self.trainer.step(batch, steps, descent, |model, numbers, gradients| {
                model.pass(training, numbers, gradients, unit)
            }));
            done += batch.len();
            let speed = done as f64 / started.elapsed().as_secs_f64().max(1e-6);
            let rest = training.len().saturating_mul((all_epochs - self.epochs) as usize) - done;
            report(&NetworkProgress::Step {
                epoch: self.epochs + 1,
                percent: done * 100 / training.len(),
                training: losses.losses.excess(),
                speed,
                left: Duration::from_secs_f64(rest as f64 / speed.max(1.0)),
            });
        }
        Some(losses)
    }

    /// The indices of the positions in the order of the next epoch.
    fn order(&self) -> Vec<u32> {
        let seed = self.task.source.seed.wrapping_add(u64::from(self.epochs));
        let mut random = fastrand::Rng::with_seed(seed);
        let mut order: Vec<u32> = (0..self.data.training.rows.len() as u32).collect();
        random.shuffle(&mut order);
        if let NetworkKind::KingAndPiece { mirrors: true, .. } = self.task.kind {
            for number in &mut order {
                *number |= if random.bool() { MIRRORED } else { 0 };
            }
        }
        order
    }

    /// The report of the training, with the losses of the network in the file.
    fn report(&self) -> Result<NetworkReport, TrainError> {
        let Self { task, data, unit, .. } = *self;
        if self.epochs == 0 {
            return Err(TrainError::NoEpoch);
        }
        let Some(network) = read_network::<M::Whole>(&task.network_path(), self.best.checksum)
        else {
            return Err(task.changed());
        };
        let (architecture, width, zones) = match &task.kind {
            NetworkKind::BesideSum { width, zones, .. } => (None, *width, zones.count()),
            NetworkKind::KingAndPiece { .. } => {
                let architecture = Architecture::KING_AND_PIECE;
                (Some(architecture.to_string()), architecture.half, 1)
            }
        };
        Ok(NetworkReport {
            data: task.source.report(
                data.games,
                data.training.rows.len(),
                data.validation.rows.len(),
            ),
            architecture,
            width,
            zones,
            seed: task.source.seed,
            epochs: self.epochs,
            whole: self.epochs >= task.epochs,
            best_epoch: self.best.epoch,
            unit,
            settings: task.settings(),
            engines: data.engines,
            validation: self.validation_losses(&network),
            rounding: rounding(&self.trainer.model, &data.validation.rows, unit),
        })
    }

    /// The losses on the validation positions of all tables together, and of each.
    fn validation_losses(&self, network: &M::Whole) -> Vec<TableLosses> {
        let rows = &self.data.validation.rows;
        let mut losses = vec![self.table_losses("all".into(), rows, network)];
        let mut begin = 0;
        for (table, end) in self.task.source.names().into_iter().zip(&self.data.validation_ends) {
            losses.push(self.table_losses(table, &rows[begin..*end], network));
            begin = *end;
        }
        losses
    }

    fn table_losses(&self, table: String, rows: &[Row], network: &M::Whole) -> TableLosses {
        let base = base_losses(rows, self.unit_of_sum);
        let mut losses = NetworkLosses::default();
        for row in rows {
            losses.count(network.score(row, self.unit), row.target(), row.weight);
        }
        TableLosses {
            table,
            positions: rows.len(),
            base_loss: base.losses.mean(),
            loss: losses.losses.mean(),
            least_loss: losses.losses.least / losses.losses.weight.max(1e-9),
            base_error: base.root_mean_square(),
            error: losses.root_mean_square(),
        }
    }
}

/// The network in a file that this training has written, which has this checksum. A checkpoint of an earlier version
/// does not know it.
fn read_network<W: WholeNetwork>(path: &Path, checksum: u32) -> Option<W> {
    let network = W::read(path)?;
    (network.checksum() == checksum || checksum == UNKNOWN_CHECKSUM).then_some(network)
}

/// The positions of the games, or those that the cache keeps.
fn positions(
    task: &NetworkTask,
    report: &mut impl FnMut(&NetworkProgress),
) -> Result<Positions, TrainError> {
    let Some(file) = &task.cache else { return read(task, report) };
    let choice = task.choice();
    if let Some(kept) = cache::load(file, choice)? {
        let positions = kept.training.count() + kept.validation.count();
        let path = file.clone();
        report(&NetworkProgress::Read { path, games: kept.games, positions });
        return Ok(kept);
    }
    let positions = read(task, report)?;
    cache::save(file, choice, &positions).map_err(TrainError::io("writing", file))?;
    Ok(positions)
}

fn read(
    task: &NetworkTask,
    report: &mut impl FnMut(&NetworkProgress),
) -> Result<Positions, TrainError> {
    let data: Data<Rows> = task.source.read(|path, games, positions| {
        report(&NetworkProgress::Read { path: path.to_owned(), games, positions });
    })?;
    let Data { games, mut training, mut validation, scales, validation_ends } = data;
    training.finish();
    validation.finish();
    Ok(Positions { games, engines: scales.iter().count(), training, validation, validation_ends })
}

/// The logistic unit in centipawns with which the fitted sum alone has the least loss, or a usual one if that is not
/// plausible. With another unit the network would learn to stretch or to shrink the sum, which changes no order of
/// moves.
fn unit_of_sum(rows: &[Row]) -> f32 {
    let some = rows.iter().step_by(rows.len() / 500_000 + 1);
    best_unit(&some.map(|row| (row.base, row.target(), row.weight)))
        .filter(|unit| PLAUSIBLE.contains(unit))
        .unwrap_or(USUAL_UNIT)
}

/// A usual logistic unit in centipawns.
const USUAL_UNIT: f32 = 600.0;

/// The losses of the fitted sum alone.
fn base_losses(rows: &[Row], unit: f32) -> NetworkLosses {
    let mut losses = NetworkLosses::default();
    for row in rows {
        losses.count(row.base / unit, row.target(), row.weight);
    }
    losses
}

/// The mean difference between the values of a network and of its whole numbers, in centipawns, on some positions.
fn rounding<M: ValueModel>(model: &M, rows: &[Row], unit: f32) -> f64 {
    let network = model.whole();
    let some = &rows[..rows.len().min(10_000)];
    let difference = |row: &Row| {
        let logistic = (model.score(row, unit) - network.score(row, unit)).abs();
        f64::from(unit * logistic)
    };
    some.iter().map(difference).sum::<f64>() / some.len().max(1) as f64
}
