//! A training, from tables of games to a file of a network.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    eval::{
        network::{KingZones, Network},
        weight_bytes,
    },
    lab::{
        fingerprint::Fingerprint,
        logistic::best_unit,
        train::{
            DataSource, TrainError, checkpoint::replace, data::Data, samples::PositionSet as _,
            scales::PLAUSIBLE,
        },
    },
    search,
};

use super::{
    adam::Moments,
    cache::{self, Positions},
    checkpoint::{self, Best, Kept, State},
    losses::NetworkLosses,
    parameters::{Parameters, Shape},
    report::{NetworkProgress, NetworkReport, TableLosses},
    rows::{Row, Rows},
    trainer::{NetworkDescent, Trainer},
};

/// The games, the folder and the settings of a training.
#[derive(Debug, Clone)]
pub struct NetworkTask {
    /// The games, the choice of their positions, and the seed, which decides their order and the first weights too.
    pub source: DataSource,
    /// The folder of the result. A training that was started in it is resumed.
    pub out: PathBuf,
    /// The number of passes over all positions.
    pub epochs: u32,
    /// The number of hidden units of each view, a multiple of 64.
    pub width: usize,
    /// The zones of the kings.
    pub zones: KingZones,
    /// The settings of the descent.
    pub descent: NetworkDescent,
    /// The network to train further, of this width and these zones; `None` begins with random weights.
    pub start: Option<Network>,
    /// A file that keeps the chosen positions. A further training with the same games and the same choice reads it.
    pub cache: Option<PathBuf>,
}

impl NetworkTask {
    /// A hash of everything that must be the same to resume a training.
    fn fingerprint(&self, positions: usize) -> u64 {
        let mut fingerprint = Fingerprint::new();
        let NetworkDescent { batch, rate, last_rate, decay, threads: _ } = self.descent;
        let DataSource { tables, seed, validation, choice, selfplay } = &self.source;
        let text = format!(
            "{tables:?} {seed} {validation} {choice:?} {selfplay:?} {batch} {rate} {last_rate} {decay} {} {} {:?} \
             {positions}",
            self.epochs, self.width, self.zones,
        );
        fingerprint.add(text.as_bytes());
        fingerprint.add(weight_bytes());
        if let Some(start) = &self.start {
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
        add(format!("{:?}", search::Parameters::default()));
        fingerprint.add(weight_bytes());
        fingerprint.add(Network::builtin_bytes());
        fingerprint.value()
    }

    /// A description of the choice of positions and of the descent.
    fn settings(&self) -> String {
        let DataSource { validation, choice, selfplay, .. } = &self.source;
        let start = match &self.start {
            Some(network) => format!(", from {:08x}", crc32fast::hash(&network.to_bytes())),
            None => String::new(),
        };
        format!("validation {validation}, {choice:?}, {selfplay:?}, {:?}{start}", self.descent)
    }
}

/// Runs or resumes a training. `report` receives its progress; `stop` is called before each step and ends the training
/// by returning true. The network of the epoch with the least validation loss is kept in `network.bin`.
///
/// # Errors
/// The tables or the folder cannot be used. Epochs that are done are kept.
pub fn train_network(
    task: &NetworkTask,
    mut report: impl FnMut(&NetworkProgress),
    stop: impl Fn() -> bool,
) -> Result<NetworkReport, TrainError> {
    let io = TrainError::io;
    let cache_folder = task.cache.as_deref().and_then(Path::parent);
    for folder in [Some(task.out.as_path()), cache_folder].into_iter().flatten() {
        fs::create_dir_all(folder).map_err(io("making", folder))?;
    }
    let (kept, written) = (task.out.join("checkpoint.bin"), task.out.join("network.bin"));
    if !kept.exists() && written.exists() {
        return Err(TrainError::Foreign(written));
    }
    let data = positions(task, &mut report)?;
    let (training, validation) = (&data.training.rows, &data.validation.rows);
    if training.is_empty() || validation.is_empty() {
        let (training, validation) = (training.len(), validation.len());
        return Err(TrainError::Few { training, validation });
    }
    let fingerprint = task.fingerprint(training.len());
    let State { mut epochs, mut best, parameters, moments } =
        initial_state(task, &kept, &written, fingerprint)?;
    let unit = unit_of_sum(training);
    let mut trainer = Trainer::new(parameters, moments, unit);
    let validation_loss = base_losses(validation, unit).losses.excess();
    report(&NetworkProgress::Base { unit, validation: validation_loss });
    if epochs > 0 {
        report(&NetworkProgress::Resumed(epochs));
    }
    let descent = &task.descent;
    let per_epoch = training.len().div_ceil(descent.batch.max(1));
    let steps = (per_epoch as u32).saturating_mul(task.epochs);
    while epochs < task.epochs && !stop() {
        let started = Instant::now();
        let Some(losses) =
            train_epoch(task, &mut trainer, training, (epochs, steps), &mut report, &stop)
        else {
            break;
        };
        epochs += 1;
        let found = trainer.losses(validation, descent.threads);
        let is_best = found.losses.mean() < best.loss;
        if is_best {
            let bytes = trainer.parameters.network().to_bytes();
            replace(&written, &bytes).map_err(io("writing", &written))?;
            best = Best {
                loss: found.losses.mean(),
                epoch: epochs,
                checksum: crc32fast::hash(&bytes),
            };
        }
        let Trainer { parameters, moments, .. } = &trainer;
        checkpoint::save(&kept, fingerprint, epochs, best, parameters, moments)
            .map_err(io("writing", &kept))?;
        let time = started.elapsed();
        report(&NetworkProgress::Epoch {
            epoch: epochs,
            training: losses.losses.excess(),
            validation: found.losses.excess(),
            error: found.root_mean_square(),
            best: is_best,
            time,
            left: time * (task.epochs - epochs),
        });
    }
    if epochs == 0 {
        return Err(TrainError::NoEpoch);
    }
    let Some(network) = network_file(&written, best.checksum) else {
        return Err(TrainError::Changed { file: written, checkpoint: kept });
    };
    let report = NetworkReport {
        tables: task.source.names(),
        files: task.source.files(),
        games: data.games,
        training_positions: training.len(),
        validation_positions: validation.len(),
        width: task.width,
        zones: task.zones.count(),
        seed: task.source.seed,
        epochs,
        whole: epochs >= task.epochs,
        best_epoch: best.epoch,
        unit,
        settings: task.settings(),
        engines: data.engines,
        validation: validation_losses(task, &data, &network, unit),
        rounding: rounding(&trainer.parameters, validation),
    };
    let path = task.out.join("network.json");
    let text = serde_json::to_string_pretty(&report).unwrap_or_default() + "\n";
    replace(&path, text.as_bytes()).map_err(io("writing", &path))?;
    Ok(report)
}

/// The state of the checkpoint `kept`, or that of a new training. `written` is the file of the network.
fn initial_state(
    task: &NetworkTask,
    kept: &Path,
    written: &Path,
    fingerprint: u64,
) -> Result<State, TrainError> {
    let shape = Shape { width: task.width, zones: task.zones };
    let state = match checkpoint::load(kept, fingerprint, shape)
        .map_err(TrainError::io("reading", kept))?
    {
        Kept::Nothing => State {
            epochs: 0,
            best: Best::default(),
            parameters: match &task.start {
                Some(network) => Parameters::of_network(network),
                None => Parameters::new(shape, task.source.seed),
            },
            moments: Moments::new(shape.parameters()),
        },
        Kept::Other => return Err(TrainError::Other(task.out.clone())),
        Kept::Damaged => return Err(TrainError::Damaged(kept.to_owned())),
        Kept::State(state) => *state,
    };
    if state.epochs > 0 && network_file(written, state.best.checksum).is_none() {
        return Err(TrainError::Changed { file: written.to_owned(), checkpoint: kept.to_owned() });
    }
    Ok(state)
}

/// The losses on the validation positions of all tables together, and of each.
fn validation_losses(
    task: &NetworkTask,
    data: &Positions,
    network: &Network,
    unit: f32,
) -> Vec<TableLosses> {
    let rows = &data.validation.rows;
    let mut losses = vec![table_losses("all".into(), rows, network, unit)];
    let mut begin = 0;
    for (table, end) in task.source.names().into_iter().zip(&data.validation_ends) {
        losses.push(table_losses(table, &rows[begin..*end], network, unit));
        begin = *end;
    }
    losses
}

/// Takes the steps of the epoch with this number, from 0, of a training with `steps` steps. `None` if it was stopped.
fn train_epoch(
    task: &NetworkTask,
    trainer: &mut Trainer,
    training: &[Row],
    (epoch, steps): (u32, u32),
    report: &mut impl FnMut(&NetworkProgress),
    stop: &impl Fn() -> bool,
) -> Option<NetworkLosses> {
    let started = Instant::now();
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    fastrand::Rng::with_seed(task.source.seed.wrapping_add(u64::from(epoch))).shuffle(&mut order);
    let mut losses = NetworkLosses::default();
    let mut done = 0;
    for batch in order.chunks(task.descent.batch.max(1)) {
        if stop() {
            return None;
        }
        losses.add(trainer.step(training, batch, steps, &task.descent));
        done += batch.len();
        let speed = done as f64 / started.elapsed().as_secs_f64().max(1e-6);
        let rest = training.len().saturating_mul((task.epochs - epoch) as usize) - done;
        report(&NetworkProgress::Step {
            epoch: epoch + 1,
            percent: done * 100 / training.len(),
            training: losses.losses.excess(),
            speed,
            left: Duration::from_secs_f64(rest as f64 / speed.max(1.0)),
        });
    }
    Some(losses)
}

/// The network in a file that this training has written, which has this checksum.
fn network_file(path: &Path, checksum: u32) -> Option<Network> {
    let bytes = fs::read(path).ok().filter(|bytes| crc32fast::hash(bytes) == checksum)?;
    Network::from_bytes(&bytes).ok()
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
/// plausible. With another unit the network would learn to stretch or to shrink the sum, which changes no order of moves.
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

fn table_losses(table: String, rows: &[Row], network: &Network, unit: f32) -> TableLosses {
    let base = base_losses(rows, unit);
    let mut losses = NetworkLosses::default();
    for row in rows {
        let score = (row.base + network.centipawns(&row.inputs) as f32) / unit;
        losses.count(score, row.target(), row.weight);
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

/// The mean difference between the outputs of a network and of its whole numbers, in centipawns, on some positions.
fn rounding(parameters: &Parameters, rows: &[Row]) -> f64 {
    let network = parameters.network();
    let some = &rows[..rows.len().min(10_000)];
    let difference = |row: &Row| {
        let exact = super::gradients::centipawns(parameters, row);
        f64::from((exact - network.centipawns(&row.inputs) as f32).abs())
    };
    some.iter().map(difference).sum::<f64>() / some.len().max(1) as f64
}
