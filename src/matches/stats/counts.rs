//! Counts of results.

use serde::{Deserialize, Serialize};

/// Games won, drawn and lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// The number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of all games: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// The points per game, 0 to 1; ½ before the first game.
    pub fn score(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / self.games() as f64 }
    }

    /// The other side's view.
    #[must_use]
    pub const fn swapped(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Counts one game: `half_points` is 2 for a win, 1 for a draw, 0 for a loss.
    pub const fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// Pairs of games by their points: element `i` is the number of pairs with `i` half points, 0 to 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts a pair with this number of half points (0 to 4).
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// The other side's view.
    #[must_use]
    pub const fn swapped(&self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }
}
