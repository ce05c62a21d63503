//! The choice among the moves of a position.

use super::BookMove;

/// How moves are looked up and chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookRules {
    /// Play the best move only. Otherwise a random one, in proportion to the counts.
    pub narrow: bool,
    /// The last ply of a game that may come from the book; 0: none.
    pub max_ply: u32,
    /// How much worse than the best a move may be to be chosen at random, in centipawns.
    pub margin: u32,
    /// Moves below this depth are not played; 0: all are.
    pub min_depth: u32,
    /// Match positions at any ply of the game. Otherwise only at the ply of the entry.
    pub ignore_ply: bool,
    /// The same seed chooses the same moves; `None`: different ones in each game.
    pub seed: Option<u64>,
}

impl Default for BookRules {
    fn default() -> Self {
        Self { narrow: false, max_ply: 60, margin: 30, min_depth: 0, ignore_ply: true, seed: None }
    }
}

impl BookRules {
    /// Chooses one of `moves`, which are sorted with the best first. A random choice depends on `seed` only.
    pub(super) fn choose(&self, moves: &[BookMove], seed: u64) -> Option<BookMove> {
        let best = moves.first()?;
        if self.narrow {
            return Some(*best);
        }
        let least = i64::from(best.score) - i64::from(self.margin);
        let near: Vec<&BookMove> = moves.iter().filter(|it| i64::from(it.score) >= least).collect();
        let counted = near.iter().any(|it| it.count > 0);
        // In a book without counts all moves are equally likely.
        let weight = |it: &BookMove| if counted { u128::from(it.count) } else { 1 };
        let total: u128 = near.iter().map(|it| weight(it)).sum();
        let mut drawn = (u128::from(fastrand::Rng::with_seed(seed).u64(..)) * total) >> 64;
        for it in near {
            let own = weight(it);
            if drawn < own {
                return Some(*it);
            }
            drawn -= own;
        }
        None
    }
}
