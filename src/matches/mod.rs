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
mod help_report;
mod histogram;
#[cfg(feature = "cluster")]
mod machines;
mod match_games;
#[cfg(feature = "cluster")]
mod match_jobs;
mod match_player;
mod openings;
mod origin;
mod outcome;
#[cfg(feature = "cluster")]
mod pair_job;
mod pairs;
mod plan;
mod progress;
mod queue;
mod referee;
mod report;
mod run;
#[cfg(feature = "cluster")]
mod run_name;
mod schedule;
mod settings;
mod slot;
pub mod stats;
mod store;
mod tally;

pub use adjudication::{AdjudicationError, DrawRule, ScoreHistory, WinRule};
pub use book_games::{BookGame, BookGamesRead, read_book_games};
pub use contestant::{Contestant, ContestantError, ContestantFault};
pub use control::{ControlError, MatchControl};
pub use error::LabError;
pub use fingerprint::Fingerprint;
pub use folder::{Folder, StoreError, read_lines, read_plan};
pub use help_report::HelpReport;
#[cfg(feature = "cluster")]
pub use machines::{Machines, Side};
#[cfg(feature = "cluster")]
pub use match_jobs::run_on_workers;
pub use openings::{BuiltInLine, Openings, OpeningsError, RECORD_PLIES, built_in_lines};
pub use origin::Origin;
pub use outcome::{MatchEnd, PlayedGame, Turn};
#[cfg(feature = "cluster")]
pub use pair_job::{PairJob, PairedGame, fit_engine, unfit_for_workers};
pub use pairs::play_pairs;
pub use plan::{difference, plan, player_plan};
pub use progress::Progress;
pub use report::Report;
pub use run::{Stop, run};
#[cfg(feature = "cluster")]
pub use run_name::load_or_create_run_name;
pub use schedule::{Round, Schedule, Shape};
pub use settings::{MatchSettings, Rules, SettingsError};
