//! Scores as text formats write them: centipawns from black's side, a forced mate as a number beyond the range. And
//! scores in JSON, which are the same everywhere.

use serde_json::{Map, Value};

use kyomi_shogi::{Color, Score};

/// The keys of a score in JSON: `cp` in centipawns; or `mate` in plies, negative for the side that is mated and `null`
/// where the number is not known, and `wins`, whether the side mates.
///
/// ```
/// use kyomi_record::{score_fields, score_json};
/// use kyomi_shogi::Score;
/// assert_eq!(score_json(Some(Score::Loss(Some(4)))).to_string(), r#"{"mate":-4,"wins":false}"#);
/// assert_eq!(score_json(Some(Score::Win(None))).to_string(), r#"{"mate":null,"wins":true}"#);
/// assert_eq!(score_json(None).to_string(), "null");
/// assert_eq!(score_fields(Score::Cp(-35))["cp"], -35);
/// ```
pub fn score_fields(score: Score) -> Map<String, Value> {
    let mate = |plies: Option<u32>, wins: bool| {
        let plies = plies.map(|plies| if wins { i64::from(plies) } else { -i64::from(plies) });
        vec![("mate", Value::from(plies)), ("wins", Value::from(wins))]
    };
    let fields = match score {
        Score::Cp(cp) => vec![("cp", Value::from(cp))],
        Score::Win(plies) => mate(plies, true),
        Score::Loss(plies) => mate(plies, false),
    };
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A score in JSON: an object of [`score_fields`], `null` where there is none.
pub fn score_json(score: Option<Score>) -> Value {
    score.map_or(Value::Null, |score| Value::Object(score_fields(score)))
}

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
