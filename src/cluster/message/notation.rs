//! Scores and positions in the notation of USI, and entries of tables as text.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

use super::fault::MessageError;
use kyomi_engine::search::{MOST_OFFERED, SharedEntry};
use kyomi_shogi::{Game, Score, notation::usi};

/// A score in USI notation, as after the word `score`.
pub(in crate::cluster) fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("cp {value}"),
        Score::Win(Some(plies)) => format!("mate {plies}"),
        Score::Win(None) => "mate +".to_owned(),
        Score::Loss(Some(plies)) => format!("mate -{plies}"),
        Score::Loss(None) => "mate -".to_owned(),
    }
}

/// Parses the output of [`score_text`]. Accepts up to [`LARGEST_CP`] centipawns and mates of up to 2,000 plies.
pub(super) fn parse_score(text: &str) -> Option<Score> {
    let plies = |text: &str| text.parse().ok().filter(|plies| *plies <= 2000);
    match text.split_once(' ')? {
        ("cp", value) => {
            let value: i32 = value.parse().ok()?;
            (value.unsigned_abs() <= LARGEST_CP).then_some(Score::Cp(value))
        }
        ("mate", "+") => Some(Score::Win(None)),
        ("mate", "-") => Some(Score::Loss(None)),
        ("mate", value) => match value.strip_prefix('-') {
            Some(value) => Some(Score::Loss(Some(plies(value)?))),
            None => Some(Score::Win(Some(plies(value)?))),
        },
        _ => None,
    }
}

/// Entries of a transposition table as text: their bytes in base 64.
pub(in crate::cluster) fn entries_text(entries: &[SharedEntry]) -> String {
    let bytes: Vec<u8> = entries.iter().take(MOST_OFFERED).flat_map(|it| it.to_bytes()).collect();
    STANDARD_NO_PAD.encode(bytes)
}

/// Parses the output of [`entries_text`]: at most [`MOST_OFFERED`] entries, each one that a search offers.
pub(in crate::cluster) fn entries_of(text: &str) -> Result<Vec<SharedEntry>, MessageError> {
    let wrong = || MessageError::field("entries", text);
    if text.len() > MOST_OFFERED * SharedEntry::BYTES * 2 {
        return Err(wrong());
    }
    let bytes = STANDARD_NO_PAD.decode(text).map_err(|_| wrong())?;
    let (entries, rest) = bytes.as_chunks();
    if !rest.is_empty() || entries.len() > MOST_OFFERED {
        return Err(wrong());
    }
    entries.iter().map(|bytes| SharedEntry::from_bytes(*bytes).ok_or_else(wrong)).collect()
}

/// Parses the part of a USI `position` command after the word `position`.
pub(in crate::cluster) fn game_of(position: &str) -> Result<Game, MessageError> {
    let wrong = |reason: String| MessageError::field("position", reason);
    let game = usi::parse_position_line(&format!("position {position}"))
        .map_err(|error| wrong(error.to_string()))?;
    if !fits(&game) {
        return Err(wrong(format!("{} moves", game.len())));
    }
    Ok(game)
}

/// Whether a message may hold this game.
pub(in crate::cluster) fn fits(game: &Game) -> bool {
    game.len() <= MOST_MOVES
}

/// The part of a USI `position` command after the word `position`, for this game.
pub(in crate::cluster) fn position_of(game: &Game) -> String {
    usi::format_line(game.start(), game.moves().iter().copied())
}

/// The largest score other than a mate, in centipawns.
const LARGEST_CP: u32 = 32_000;
/// The largest number of moves in a game. A game may be longer; its owner then plays without workers.
const MOST_MOVES: usize = 4096;
