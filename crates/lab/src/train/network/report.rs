//! The progress and the result of a training.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::train::data::DataReport;

/// Progress reports of a training.
#[derive(Debug, Clone)]
pub enum NetworkProgress {
    /// A table has been read.
    Read {
        /// The table.
        path: PathBuf,
        /// The number of its games.
        games: usize,
        /// The number of positions taken so far, from all tables.
        positions: usize,
    },
    /// All tables have been read.
    Base {
        /// One logistic unit in centipawns: that with which the fitted sum alone fits best.
        unit: f32,
        /// The mean validation loss of the fitted sum alone, above the least possible one.
        validation: f64,
    },
    /// An earlier training is resumed after this number of epochs.
    Resumed(u32),
    /// A part of an epoch is done.
    Step {
        /// The epoch, from 1.
        epoch: u32,
        /// The part of the epoch that is done, in percent.
        percent: usize,
        /// The mean loss per position above the least possible loss, so far in this epoch.
        training: f64,
        /// The number of positions per second.
        speed: f64,
        /// The time left for all epochs.
        left: Duration,
    },
    /// An epoch is done.
    Epoch {
        /// The epoch, from 1.
        epoch: u32,
        /// The mean loss over the epoch above the least possible one, with weights that changed during it.
        training: f64,
        /// The mean loss of the weights at the end of the epoch above the least possible one, on the validation games.
        validation: f64,
        /// The root of the mean squared error of the expected score on the validation games.
        error: f64,
        /// Whether it is the least validation loss so far. Then the network has been written.
        best: bool,
        /// The duration of the epoch.
        time: Duration,
        /// The time left for all epochs.
        left: Duration,
    },
}

impl fmt::Display for NetworkProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes =
            |time: &Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
        match self {
            Self::Read { path, games, positions } => {
                write!(f, "{}: {games} games, {positions} positions in all", path.display())
            }
            Self::Base { unit, validation } => {
                write!(
                    f,
                    "a unit of the sum is {unit:.0} centipawns; the sum alone: validation {validation:.5}"
                )
            }
            Self::Resumed(epochs) => write!(f, "resumed after epoch {epochs}"),
            Self::Step { epoch, percent, training, speed, left } => write!(
                f,
                "epoch {epoch} {percent:3} % training {training:.5} {speed:.0} positions/s, {} left",
                minutes(left)
            ),
            Self::Epoch { epoch, training, validation, error, best, time, left } => write!(
                f,
                "epoch {epoch} training {training:.5} validation {validation:.5} (error {error:.4}){} {:.1} s, {} left",
                if *best { " best" } else { "" },
                time.as_secs_f64(),
                minutes(left)
            ),
        }
    }
}

/// The losses on the validation positions of one table. Each is the mean cross-entropy per position in nats, or the
/// root of the mean squared error of the expected score.
#[derive(Debug, Clone, Serialize)]
pub struct TableLosses {
    /// The table, or `all`.
    pub table: String,
    /// The number of positions.
    pub positions: usize,
    /// The loss of the fitted sum alone.
    pub base_loss: f64,
    /// The loss with the network that was written.
    pub loss: f64,
    /// The least loss that any evaluation can reach.
    pub least_loss: f64,
    /// The error of the fitted sum alone.
    pub base_error: f64,
    /// The error with the network that was written.
    pub error: f64,
}

/// The report of a training, written to `network.json`.
#[derive(Debug, Clone, Serialize)]
pub struct NetworkReport {
    /// What made the network, and from what data.
    #[serde(flatten)]
    pub data: DataReport,
    /// The architecture, if the network stands in place of the sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// The number of hidden units of each view.
    pub width: usize,
    /// The number of zones of the kings.
    pub zones: usize,
    /// The seed.
    pub seed: u64,
    /// The number of epochs that are done.
    pub epochs: u32,
    /// Whether all epochs are done.
    pub whole: bool,
    /// The epoch of the network that was written.
    pub best_epoch: u32,
    /// One logistic unit in centipawns: beside the sum that with which the sum alone fits best.
    pub unit: f32,
    /// The choice of positions and the settings of the descent.
    pub settings: String,
    /// The number of engines or sources whose scores are used.
    pub engines: usize,
    /// The losses on the validation positions of all tables, and of each.
    pub validation: Vec<TableLosses>,
    /// The mean difference between the last network in floating-point numbers and in whole numbers, in centipawns.
    pub rounding: f64,
}
