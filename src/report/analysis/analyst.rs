//! The interface of the engines that analyse, and their common settings.

use std::{num::NonZeroUsize, time::Duration};

use super::searched::Searched;
use crate::players::EngineError;
use kyomi_shogi::Game;

/// Searches single positions. The result depends on the game and on the settings, not on earlier searches.
pub trait Analyst {
    /// Everything that the results depend on: engine, version, options, limits. Equal text means equal results.
    fn fingerprint(&self) -> &str;

    /// The display name of the engine.
    fn name(&self) -> &str;

    /// Searches the position that a game has reached, which has a legal move. `None` if it was stopped.
    ///
    /// # Errors
    /// The engine failed and cannot go on.
    fn search(&mut self, game: &Game) -> Result<Option<Searched>, EngineError>;

    /// Whether it searches several positions at once, if they are announced by [`Analyst::expect`].
    fn searches_ahead(&self) -> bool {
        false
    }

    /// Announces that the current position of a game, which has a legal move, will be searched later.
    fn expect(&mut self, _game: &Game) {}
}

/// How long each position is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionLimit {
    /// A number of positions.
    Nodes(u64),
    /// A time.
    Time(Duration),
}

impl std::fmt::Display for PositionLimit {
    /// `20000 nodes`, `1.5 s`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// The settings of an analysis that apply to every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalystSettings {
    /// How long each position is searched.
    pub limit: PositionLimit,
    /// Number of search threads.
    pub threads: NonZeroUsize,
    /// Number of lines to find.
    pub lines: NonZeroUsize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
}

/// The time rounded down to milliseconds, as it is stored.
pub(super) fn whole_milliseconds(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}
