//! What games show of the engine without playing any: the papers' tables and curves (docs/search.md,
//! sections 6.2 and 6.4).
//!
//! A reader is given positions ([`PositionReader`]) or games one after the other and ends with its tables; it is told
//! nothing of terminals and may be left at any time with what it has.

mod chains;
mod lengths;
mod likeness;
mod plausible;
mod ranks;
mod stops;

pub(crate) use chains::ChainReader;
pub use chains::{Chain, ChainStudy, LegalMoves};
pub(crate) use lengths::LengthReader;
pub use lengths::{LengthBand, LengthStudy, Work};
pub(crate) use likeness::LikenessReader;
pub use likeness::{LikenessBand, LikenessStudy, PresetLikeness};
pub(crate) use plausible::PlausibleReader;
pub use plausible::{Choosing, Kind, LeftOut, Made, PlausibleStudy, Saving};
pub use ranks::RankCurve;
pub(crate) use stops::StopReader;
pub use stops::{StopStudy, Stopped};

use super::train::Drawn;
use crate::search::{StopFlag, explain::ExplainError};

/// What reads positions one after the other.
pub(crate) trait PositionReader {
    /// Its tables.
    type Study;

    /// Reads a position; one whose searches are stopped need not count.
    ///
    /// # Errors
    /// The search cannot be run.
    fn add(&mut self, drawn: &Drawn<'_>, stop: &StopFlag) -> Result<(), ExplainError>;

    /// Positions that count so far.
    fn positions(&self) -> usize;

    /// The number of positions requested; `None`: all.
    fn wanted(&self) -> Option<usize> {
        None
    }

    /// The tables of what was read.
    fn finish(self) -> Self::Study;
}
