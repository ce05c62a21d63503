//! Matches between engines, and what they say about strength (layer 5).
//!
//! ```text
//!  Contestant (text) ─┐
//!  Openings (file) ───┼─▶ MatchSettings ─▶ run ─┬─▶ slot (thread, runtime, cores) ─▶ seats ─▶ referee: one game
//!  Rules, Sprt ───────┘                         │            └── one game after another from the queue
//!                                               ├─▶ Store: match.json, results.jsonl, games/*.csa
//!                                               └─▶ Tally ─▶ Report
//! ```
//!
//! - The [`Schedule`] says which game has which number; a game's players, opening, colours and seeds follow from its
//!   number alone, so a match of deterministic players comes out the same however many games run at once and however
//!   often it was interrupted.
//! - The referee's own clock and rules count; what an engine was asked to keep is compared with what it kept.
//! - A game is finished when its line stands in `results.jsonl`; its record is on disk before that.
//! - [`stats`] is pure; it knows nothing of games.
//!
//! Not here: sockets, the search, what is shown on a terminal.

mod adjudication;
mod contestant;
mod control;
mod fingerprint;
mod folder;
mod histogram;
mod match_player;
mod openings;
mod outcome;
mod plan;
mod progress;
mod queue;
mod referee;
mod report;
mod run;
mod schedule;
pub mod selfplay;
mod settings;
mod slot;
pub mod stats;
mod store;
mod studies;
mod tally;
pub mod train;
pub mod tune;

pub use adjudication::{AdjudicationError, DrawRule, WinRule};
pub use contestant::{Contestant, ContestantError, ContestantFault};
pub use control::{Control, ControlError};
use fingerprint::Fingerprint;
pub use folder::StoreError;
pub use openings::{Openings, OpeningsError, RECORD_PLIES};
pub use outcome::{MatchEnd, PlayedGame, Turn};
pub use progress::Progress;
pub use report::Report;
pub use run::{LabError, Stop, run};
pub use schedule::{Round, Schedule, Shape};
pub use settings::{MatchSettings, Rules, SettingsError};
pub use studies::{
    Chain, ChainStudy, Choosing, Kind, LeftOut, LegalMoves, LengthBand, LengthStudy, LikenessBand,
    LikenessStudy, Made, PlausibleStudy, PresetLikeness, RankCurve, Saving, StopStudy, Stopped,
    Work,
};
pub(crate) use studies::{
    ChainReader, LengthReader, LikenessReader, PlausibleReader, PositionReader, StopReader,
};
