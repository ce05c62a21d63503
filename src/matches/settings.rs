//! The settings of a match.

use std::{path::PathBuf, time::Duration};

use kyomi_engine::search::MAX_THREADS;
use kyomi_shogi::EnteringKingRule;

use super::{Contestant, DrawRule, Openings, Schedule, Shape, WinRule, stats::Sprt};

/// The settings of a match.
#[derive(Debug, Clone)]
pub struct MatchSettings {
    /// The players: at least two, with different names.
    pub players: Vec<Contestant>,
    /// The pairings of the players.
    pub shape: Shape,
    /// The largest number of pairs of games for each pairing.
    pub pairs: usize,
    /// The openings, in the order in which they are played.
    pub openings: Openings,
    /// The source of the openings, for reports.
    pub openings_name: String,
    /// The seed of the order of the openings and of random players.
    pub seed: u64,
    /// The rules for the end of games.
    pub rules: Rules,
    /// A test that may end the match early; for two players only.
    pub sprt: Option<Sprt>,
    /// The number of parallel games.
    pub concurrency: usize,
    /// The cores for the games, distributed evenly among the parallel games; empty: any core.
    pub cores: Vec<usize>,
    /// The virtual machines that the players are, instead of this one.
    #[cfg(feature = "cluster")]
    pub machines: Option<super::Machines>,
    /// The folder of the match.
    pub dir: PathBuf,
}

/// The rules for the end of a game, in addition to mate, repetition and resignation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The number of moves after which a game is drawn, including those of the opening.
    pub max_moves: Option<u32>,
    /// How an entered king wins.
    pub entering_king: EnteringKingRule,
    /// The tolerance before a loss on time. The excess is reported nevertheless.
    pub margin: Duration,
    /// The longest time for a move of a player without a clock or a time for each move.
    pub patience: Duration,
    /// Ends a game if the scores agree on the winner.
    pub win: Option<WinRule>,
    /// Ends a game as a draw if the scores are close to zero.
    pub draw: Option<DrawRule>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_moves: Some(320),
            entering_king: EnteringKingRule::default(),
            margin: Duration::from_millis(500),
            patience: Duration::from_secs(60),
            win: None,
            draw: None,
        }
    }
}

/// An error in the settings of a match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// There are fewer than two players.
    #[error("a match needs two players: --a and --b, or --player twice and more")]
    FewPlayers,
    /// Two players have the same name.
    #[error("two players are called '{0}'; give them different names with name=")]
    SameName(String),
    /// A test is possible with two players only.
    #[error("--sprt compares two players, but the match has {0}")]
    SprtOfMany(usize),
    /// A number that must be positive is 0.
    #[error("{0} must be 1 or more")]
    Zero(&'static str),
    /// More games than a match can hold in memory.
    #[error(
        "--games {games}, pairings {pairings}: a match has at most {MOST_GAMES} games; give fewer"
    )]
    ManyGames {
        /// The number of games of each pairing.
        games: usize,
        /// The number of pairings.
        pairings: usize,
    },
    /// More parallel games than a machine can play.
    #[error("--concurrency {0}: at most {MAX_THREADS} games are played at the same time")]
    ManyParallelGames(usize),
    /// The cores cannot be distributed evenly among the parallel games.
    #[error("{cores} cores cannot be distributed evenly among {concurrency} parallel games")]
    Cores {
        /// The number of cores.
        cores: usize,
        /// The number of parallel games.
        concurrency: usize,
    },
}

impl MatchSettings {
    /// Checks that the match can be played.
    ///
    /// # Errors
    /// The first error in the settings.
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
        let pairings = self.shape.pairings(self.players.len());
        let games = self.pairs.checked_mul(2).and_then(|games| games.checked_mul(pairings));
        if games.is_none_or(|games| games > MOST_GAMES) {
            let games = self.pairs.saturating_mul(2);
            return Err(SettingsError::ManyGames { games, pairings });
        }
        if self.concurrency > MAX_THREADS {
            return Err(SettingsError::ManyParallelGames(self.concurrency));
        }
        let (cores, concurrency) = (self.cores.len(), self.concurrency);
        if cores > 0 && !cores.is_multiple_of(concurrency) {
            return Err(SettingsError::Cores { cores, concurrency });
        }
        Ok(())
    }

    /// The schedule of the games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.shape, self.players.len(), self.pairs)
    }

    /// The largest number of search threads that may run at the same time.
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

    /// Whether the result depends on the speed of the machine.
    pub fn is_timed(&self) -> bool {
        self.players.iter().any(|player| player.control.is_timed())
    }
}

/// The largest number of games of a match, over all pairings. What is kept of each of them still fits into memory.
const MOST_GAMES: usize = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(players: usize, pairs: usize, concurrency: usize) -> MatchSettings {
        let player = |number| Contestant::parse("random", None, &format!("r{number}")).unwrap();
        MatchSettings {
            players: (0..players).map(player).collect(),
            shape: Shape::RoundRobin,
            pairs,
            openings: Openings::built_in(),
            openings_name: String::new(),
            seed: 1,
            rules: Rules::default(),
            sprt: None,
            concurrency,
            cores: Vec::new(),
            #[cfg(feature = "cluster")]
            machines: None,
            dir: PathBuf::new(),
        }
    }

    #[test]
    fn games_and_parallel_games_are_bounded() {
        let fault = |players, pairs, concurrency| -> String {
            let checked = settings(players, pairs, concurrency).check();
            checked.err().map_or_else(String::new, |error| error.to_string())
        };
        assert_eq!(fault(2, 5_000_000, 1024), "");
        assert_eq!(fault(4, 833_333, 1), "");
        assert_eq!(fault(2, 0, 1), "--games must be 1 or more");
        assert_eq!(
            fault(2, 5_000_001, 1),
            "--games 10000002, pairings 1: a match has at most 10000000 games; give fewer"
        );
        for pairs in [833_334, usize::MAX / 2, usize::MAX] {
            assert!(fault(4, pairs, 1).contains("pairings 6: a match has at most"), "{pairs}");
        }
        for concurrency in [1025, usize::MAX] {
            let expected = format!(
                "--concurrency {concurrency}: at most 1024 games are played at the same time"
            );
            assert_eq!(fault(2, 1, concurrency), expected);
        }
    }
}
