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
    /// Where a position is not in the book, use the entry of the same position seen from the other side.
    pub flipped: bool,
    /// The same seed chooses the same moves; `None`: different ones in each game.
    pub seed: Option<u64>,
}

impl Default for BookRules {
    fn default() -> Self {
        Self {
            narrow: false,
            max_ply: 60,
            margin: 30,
            min_depth: 0,
            ignore_ply: true,
            flipped: true,
            seed: None,
        }
    }
}

impl BookRules {
    /// Chooses one of `moves`, which are sorted with the best first. A random choice depends on `seed` only. Moves without
    /// a score are within every margin.
    pub(super) fn choose(&self, moves: &[BookMove], seed: u64) -> Option<BookMove> {
        let best = moves.first()?;
        if self.narrow {
            return Some(*best);
        }
        let best = best.compared_score();
        let near: Vec<&BookMove> =
            moves.iter().filter(|it| !it.is_beyond(best, self.margin)).collect();
        let counted = near.iter().any(|it| it.count > 0);
        // In a book without counts all moves are equally likely.
        let weight = |it: &BookMove| if counted { u128::from(it.count) } else { 1 };
        let total: u128 = near.iter().map(|it| weight(it)).sum();
        let mut drawn = part_of(total, fastrand::Rng::with_seed(seed).u64(..));
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

/// The whole part of `total * random / 2^64`. The product alone may have more than 128 bits: the counts of a book are
/// any numbers of 64 bits.
const fn part_of(total: u128, random: u64) -> u128 {
    let random = random as u128;
    let (high, low) = (total >> 64, total & u64::MAX as u128);
    high * random + ((low * random) >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi;

    #[test]
    fn a_part_is_exact() {
        let most = u128::from(u64::MAX);
        for total in [0, 1, 7, 1 << 40, most] {
            for random in [0, 1, 1 << 63, u64::MAX] {
                assert_eq!(part_of(total, random), (u128::from(random) * total) >> 64);
            }
        }
        assert_eq!(part_of(600 * most, 1 << 63), 300 * most);
        assert!(part_of(600 * most, u64::MAX) < 600 * most);
    }

    #[test]
    fn the_largest_counts_are_equally_likely() {
        let moves = ["7g7f", "2g2f", "6g6f"].map(|mv| {
            let mv = usi::parse_move(mv).unwrap();
            BookMove { mv, reply: None, score: Some(0), depth: Some(0), count: u64::MAX }
        });
        let rules = BookRules::default();
        let mut times = [0; 3];
        for seed in 0..3000 {
            let chosen = rules.choose(&moves, seed).unwrap();
            times[moves.iter().position(|it| it.mv == chosen.mv).unwrap()] += 1;
        }
        assert!(times.iter().all(|times| (900..1100).contains(times)), "{times:?}");
    }
}
