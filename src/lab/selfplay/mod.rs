//! Games of the engine with itself, to learn from.
//!
//! ```text
//!  Starts ──▶ play ──▶ Store: FOLDER/SEED.kyg ──┬─▶ status, check
//!  (opening, random moves)  (one block a game)  ├─▶ export: psv, hcpe and all other formats
//!                                               └─▶ lab::train
//! ```
//!
//! - A game follows from its seed and number alone, unless another game of the folder has the same start already.
//! - [`run`] plays the games that are missing in the file of a seed; several processes, each with a seed, share a
//!   folder. A game is saved when its block is in the file; nothing else is written.
//! - Blocks are read and written without I/O ([`Block`]); what is damaged is reported and passed over
//!   ([`BlockReader`]).
//!
//! Not here: which positions are learnt from, see `train`.

mod block;
mod export;
mod game;
mod play;
mod reader;
mod run;
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
pub use reader::{BlockReader, Placed, Stretch};
pub use run::{SelfplayError, SelfplayTask, run};
pub use settings::{SelfplaySettings, SettingsFault};
pub use starts::{Starts, StartsError};
pub use status::{SelfplayCheck, SelfplayStatus};
pub use store::{SelfplayStoreError, make_folder};
pub(crate) use store::{each_game, is_ours};

/// The progress of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelfplayProgress {
    /// Games of the seed so far, those of earlier runs included.
    pub games: u64,
    /// Games wanted.
    pub planned: Option<u32>,
    /// Positions with their moves, so far.
    pub rows: u64,
    /// Games of this run.
    pub new_games: u64,
    /// Positions of this run.
    pub new_rows: u64,
    /// How long this run has lasted.
    pub elapsed: Duration,
}
