//! The settings of a match.

use std::{path::PathBuf, time::Duration};

use super::{Contestant, DrawRule, Openings, Schedule, Shape, WinRule, stats::Sprt};

/// The settings of a match.
#[derive(Debug, Clone)]
pub struct MatchSettings {
    /// The players, two at least, each with a name of its own.
    pub players: Vec<Contestant>,
    /// The pairings of the players.
    pub shape: Shape,
    /// Pairs of games of each pairing, at most.
    pub pairs: usize,
    /// Where the games begin, in the order in which they are played.
    pub openings: Openings,
    /// Where the openings come from, for reports.
    pub openings_name: String,
    /// The order of the openings and what random players do follow from it.
    pub seed: u64,
    /// When a game ends.
    pub rules: Rules,
    /// Ends the match early; two players only.
    pub sprt: Option<Sprt>,
    /// Number of parallel games.
    pub concurrency: usize,
    /// The cores that games run on, distributed evenly among the parallel games; empty: any core.
    pub cores: Vec<usize>,
    /// The folder in which the match is kept.
    pub dir: PathBuf,
}

/// When a game ends, beside mate, repetition and resignation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Number of moves after which a game is drawn, including those of the opening.
    pub max_moves: Option<u32>,
    /// An entered king may be declared a win by the 27-point rule.
    pub declaration: bool,
    /// Tolerance before a flag falls; the excess is reported nevertheless.
    pub margin: Duration,
    /// The longest thought of a player that has no clock.
    pub patience: Duration,
    /// A game whose winner both scores agree on is ended.
    pub win: Option<WinRule>,
    /// A game that both scores call level is ended.
    pub draw: Option<DrawRule>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_moves: Some(320),
            declaration: true,
            margin: Duration::from_millis(500),
            patience: Duration::from_secs(60),
            win: None,
            draw: None,
        }
    }
}

/// Why a match cannot be played so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Nobody to play against.
    #[error("a match needs two players: --a and --b, or --player twice and more")]
    FewPlayers,
    /// Two players of one name.
    #[error("two players are called '{0}'; give each a name of its own with name=")]
    SameName(String),
    /// A test says something about two players only.
    #[error("--sprt compares two players, and here are {0}")]
    SprtOfMany(usize),
    /// No game, no core or the like.
    #[error("{0} must be 1 or more")]
    Zero(&'static str),
    /// The cores cannot be distributed evenly among the parallel games.
    #[error("{cores} cores cannot be shared out among {concurrency} games at once")]
    Cores {
        /// Cores named.
        cores: usize,
        /// Number of parallel games.
        concurrency: usize,
    },
}

impl MatchSettings {
    /// Whether a match can be played so.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.players.len() < 2 {
            return Err(SettingsError::FewPlayers);
        }
        for (number, player) in self.players.iter().enumerate() {
            if self.players[..number].iter().any(|other| other.name == player.name) {
                return Err(SettingsError::SameName(player.name.clone()));
            }
        }
        if self.sprt.is_some() && self.players.len() > 2 {
            return Err(SettingsError::SprtOfMany(self.players.len()));
        }
        for (what, number) in [("--games", self.pairs), ("--concurrency", self.concurrency)] {
            if number == 0 {
                return Err(SettingsError::Zero(what));
            }
        }
        let (cores, concurrency) = (self.cores.len(), self.concurrency);
        if cores > 0 && !cores.is_multiple_of(concurrency) {
            return Err(SettingsError::Cores { cores, concurrency });
        }
        Ok(())
    }

    /// Its games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.shape, self.players.len(), self.pairs)
    }

    /// Threads that search at the same moment, at most, if every game is in its most crowded state.
    pub fn busy_threads(&self) -> usize {
        let schedule = self.schedule();
        let of = |player: usize| self.players.get(player).map_or(1, |player| player.threads);
        let ponders = |player: usize| self.players.get(player).is_some_and(|player| player.ponder);
        let game = schedule
            .pairings()
            .iter()
            .map(|&[a, b]| if ponders(a) || ponders(b) { of(a) + of(b) } else { of(a).max(of(b)) });
        self.concurrency * game.max().unwrap_or(1)
    }

    /// Whether the speed of the machine matters to the result.
    pub fn is_timed(&self) -> bool {
        self.players.iter().any(|player| player.control.is_timed())
    }
}
