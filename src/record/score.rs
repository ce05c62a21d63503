//! Scores as text formats write them: centipawns from black's side, a forced mate as a number beyond the range.

use crate::shogi::{Color, Score};

/// Scores of this size and beyond, either way, are forced mates (CSA 3.0).
pub(super) const MATE: i64 = 30_000;

/// The score, from black's side, of a mate that `winner` gives in `plies`.
pub(super) const fn mate(winner: Color, plies: Option<u32>) -> Score {
    match winner {
        Color::Black => Score::Win(plies),
        Color::White => Score::Loss(plies),
    }
}

/// The score of a written number. The length of a mate is not part of the number.
pub(super) fn from_number(number: i64) -> Score {
    match i32::try_from(number) {
        Ok(cp) if number.saturating_abs() < MATE => Score::Cp(cp),
        _ if number < 0 => Score::Loss(None),
        _ => Score::Win(None),
    }
}

/// The number that [`from_number`] reads as this score, without the length of a mate. Centipawns beyond the
/// range become the largest of it.
pub(super) fn to_number(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => i64::from(cp).clamp(1 - MATE, MATE - 1),
        Score::Win(_) => MATE,
        Score::Loss(_) => -MATE,
    }
}
