//! Studies of the engine on the positions of existing games: the papers' tables and curves (docs/search.md, sections
//! 6.2 and 6.4).
//!
//! A reader receives positions (`PositionReader`) or games one after the other and returns its tables at the end. It
//! prints nothing, and it can be finished at any time. The commands are in `cli/studies.rs`.
//!
//! `agreement` and `growth` are about single positions of a table and about any engine. `courses` lets the engines
//! search. The commands are in `cli/courses.rs`.

mod agreement;
mod chains;
mod courses;
mod eval_scale;
mod growth;
mod growth_page;
mod growth_shares;
mod growth_text;
mod lengths;
mod likeness;
mod mean;
mod ordering;
mod plausible;
mod plots;
mod ranks;
mod stops;

pub use agreement::{Agreement, AgreementStudy, PairedAgreement};
pub(crate) use chains::ChainReader;
pub use chains::{Chain, ChainStudy, LegalMoves};
pub(crate) use courses::{CourseError, CourseRequest, Courses, References, run_courses};
pub(crate) use eval_scale::EvalScaleReader;
pub use eval_scale::{EvalScaleStudy, ScaleFit};
pub use growth::{DepthGrowth, EngineGrowth, GrowthStudy};
pub(crate) use growth_page::growth_page;
pub use growth_shares::ShareTable;
pub(crate) use growth_text::{growth_text, number};
pub(crate) use lengths::LengthReader;
pub use lengths::{LengthBand, LengthStudy, Work};
pub(crate) use likeness::LikenessReader;
pub use likeness::{LikenessBand, LikenessStudy, PresetLikeness};
pub use mean::Mean;
pub(crate) use ordering::OrderingReader;
pub use ordering::{MoveOrder, OrderingStudy};
pub(crate) use plausible::PlausibleReader;
pub use plausible::{
    GeneratorShare, OmittedMove, PlausibleStudy, PlayedKind, SavingPercentile, SelectionQuality,
};
pub use ranks::RankCurve;
pub(crate) use stops::StopReader;
pub use stops::{StopStudy, Stopped};

use super::train::{SampledPosition, TrainingGame};
use kyomi_engine::search::StopFlag;
use kyomi_engine::search::explain::ExplainError;

/// Builds a study from whole games, which are added one after the other.
pub(crate) trait GameReader {
    /// The tables of the study.
    type Study;

    /// Adds a game.
    fn add(&mut self, game: &TrainingGame);

    /// The number of games that count so far.
    fn games(&self) -> usize;

    /// The tables of all games so far.
    fn finish(self) -> Self::Study;
}

/// Builds a study from positions, which are added one after the other.
pub(crate) trait PositionReader {
    /// The tables of the study.
    type Study;

    /// Adds a position. A position whose searches are stopped need not count.
    ///
    /// # Errors
    /// The search cannot be run.
    fn add(&mut self, sampled: &SampledPosition<'_>, stop: &StopFlag) -> Result<(), ExplainError>;

    /// The number of positions that count so far.
    fn positions(&self) -> usize;

    /// The number of positions requested; `None`: all.
    fn wanted(&self) -> Option<usize> {
        None
    }

    /// The tables of all positions so far.
    fn finish(self) -> Self::Study;
}
