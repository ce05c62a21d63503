//! Scores as integers that sort as scores do.

use kyomi_shogi::Score;

/// The integer of a score from black's side: centipawns; a million for a win of unknown length, two million less the
/// plies for one of known length; losses are negative.
pub(super) fn to_integer(score: Score) -> i64 {
    let win = |plies: Option<u32>| match plies {
        Some(plies) => 2 * MATE - i64::from(plies).min(MATE - 1),
        None => MATE,
    };
    match score {
        Score::Cp(cp) => i64::from(cp).clamp(1 - MATE, MATE - 1),
        Score::Win(plies) => win(plies),
        Score::Loss(plies) => -win(plies),
    }
}

/// The score of such an integer.
pub(super) fn from_integer(number: i64) -> Score {
    let plies = |size: i64| u32::try_from(2 * MATE - size).ok().filter(|_| size > MATE);
    match number {
        MATE.. => Score::Win(plies(number)),
        ..=NEGATIVE => Score::Loss(plies(number.saturating_neg())),
        cp => Score::Cp(cp as i32),
    }
}

const MATE: i64 = 1_000_000;
const NEGATIVE: i64 = -MATE;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_sort_and_read_as_they_were_written() {
        let scores = [
            Score::Loss(Some(1)),
            Score::Loss(Some(90)),
            Score::Loss(None),
            Score::Cp(-32_000),
            Score::Cp(0),
            Score::Cp(29_000),
            Score::Win(None),
            Score::Win(Some(7)),
            Score::Win(Some(0)),
        ];
        let numbers = scores.map(to_integer);
        assert!(numbers.is_sorted());
        assert_eq!(numbers.map(from_integer), scores);
        // No game has such a score, but a file may.
        assert_eq!(from_integer(i64::MIN), Score::Loss(None));
        assert_eq!(from_integer(i64::MAX), Score::Win(None));
    }
}
