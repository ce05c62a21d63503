//! The games of a fit, and the choice of their positions for training and for validation.

use std::path::{Path, PathBuf};

use crate::search::Quiescence;

use super::{
    Games, TrainingGame,
    error::TrainError,
    own_games::{is_selfplay, read_selfplay},
    samples::{PositionFilter, PositionSet, SelfplayPositionFilter},
    scales::Scales,
};

/// Where positions come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataSource<'a> {
    /// Tables of games, and folders or files of self-play.
    pub(super) tables: &'a [PathBuf],
    /// Decides which games validate.
    pub(super) seed: u64,
    /// The share of the games that are used for validation only.
    pub(super) validation: f64,
    /// The choice of positions.
    pub(super) choice: &'a PositionFilter,
    /// The choice of positions of self-play.
    pub(super) selfplay: &'a SelfplayPositionFilter,
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

impl DataSource<'_> {
    /// Reads all tables. `report` receives each table with the number of its games and the number of positions so far.
    pub(super) fn read<S: PositionSet>(
        &self,
        mut report: impl FnMut(&Path, usize, usize),
    ) -> Result<Data<S>, TrainError> {
        let mut tables: Vec<Vec<TrainingGame>> = Vec::new();
        for path in self.tables {
            tables.push(if is_selfplay(path) {
                read_selfplay(path)?
            } else {
                Games::open(path)?.collect::<Result<_, _>>()?
            });
        }
        let scales = Scales::fit(tables.iter().flatten());
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
                    let selfplay = self.selfplay;
                    set.add_selfplay(game, &scales, self.choice, selfplay, &mut quiescence, count);
                } else {
                    set.add_game(game, &scales, self.choice, count);
                }
            }
            games += table.len();
            validation_ends.push(validation.count());
            report(path, table.len(), training.count() + validation.count());
        }
        Ok(Data { games, training, validation, scales, validation_ends })
    }
}
