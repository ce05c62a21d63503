//! Matches between engines and their statistics.
//!
//! ```text
//!  Contestant (text) ─┐
//!  Openings (file) ───┼─▶ MatchSettings ─▶ run ─┬─▶ slot (thread, runtime, cores) ─▶ players ─▶ referee: one game
//!  Rules, Sprt ───────┘                         │            └── one game after another from the queue
//!                                               ├─▶ Store: match.json, results.jsonl, games/*.csa
//!                                               └─▶ Tally ─▶ Report
//! ```
//!
//! - The [`Schedule`] numbers the games. A game's players, opening, colours and seeds depend only on its number, so a
//!   match of deterministic players has the same result for any number of parallel games and after any interruption.
//! - The referee's own clock and rules decide; the limits sent to an engine are compared with what it used.
//! - A game is finished when its line is in `results.jsonl`. Its record is written before that.
//! - [`stats`] consists of pure functions of counts.
//!
//! Not here: sockets, the search, the terminal.

mod adjudication;
mod book_games;
mod contestant;
mod control;
mod error;
mod fingerprint;
mod folder;
mod game_table;
mod help_report;
mod histogram;
mod logistic;
#[cfg(feature = "cluster")]
mod machines;
#[cfg(feature = "cluster")]
mod match_jobs;
mod match_player;
mod openings;
mod origin;
mod outcome;
#[cfg(feature = "cluster")]
mod pair_job;
mod plan;
mod progress;
mod queue;
mod referee;
mod report;
mod run;
#[cfg(feature = "cluster")]
mod run_name;
mod schedule;
pub mod selfplay;
mod settings;
mod slot;
pub mod stats;
mod store;
mod studies;
mod tally;
#[cfg(test)]
mod test_folder;
pub mod train;
pub mod tune;
#[cfg(feature = "cluster")]
mod workers;

pub use adjudication::{AdjudicationError, DrawRule, WinRule};
pub use book_games::{BookGame, BookGamesRead, read_book_games};
pub use contestant::{Contestant, ContestantError, ContestantFault};
pub use control::{ControlError, MatchControl};
pub use error::LabError;
use fingerprint::Fingerprint;
pub use folder::StoreError;
pub use help_report::HelpReport;
#[cfg(feature = "cluster")]
pub use machines::{Machines, Side};
#[cfg(feature = "cluster")]
pub use match_jobs::run_on_workers;
pub use openings::{Openings, OpeningsError, RECORD_PLIES};
pub use origin::Origin;
pub use outcome::{MatchEnd, PlayedGame, Turn};
#[cfg(feature = "cluster")]
pub use pair_job::{PairJob, PairedGame, unfit_for_workers};
pub use progress::Progress;
pub use report::Report;
pub use run::{Stop, run};
pub use schedule::{Round, Schedule, Shape};
pub use settings::{MatchSettings, Rules, SettingsError};
pub use studies::{
    Chain, ChainStudy, EvalScaleStudy, GeneratorShare, LegalMoves, LengthBand, LengthStudy,
    LikenessBand, LikenessStudy, MoveOrder, OmittedMove, OrderingStudy, PlausibleStudy, PlayedKind,
    PresetLikeness, RankCurve, SavingPercentile, ScaleFit, SelectionQuality, StopStudy, Stopped,
    Work,
};
pub(crate) use studies::{
    ChainReader, EvalScaleReader, GameReader, LengthReader, LikenessReader, OrderingReader,
    PlausibleReader, PositionReader, StopReader,
};
#[cfg(feature = "cluster")]
pub use workers::Workers;
