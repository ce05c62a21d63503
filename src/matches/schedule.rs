//! The schedule of a match: the numbering of its games.

use serde::{Deserialize, Serialize};

/// The pairings of the players.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// All players meet each other.
    #[default]
    RoundRobin,
    /// The first player meets all others.
    Gauntlet,
}

impl Shape {
    /// The number of pairings of this number of players.
    pub(super) const fn pairings(self, players: usize) -> usize {
        match self {
            Self::RoundRobin => players.saturating_mul(players.saturating_sub(1)) / 2,
            Self::Gauntlet => players.saturating_sub(1),
        }
    }
}

/// All games of a match, numbered from 0.
///
/// Games 2n and 2n + 1 are a pair with the same opening and changed colours. All pairings play the same openings in the
/// same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    pairs: usize,
}

/// One game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// The number of the game, from 0.
    pub game: usize,
    /// The index of the pairing.
    pub pairing: usize,
    /// The number of the opening, which is also the number of the pair within the pairing, from 0.
    pub opening: usize,
    /// The indices of the players with black and with white.
    pub players: [usize; 2],
}

impl Schedule {
    /// A schedule with `pairs` pairs of games for each pairing of `players` players.
    pub fn new(shape: Shape, players: usize, pairs: usize) -> Self {
        let firsts = match shape {
            Shape::RoundRobin => players,
            Shape::Gauntlet => players.min(1),
        };
        let pairings = (0..firsts)
            .flat_map(|first| (first + 1..players).map(move |second| [first, second]))
            .collect();
        Self { pairings, pairs }
    }

    /// The pairings, as indices of the first and the second player.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.pairings.len() * self.pairs * 2
    }

    /// The game with this number.
    pub fn round(&self, game: usize) -> Round {
        let pair = game / 2;
        let pairing = pair % self.pairings.len().max(1);
        let [first, second] = self.pairings[pairing];
        let players = if game.is_multiple_of(2) { [first, second] } else { [second, first] };
        Round { game, pairing, opening: pair / self.pairings.len(), players }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_round_robin_all_players_meet_with_both_colours() {
        let schedule = Schedule::new(Shape::RoundRobin, 3, 2);
        assert_eq!(schedule.pairings(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(schedule.games(), 12);
        let rounds: Vec<Round> = (0..12).map(|game| schedule.round(game)).collect();
        assert_eq!(rounds[0].players, [0, 1]);
        assert_eq!(rounds[1].players, [1, 0]);
        assert_eq!(rounds[0].opening, rounds[1].opening);
        assert_eq!((rounds[5].pairing, rounds[5].players, rounds[5].opening), (2, [2, 1], 0));
        assert_eq!((rounds[6].pairing, rounds[6].opening), (0, 1));
    }

    #[test]
    fn in_a_gauntlet_the_first_player_meets_all_others() {
        let schedule = Schedule::new(Shape::Gauntlet, 4, 1);
        assert_eq!(schedule.pairings(), [[0, 1], [0, 2], [0, 3]]);
    }

    #[test]
    fn pairings_are_counted_without_a_list() {
        for shape in [Shape::RoundRobin, Shape::Gauntlet] {
            for players in 0..6 {
                let listed = Schedule::new(shape, players, 1).pairings().len();
                assert_eq!(shape.pairings(players), listed, "{shape:?} {players}");
            }
        }
    }
}
