//! The data of a finished game: one line of `results.jsonl`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::shogi::{Color, EndReason, Winner};

/// A finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Its number in the schedule, from 1.
    pub game: usize,
    /// Number of the opening in the order in which they are played, from 1.
    pub opening: usize,
    /// Name of the player with black.
    pub black: String,
    /// Name of the player with white.
    pub white: String,
    /// Who won.
    #[serde(with = "winner_word")]
    pub result: Winner,
    /// How it ended.
    pub end: MatchEnd,
    /// The end in words, with an explanation.
    pub words: String,
    /// Moves of the game, those of the opening included.
    pub plies: usize,
    /// Moves of the opening.
    pub opening_plies: usize,
    /// When it began, in local time.
    pub began: String,
    /// How long the players took to prepare, in microseconds.
    pub preparing_us: u64,
    /// From the beginning of that to the end of the game, in microseconds.
    pub wall_us: u64,
    /// Moves pondered on by black and by white.
    pub ponders: [u32; 2],
    /// Number of ponder hits of black and of white.
    pub ponder_hits: [u32; 2],
    /// The record of the game, from the folder of the match.
    pub record: String,
    /// Every turn, the one that ended the game included.
    pub turns: Vec<Turn>,
}

/// Half points of black: 2, 1 or 0.
pub(super) fn half_points_of_black(winner: Winner) -> u8 {
    match winner {
        Winner::Side(Color::Black) => 2,
        Winner::Draw => 1,
        Winner::Side(Color::White) => 0,
    }
}

/// The ends that a match can have, with their words in files.
const REASON_WORDS: [(EndReason, &str); 12] = [
    (EndReason::Mate, "mate"),
    (EndReason::Resignation, "resignation"),
    (EndReason::Declaration, "declaration"),
    (EndReason::Sennichite, "repetition"),
    (EndReason::PerpetualCheck, "perpetual_check"),
    (EndReason::MaxMoves, "max_moves"),
    (EndReason::AgreedWin, "agreed_win"),
    (EndReason::AgreedDraw, "agreed_draw"),
    (EndReason::TimeUp, "time_loss"),
    (EndReason::IllegalMove, "illegal_move"),
    (EndReason::WrongDeclaration, "illegal_declaration"),
    (EndReason::Crash, "crash"),
];

/// Why a game of a match ended; in files a word of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchEnd(pub EndReason);

impl Serialize for MatchEnd {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let known = REASON_WORDS.iter().find(|(end, _)| *end == self.0);
        match known {
            Some((_, word)) => to.serialize_str(word),
            None => to.serialize_str(&self.0.words()),
        }
    }
}

impl<'a> Deserialize<'a> for MatchEnd {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        let known = REASON_WORDS.into_iter().find_map(|(end, name)| (name == word).then_some(end));
        let unknown = || D::Error::custom(format!("\"{word}\" is no end of a game of a match"));
        known.map(Self).ok_or_else(unknown)
    }
}

/// Winners in files: `black`, `white`, `draw`.
pub(super) mod winner_word {
    use super::{Color, Deserialize, Deserializer, Error, Serializer, Winner};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(winner: &Winner, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&winner.to_string())
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Winner, D::Error> {
        let word = String::deserialize(from)?;
        match word.as_str() {
            "black" => Ok(Winner::Side(Color::Black)),
            "white" => Ok(Winner::Side(Color::White)),
            "draw" => Ok(Winner::Draw),
            _ => Err(D::Error::custom(format!("\"{word}\" is no result of a game"))),
        }
    }
}

/// One turn: the clock, when the player was asked, when its answer arrived, and the answer.
///
/// The time between `sent_us` and `received_us` is the player's; the time between the `received_us` of one turn and
/// the `sent_us` of the next is the runner's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// `b` or `w`.
    pub side: char,
    /// The move in USI, `resign`, `win`, or empty when there was no answer.
    pub answer: String,
    /// Main time left before the turn, in milliseconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// When it was asked, in microseconds from the beginning of the game.
    pub sent_us: u64,
    /// When its answer arrived, likewise; for a turn without an answer, when the referee stopped waiting.
    pub received_us: u64,
    /// The time charged, in milliseconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
    /// The time over the limit, in microseconds; absent if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_us: Option<u64>,
    /// Its score in centipawns for the side to move, a mate as ±(32000 − plies).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// Depth it reached, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Number of positions searched, as reported by the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl Turn {
    /// How long the player took, in microseconds.
    pub const fn took_us(&self) -> u64 {
        self.received_us.saturating_sub(self.sent_us)
    }
}
