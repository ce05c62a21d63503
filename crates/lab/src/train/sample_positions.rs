//! Positions of games, drawn at random, from games to fit to and from games of a test set.

use kyomi_shogi::{Move, Position, Square};

use super::{GamesError, TrainingGame};

/// A sampled position of a game.
#[derive(Debug)]
pub(crate) struct SampledPosition<'a> {
    /// The position.
    pub(crate) position: &'a Position,
    /// The number of moves of the game before it.
    pub(crate) ply: usize,
    /// The move played in it.
    pub(crate) played: Move,
    /// The destination of the move before.
    pub(crate) last_to: Option<Square>,
    /// Whether the player to move gave check with its last move, two plies before the sampled move.
    pub(crate) checked_before: bool,
    /// Whether its game belongs to the test set.
    pub(crate) in_test_set: bool,
    /// The rating of the player to move, if the table has it.
    pub(crate) rating: Option<u32>,
}

#[cfg(test)]
impl<'a> SampledPosition<'a> {
    /// A position of which only the played move is known.
    pub(crate) const fn new(position: &'a Position, played: Move) -> Self {
        let (last_to, rating) = (None, None);
        Self {
            position,
            ply: 0,
            played,
            last_to,
            checked_before: false,
            in_test_set: false,
            rating,
        }
    }
}

/// Passes about one in `one_in` positions of all games, openings included, to `visit`, which returns whether to
/// continue. The choice follows from the seed and the line of the game. One game in ten is in the test set, whatever
/// the seed. Returns the number of games read.
///
/// # Errors
/// A game cannot be read.
pub(crate) fn sample_positions(
    games: impl Iterator<Item = Result<TrainingGame, GamesError>>,
    one_in: u32,
    seed: u64,
    mut visit: impl FnMut(&SampledPosition<'_>) -> bool,
) -> Result<usize, GamesError> {
    let mut count = 0;
    for game in games {
        let game = game?;
        count += 1;
        let seeded = |seed: u64| fastrand::Rng::with_seed(seed ^ ((game.line as u64) << 20));
        let in_test_set = seeded(TEST_SET_SEED).u8(..10) == 0;
        let mut random = seeded(seed);
        // One number is skipped: with seed 1 it chose the test set. So each seed still draws the same positions.
        random.u8(..10);
        let mut last_to = None;
        // Whether the positions one and two plies before were in check.
        let mut checked = [false; 2];
        let mut continues = true;
        game.replay(|position, ply, played| {
            let in_check = position.in_check();
            if continues && random.u32(..one_in.max(1)) == 0 {
                let checked_before = checked[0];
                continues = visit(&SampledPosition {
                    position,
                    ply,
                    played,
                    last_to,
                    checked_before,
                    in_test_set,
                    rating: game.rating(position.side_to_move()),
                });
            }
            last_to = Some(played.to());
            checked = [in_check, checked[0]];
        });
        if !continues {
            break;
        }
    }
    Ok(count)
}

/// The seed of the test set.
const TEST_SET_SEED: u64 = 1;

/// The rank of the move at index `at` by these values, from 1, in the middle of the moves of equal value.
pub(super) fn rank(values: &[f64], at: usize) -> usize {
    let own = values[at];
    let before = values.iter().filter(|value| **value > own).count();
    let equals = values.iter().filter(|value| (**value - own).abs() < 1e-9).count();
    before + equals.div_ceil(2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Games;
    use std::io::Cursor;
    use std::path::Path;

    fn games() -> impl Iterator<Item = Result<TrainingGame, GamesError>> {
        let mut table = String::from("#moves\tresult\n");
        for _ in 0..60 {
            // White's king is in check after the third move.
            table += "startpos moves 7g7f 5c5d 8h3c+ 5a5b 3c4b 5b4b\t1-0\n";
        }
        Games::new(Path::new("x"), Cursor::new(table.into_bytes())).unwrap()
    }

    #[test]
    fn positions_are_drawn_and_one_game_in_ten_is_in_the_test_set() {
        let mut seen = Vec::new();
        let count = sample_positions(games(), 1, 1, |sampled| {
            seen.push((sampled.last_to, sampled.checked_before, sampled.in_test_set));
            true
        });
        assert_eq!((count.unwrap(), seen.len()), (60, 360));
        assert_eq!(seen[0].0, None);
        assert_eq!(seen[1].0, Square::new(7, 6));
        let checked: Vec<bool> = seen[..6].iter().map(|seen| seen.1).collect();
        assert_eq!(checked, [false, false, false, false, true, false]);
        let in_test_set = seen.iter().filter(|seen| seen.2).count();
        assert!(in_test_set.is_multiple_of(6) && (6..120).contains(&in_test_set), "{in_test_set}");
        let mut others = Vec::new();
        sample_positions(games(), 1, 2, |sampled| {
            others.push(sampled.in_test_set);
            true
        })
        .unwrap();
        assert!(others.iter().eq(seen.iter().map(|seen| &seen.2)), "another seed, the same games");
        let (mut some, mut again) = (0, 0);
        sample_positions(games(), 5, 1, |_| {
            some += 1;
            true
        })
        .unwrap();
        sample_positions(games(), 5, 1, |_| {
            again += 1;
            true
        })
        .unwrap();
        assert!(some == again && (40..110).contains(&some), "{some}");
        let mut few = 0;
        sample_positions(games(), 1, 1, |_| {
            few += 1;
            few < 10
        })
        .unwrap();
        assert_eq!(few, 10);
    }

    #[test]
    fn equal_moves_share_their_rank() {
        assert_eq!(rank(&[1.0, 5.0, 3.0], 2), 2);
        assert_eq!(rank(&[1.0, 5.0, 3.0], 1), 1);
        assert_eq!(rank(&[2.0, 2.0, 2.0, 2.0, 2.0], 4), 3);
    }
}
