//! An event: its players, and when and how they play.

use std::time::Duration;

use jiff::Timestamp;

use crate::text::Secret;
use kyomi_shogi::clock::GameTime;
use kyomi_shogi::{Move, Position};

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its name, without spaces.
    pub name: String,
    /// The players, the strongest first.
    pub players: Vec<Player>,
    /// The tournament format.
    pub format: Format,
    /// The seed of the random choices: the colours of the first round.
    pub seed: u64,
    /// The clock of both sides.
    pub time: GameTime,
    /// The move limit; `None`: that of the server.
    pub max_moves: Option<u32>,
    /// The openings; the games of a round all have the same. Never empty.
    pub openings: Vec<Opening>,
    /// When rounds begin.
    pub schedule: Schedule,
}

/// A player of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// The login name.
    pub name: String,
    /// The password; `None`: any.
    pub password: Option<Secret>,
}

/// The tournament format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Players with equal scores meet, for this number of rounds.
    Swiss {
        /// The number of rounds.
        rounds: usize,
    },
    /// Everybody meets everybody.
    RoundRobin {
        /// Twice, with both colours.
        double: bool,
    },
}

/// The beginning of a game.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// The position.
    pub start: Position,
    /// Moves that are already made.
    pub moves: Vec<Move>,
}

/// When rounds begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// For each round; further rounds begin when all players are there.
    pub rounds: Vec<RoundStart>,
    /// The least time between the end of a round and the next one.
    pub pause: Duration,
    /// A player who is absent for this long in a round loses its game; `None`: the round waits for it.
    pub forfeit_after: Option<Duration>,
}

/// When a round begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundStart {
    /// When all players are there, or the time for forfeits has passed.
    WhenAllAreThere,
    /// At this time.
    At(Timestamp),
}

impl Event {
    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        let once = self.players.len() + self.players.len() % 2 - 1;
        match self.format {
            Format::Swiss { rounds } => rounds,
            Format::RoundRobin { double } => {
                if double {
                    2 * once
                } else {
                    once
                }
            }
        }
    }

    /// The opening of a round, counted from 0. In a double round robin both games of two players have the same.
    pub fn opening(&self, round: usize) -> &Opening {
        let round = match self.format {
            Format::RoundRobin { double: true } => round % (self.rounds() / 2).max(1),
            _ => round,
        };
        &self.openings[round % self.openings.len()]
    }
}

#[cfg(test)]
impl Event {
    /// An event of these players, with the usual start position, that no clock keeps waiting.
    pub(crate) fn of(name: &str, players: &[&str], format: Format) -> Self {
        let player = |name: &&str| Player { name: (*name).to_owned(), password: None };
        Self {
            name: name.to_owned(),
            players: players.iter().map(player).collect(),
            format,
            seed: 0,
            time: GameTime::sudden_death(Duration::from_secs(10)),
            max_moves: None,
            openings: vec![Opening { start: Position::startpos(), moves: Vec::new() }],
            schedule: Schedule { rounds: Vec::new(), pause: Duration::ZERO, forfeit_after: None },
        }
    }
}
