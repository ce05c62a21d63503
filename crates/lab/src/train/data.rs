//! The games of a fit, and the choice of their positions for training and for validation.

use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use kyomi::matches::Origin;
use kyomi_engine::search::Quiescence;

use super::error::TrainError;
use super::own_games::{is_selfplay, read_selfplay};
use super::samples::{PositionFilter, PositionSet, SelfplayPositionFilter};
use super::scales::Scales;
use super::{Games, TrainingGame};

/// The games of a fit, and the choice of their positions.
#[derive(Debug, Clone)]
pub struct DataSource {
    /// Tables of games, and folders or files of self-play.
    pub tables: Vec<PathBuf>,
    /// Decides which games validate.
    pub seed: u64,
    /// The share of the games that are used for validation only.
    pub validation: f64,
    /// The choice of positions.
    pub choice: PositionFilter,
    /// The choice of positions of self-play.
    pub selfplay: SelfplayPositionFilter,
}

/// A file of games, for the record of the games that weights were fitted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DataFile {
    /// Its name, without the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its CRC-32, as eight hexadecimal digits.
    pub crc32: String,
}

/// What a training learnt from, for its report.
#[derive(Debug, Clone, Serialize)]
pub struct DataReport {
    /// What made the weights.
    #[serde(flatten)]
    pub origin: Origin,
    /// The tables, by name.
    pub tables: Vec<String>,
    /// Their files.
    pub files: Vec<DataFile>,
    /// The number of games read.
    pub games: usize,
    /// The number of positions learnt from.
    pub training_positions: usize,
    /// The number of positions of the validation.
    pub validation_positions: usize,
}

impl fmt::Display for DataReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, training_positions, validation_positions, .. } = self;
        write!(
            f,
            "games {games}, positions to learn from {training_positions}, to validate with {validation_positions}"
        )
    }
}

impl DataFile {
    /// Reads a file to describe it.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut file = fs::File::open(path)?;
        let mut hasher = crc32fast::Hasher::new();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
            bytes += read as u64;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, bytes, crc32: format!("{:08x}", hasher.finalize()) })
    }
}

/// The positions of all tables, split into training and validation.
#[derive(Debug)]
pub(super) struct Data<S> {
    /// The number of games.
    pub(super) games: usize,
    pub(super) training: S,
    pub(super) validation: S,
    pub(super) scales: Scales,
    /// For each table the number of validation positions up to its end.
    pub(super) validation_ends: Vec<usize>,
}

impl DataSource {
    /// Whether some of the games are of self-play.
    pub(super) fn has_selfplay(&self) -> bool {
        self.tables.iter().any(|path| is_selfplay(path))
    }

    /// What a training of this run has learnt from.
    pub(super) fn report(&self, games: usize, training: usize, validation: usize) -> DataReport {
        DataReport {
            origin: Origin::of_this_run(),
            tables: self.names(),
            files: self.files(),
            games,
            training_positions: training,
            validation_positions: validation,
        }
    }

    /// The files of the games: the tables, and the files of self-play in folders. A file that no longer exists is left
    /// out.
    fn files(&self) -> Vec<DataFile> {
        let mut files = Vec::new();
        for table in &self.tables {
            let mut of_table = match fs::read_dir(table) {
                Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
                Err(_) => vec![table.clone()],
            };
            of_table.retain(|file| !table.is_dir() || is_selfplay(file));
            of_table.sort();
            files.extend(of_table.iter().filter_map(|file| DataFile::of(file).ok()));
        }
        files
    }

    /// The names of the tables, without their folders.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| {
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        self.tables.iter().map(name).collect()
    }

    /// Reads all tables. `report` receives each table with the number of its games and the number of positions so far.
    pub(super) fn read<S: PositionSet>(
        &self,
        mut report: impl FnMut(&Path, usize, usize),
    ) -> Result<Data<S>, TrainError> {
        let mut tables: Vec<Vec<TrainingGame>> = Vec::new();
        for path in &self.tables {
            tables.push(if is_selfplay(path) {
                read_selfplay(path)?
            } else {
                Games::open(path)?.collect::<Result<_, _>>()?
            });
        }
        let mut scales = Scales::fit(tables.iter().flatten());
        for (path, table) in self.tables.iter().zip(&tables) {
            if let (true, Some(unit), Some(game)) =
                (is_selfplay(path), self.selfplay.unit, table.first())
            {
                scales.set(&game.black, unit);
            }
        }
        let result_share = self.selfplay.result_share.unwrap_or(self.choice.result_share);
        let selfplay_choice = PositionFilter { result_share, ..self.choice.clone() };
        let mut random = fastrand::Rng::with_seed(self.seed);
        let (mut training, mut validation) = (S::default(), S::default());
        let mut counts = [0, 0];
        let mut quiescence = Quiescence::default();
        let mut games = 0;
        let mut validation_ends = Vec::new();
        for (path, table) in self.tables.iter().zip(&tables) {
            let is_selfplay = is_selfplay(path);
            for game in table {
                let validates = random.f64() < self.validation;
                let set = if validates { &mut validation } else { &mut training };
                let count = &mut counts[usize::from(validates)];
                if is_selfplay {
                    let (choice, selfplay) = (&selfplay_choice, &self.selfplay);
                    set.add_selfplay(game, &scales, choice, selfplay, &mut quiescence, count);
                } else {
                    set.add_game(game, &scales, &self.choice, count);
                }
            }
            games += table.len();
            validation_ends.push(validation.count());
            report(path, table.len(), training.count() + validation.count());
        }
        Ok(Data { games, training, validation, scales, validation_ends })
    }
}
