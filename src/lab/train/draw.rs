//! Positions of games, drawn at random: those to fit to, and those of other games to judge the fit by.

use crate::shogi::{Move, Position, Square};

use super::{GamesError, TrainingGame};

/// A position of a game.
#[derive(Debug)]
pub(crate) struct Drawn<'a> {
    /// The position.
    pub(crate) position: &'a Position,
    /// Moves of the game before it.
    pub(crate) ply: usize,
    /// What was played there.
    pub(crate) played: Move,
    /// Where the move before went.
    pub(crate) last_to: Option<Square>,
    /// The own move before that gave check.
    pub(crate) checked_before: bool,
    /// Whether its game belongs to the test set.
    pub(crate) judges: bool,
    /// The rating of the player to move, if the table has it.
    pub(crate) rating: Option<u32>,
}

#[cfg(test)]
impl<'a> Drawn<'a> {
    /// A position of which nothing is known but what was played.
    pub(crate) const fn new(position: &'a Position, played: Move) -> Self {
        let (last_to, rating) = (None, None);
        Self { position, ply: 0, played, last_to, checked_before: false, judges: false, rating }
    }
}

/// Passes one position in a given number, of all games including their openings, to `visit`; which ones follows from the seed and the line of the
/// game. One game in ten is in the test set. `visit` returns whether to continue. Returns the number of games.
///
/// # Errors
/// The first game that cannot be read.
pub(crate) fn draw(
    games: impl Iterator<Item = Result<TrainingGame, GamesError>>,
    one_in: u32,
    seed: u64,
    mut visit: impl FnMut(&Drawn<'_>) -> bool,
) -> Result<usize, GamesError> {
    let mut count = 0;
    for game in games {
        let game = game?;
        count += 1;
        let mut random = fastrand::Rng::with_seed(seed ^ ((game.line as u64) << 20));
        let judges = random.u8(..10) == 0;
        let mut last_to = None;
        // Whether the positions one and two plies before were in check.
        let mut checked = [false; 2];
        let mut goes_on = true;
        game.replay(|position, ply, played| {
            let in_check = position.in_check();
            if goes_on && random.u32(..one_in.max(1)) == 0 {
                let checked_before = checked[0];
                goes_on = visit(&Drawn {
                    position,
                    ply,
                    played,
                    last_to,
                    checked_before,
                    judges,
                    rating: game.rating(position.side_to_move()),
                });
            }
            last_to = Some(played.to());
            checked = [in_check, checked[0]];
        });
        if !goes_on {
            break;
        }
    }
    Ok(count)
}

/// The place of a move among all, from 1, by these values; of equals it comes in the middle.
pub(super) fn rank(values: &[f64], at: usize) -> usize {
    let own = values[at];
    let before = values.iter().filter(|value| **value > own).count();
    let equals = values.iter().filter(|value| (**value - own).abs() < 1e-9).count();
    before + equals.div_ceil(2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::train::Games;
    use std::{io::Cursor, path::Path};

    fn games() -> impl Iterator<Item = Result<TrainingGame, GamesError>> {
        let mut table = String::from("#moves\tresult\n");
        for _ in 0..60 {
            // White's king is in check after the third move.
            table += "startpos moves 7g7f 5c5d 8h3c+ 5a5b 3c4b 5b4b\t1-0\n";
        }
        Games::new(Path::new("x"), Cursor::new(table.into_bytes())).unwrap()
    }

    #[test]
    fn one_position_in_so_many_and_one_game_in_ten_to_judge() {
        let mut seen = Vec::new();
        let count = draw(games(), 1, 1, |drawn| {
            seen.push((drawn.last_to, drawn.checked_before, drawn.judges));
            true
        });
        assert_eq!((count.unwrap(), seen.len()), (60, 360));
        assert_eq!(seen[0].0, None);
        assert_eq!(seen[1].0, Square::new(7, 6));
        let checked: Vec<bool> = seen[..6].iter().map(|seen| seen.1).collect();
        assert_eq!(checked, [false, false, false, false, true, false]);
        let judging = seen.iter().filter(|seen| seen.2).count();
        assert!(judging.is_multiple_of(6) && (6..120).contains(&judging), "{judging}");
        let (mut some, mut again) = (0, 0);
        draw(games(), 5, 1, |_| {
            some += 1;
            true
        })
        .unwrap();
        draw(games(), 5, 1, |_| {
            again += 1;
            true
        })
        .unwrap();
        assert!(some == again && (40..110).contains(&some), "{some}");
        let mut few = 0;
        draw(games(), 1, 1, |_| {
            few += 1;
            few < 10
        })
        .unwrap();
        assert_eq!(few, 10);
    }

    #[test]
    fn equals_share_their_ranks() {
        assert_eq!(rank(&[1.0, 5.0, 3.0], 2), 2);
        assert_eq!(rank(&[1.0, 5.0, 3.0], 1), 1);
        assert_eq!(rank(&[2.0, 2.0, 2.0, 2.0, 2.0], 4), 3);
    }
}
