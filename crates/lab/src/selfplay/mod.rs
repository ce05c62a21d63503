//! Games of the engine against itself, as training data.
//!
//! ```text
//!  Starts ──▶ play ──▶ Store: FOLDER/SEED.kyg ──┬─▶ status, check
//!  (opening, random moves)  (one block a game)  ├─▶ export: psv, hcpe and all other formats
//!                                               └─▶ lab::train
//! ```
//!
//! - A game follows from its seed and number only, unless another game of the folder already has the same start.
//! - [`run`] plays the games that are missing in the file of a seed, on threads or by the workers of a room: some games
//!   are a job ([`GamesJob`]). Several processes with different seeds may share a folder. A game is saved when its block
//!   is in the file; nothing else is written.
//! - [`Block`] converts blocks from and to bytes, without I/O. [`BlockReader`] reads the blocks of a file, and reports
//!   and skips damaged parts.
//!
//! Not here: the choice of training positions (`lab::train`).

mod block;
mod export;
mod game;
mod games_job;
mod play;
mod reader;
mod run;
mod seed_games;
mod settings;
mod starts;
mod status;
mod store;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use block::{Block, BlockFault, MOST_CONTENT};
pub use export::{ExportError, Exported, SelfplayExport, export};
pub use game::{GameFault, OpeningSource, PlayedMove, RuleFault, SelfplayGame};
pub use games_job::{GameOfJob, GamesJob, check_for_workers};
pub use reader::{BlockReader, FilePart, LocatedPart};
pub use run::{SelfplayError, SelfplayTask, run};
pub use settings::{SelfplaySettings, SettingsFault};
pub use starts::{RecordChoice, Starts, StartsError};
pub use status::{SelfplayCheck, SelfplayStatus};
pub use store::{SelfplayStoreError, make_folder};
pub(crate) use store::{each_game, is_selfplay_file};

/// The progress of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelfplayProgress {
    /// The number of games of the seed so far, including those of earlier runs.
    pub games: u64,
    /// The number of games requested; `None` without a limit.
    pub planned: Option<u32>,
    /// The number of rows so far; a row is a position with its move.
    pub rows: u64,
    /// The number of games of this run.
    pub new_games: u64,
    /// The number of rows of this run.
    pub new_rows: u64,
    /// The duration of this run.
    pub elapsed: Duration,
}
