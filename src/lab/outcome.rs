//! What is known of a finished game: one line of `results.jsonl`.

use serde::{Deserialize, Serialize};

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
    pub result: Outcome,
    /// How it ended.
    pub end: EndReason,
    /// The same in words, with all that explains it.
    pub words: String,
    /// Moves of the game, those of the opening included.
    pub plies: usize,
    /// Moves of the opening.
    pub opening_plies: usize,
    /// When it began, in local time.
    pub began: String,
    /// How long the players took to make themselves ready, in microseconds.
    pub preparing_us: u64,
    /// From the beginning of that to the end of the game, in microseconds.
    pub wall_us: u64,
    /// Moves pondered on by black and by white.
    pub ponders: [u32; 2],
    /// How many of them were played.
    pub ponder_hits: [u32; 2],
    /// The record of the game, from the folder of the match.
    pub record: String,
    /// Every turn, the one that ended the game included.
    pub turns: Vec<Turn>,
}

/// Who won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Black.
    Black,
    /// White.
    White,
    /// Nobody.
    Draw,
}

impl Outcome {
    /// Half points of black: 2, 1 or 0.
    pub const fn half_points_of_black(self) -> u8 {
        match self {
            Self::Black => 2,
            Self::Draw => 1,
            Self::White => 0,
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The side to move has no legal move.
    Mate,
    /// The side to move gave up.
    Resignation,
    /// The side to move declared a win and was right.
    Declaration,
    /// A position came up for the fourth time.
    Repetition,
    /// So it did, and one side had given nothing but check: it loses.
    PerpetualCheck,
    /// The last move allowed was made.
    MaxMoves,
    /// Both scores agreed on the winner.
    AgreedWin,
    /// Both scores agreed on nobody.
    AgreedDraw,
    /// The side to move took longer than the referee allows.
    TimeLoss,
    /// The side to move answered with a move that is none.
    IllegalMove,
    /// The side to move declared a win that was none.
    IllegalDeclaration,
    /// The side to move broke down.
    Crash,
}

impl EndReason {
    /// Whether the loser did not lose by its moves.
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::TimeLoss | Self::IllegalMove | Self::IllegalDeclaration | Self::Crash)
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::Resignation => "resignation",
            Self::Declaration => "declaration",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MaxMoves => "maximum moves",
            Self::AgreedWin => "win by agreed scores",
            Self::AgreedDraw => "draw by agreed scores",
            Self::TimeLoss => "time",
            Self::IllegalMove => "illegal move",
            Self::IllegalDeclaration => "illegal declaration",
            Self::Crash => "crash",
        }
    }
}

/// One turn: what the clock said, when the player was asked, when its answer came, what it was.
///
/// What lies between `sent_us` and `received_us` is the player's; what lies between one turn's `received_us` and the
/// next one's `sent_us` is the runner's.
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
    /// When its answer was there, likewise; for a turn without an answer when it was given up.
    pub received_us: u64,
    /// What the clock was charged, in milliseconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
    /// How much longer than allowed it took, in microseconds; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_us: Option<u64>,
    /// Its score in centipawns for the side to move, a mate as ±(32000 − plies).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// Depth it reached, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions it looked at, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl Turn {
    /// How long the player took, in microseconds.
    pub const fn took_us(&self) -> u64 {
        self.received_us.saturating_sub(self.sent_us)
    }
}
