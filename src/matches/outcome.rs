//! The data of a finished game: one line of `results.jsonl`.
//!
//! Who has won is decided by `referee.rs` and, for ends on the board, by [`kyomi_shogi::Adjudicator`]; `pair_job.rs`
//! checks the same for games of workers.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::players::HelpCounts;
use kyomi_shogi::{Color, EndReason, Winner};

/// A finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Its number in the schedule, from 1.
    pub game: usize,
    /// The number of the opening in the order of play, from 1.
    pub opening: usize,
    /// The name of the player with black.
    pub black: String,
    /// The name of the player with white.
    pub white: String,
    /// The result.
    #[serde(with = "winner_word")]
    pub result: Winner,
    /// How it ended.
    pub end: MatchEnd,
    /// The end in words, with an explanation.
    pub words: String,
    /// The number of moves of the game, including those of the opening.
    pub plies: usize,
    /// The number of moves of the opening.
    pub opening_plies: usize,
    /// The start time, in local time.
    pub began: String,
    /// The time the players took to prepare, in microseconds.
    pub preparing_us: u64,
    /// The time from the start of the preparation to the end of the game, in microseconds.
    pub wall_us: u64,
    /// The number of moves pondered on by black and by white.
    pub ponders: [u32; 2],
    /// The number of ponder hits of black and of white.
    pub ponder_hits: [u32; 2],
    /// What the workers of black and of white did; absent if there were none, and in games of older versions.
    #[serde(default, skip_serializing_if = "is_without_help")]
    pub help: [Option<HelpCounts>; 2],
    /// The path of the record in the folder of the match.
    pub record: String,
    /// All turns, including the one that ended the game.
    pub turns: Vec<Turn>,
}

impl PlayedGame {
    /// Checks the lengths of a game that was read from a file: reports count games by them.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { plies, opening_plies, .. } = self;
        if *plies > LONGEST_GAME {
            return Err(format!("plies {plies}: no game is longer than {LONGEST_GAME}"));
        }
        if opening_plies > plies {
            return Err(format!("opening_plies {opening_plies}: the game has {plies} plies"));
        }
        Ok(())
    }
}

/// The length of the longest game, in plies, as in the number of a position's move.
const LONGEST_GAME: usize = u16::MAX as usize;

fn is_without_help(help: &[Option<HelpCounts>; 2]) -> bool {
    help.iter().all(Option::is_none)
}

/// The number of half points of black: 2, 1 or 0.
pub(super) fn half_points_of_black(winner: Winner) -> u8 {
    match winner {
        Winner::Side(Color::Black) => 2,
        Winner::Draw => 1,
        Winner::Side(Color::White) => 0,
    }
}

/// The ends that a match can have, with their words in files.
const REASON_WORDS: [(EndReason, &str); 13] = [
    (EndReason::Mate, "mate"),
    (EndReason::Resignation, "resignation"),
    (EndReason::Declaration, "declaration"),
    (EndReason::Try, "try"),
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

/// The reason for the end of a game of a match. In files it is one of the words above.
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
        let unknown =
            || D::Error::custom(format!("\"{word:.40}\" is not an end of a game of a match"));
        known.map(Self).ok_or_else(unknown)
    }
}

/// Reads and writes winners in files: `black`, `white`, `draw`.
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
            _ => Err(D::Error::custom(format!("\"{word:.40}\" is not a result of a game"))),
        }
    }
}

/// One turn: the clock, the times of request and answer, and the answer.
///
/// The time between `sent_us` and `received_us` is the player's. The time between the `received_us` of one turn and the
/// `sent_us` of the next is overhead of the match program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// `b` or `w`.
    pub side: char,
    /// The move in USI, `resign`, `win`, or empty when there was no answer.
    pub answer: String,
    /// The main time left before the turn, in milliseconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// The time of the request, in microseconds from the start of the game.
    pub sent_us: u64,
    /// The time of the answer, likewise; without an answer, the time when the referee stopped waiting.
    pub received_us: u64,
    /// The time charged, in milliseconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
    /// The time over the limit, in microseconds; absent if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_us: Option<u64>,
    /// The player's score in centipawns from the view of the side to move, a mate as ±(32000 − plies).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// The depth reached, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The number of nodes, as reported by the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl Turn {
    /// The time the player took, in microseconds.
    pub const fn took_us(&self) -> u64 {
        self.received_us.saturating_sub(self.sent_us)
    }
}
