//! The offer of a game: `BEGIN Game_Summary` to `END Game_Summary`.
//!
//! Keys may come in any order, so all lines are collected first and interpreted at the end, including the units of
//! numbers. Unknown keys and sections are kept. A required value that is missing, contradictory or not playable is a
//! [`SummaryError`], which the session answers with `REJECT`. A value that has a default in the protocol, or follows
//! from the position, is a [`SummaryWarning`], and the game is played.
//! Source: CSA server protocol 1.2.1, `Game_Summary`.

mod reader;
mod time;

use std::fmt;

use crate::clock::{Controls, TimeControl};
use crate::shogi::notation::csa::{self, CsaMoveError, CsaPositionError, sign};
use crate::shogi::{Color, Game, Move, Position, Unplayable};

use super::codec::clip;
use super::message::WireTime;

pub use reader::{ReadOptions, SummaryReader};

/// A move that the offer already contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetupMove {
    /// The move.
    pub mv: Move,
    /// The time written with it. The reference server writes `T1` with each move and does not charge it.
    pub spent: Option<WireTime>,
}

/// An offer of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSummary {
    /// `Protocol_Version`
    pub protocol_version: Option<String>,
    /// `Protocol_Mode`: `Server` or `Direct`.
    pub protocol_mode: Option<String>,
    /// `Format`: `Shogi 1.0`.
    pub format: Option<String>,
    /// `Declaration`: `Jishogi 1.1`; without it a win cannot be declared.
    pub declaration: Option<String>,
    /// `Game_ID`; untrusted, never used as a path.
    pub game_id: String,
    /// `Name+` and `Name-`, `[color]`.
    pub names: [String; 2],
    /// `Your_Turn`
    pub your_turn: Color,
    /// `Rematch_On_Draw`
    pub rematch_on_draw: Option<bool>,
    /// `Max_Moves`, including the moves of the offer; `None` without a limit (sent as `0`).
    pub max_moves: Option<u32>,
    /// The clocks.
    pub times: Controls,
    /// The position before the moves of the offer.
    pub start: Position,
    /// The moves already made.
    pub moves: Vec<SetupMove>,
    /// `Entering_King_Rule` (rshogi): a value of the USI option.
    pub entering_king_rule: Option<String>,
    /// `Reconnect_Token` (rshogi).
    pub reconnect_token: Option<String>,
    /// Unknown keys in order, then the lines of unknown sections with the section as key.
    pub other: Vec<(String, String)>,
}

impl GameSummary {
    /// An offer of an even game from the standard start position with default values.
    pub fn new(
        game_id: impl Into<String>,
        black: impl Into<String>,
        white: impl Into<String>,
    ) -> Self {
        Self {
            protocol_version: Some("1.2".to_owned()),
            protocol_mode: Some("Server".to_owned()),
            format: Some("Shogi 1.0".to_owned()),
            declaration: Some("Jishogi 1.1".to_owned()),
            game_id: game_id.into(),
            names: [black.into(), white.into()],
            your_turn: Color::Black,
            rematch_on_draw: Some(false),
            max_moves: None,
            times: Controls::default(),
            start: Position::startpos(),
            moves: Vec::new(),
            entering_king_rule: None,
            reconnect_token: None,
            other: Vec::new(),
        }
    }

    /// The name of a player.
    pub fn name(&self, color: Color) -> &str {
        &self.names[color.index()]
    }

    /// The time control of a player.
    pub fn time(&self, color: Color) -> &TimeControl {
        self.times.of(color)
    }

    /// The game after the moves of the offer.
    ///
    /// # Errors
    /// The number of the first illegal move, starting at 1. Never occurs for a parsed offer.
    pub fn game(&self) -> Result<Game, usize> {
        let mut game = Game::new(self.start.clone());
        for (index, setup) in self.moves.iter().enumerate() {
            game.push(setup.mv).map_err(|_| index + 1)?;
        }
        Ok(game)
    }

    /// The side to move after the moves of the offer: `To_Move`.
    pub fn to_move(&self) -> Color {
        let start = self.start.side_to_move();
        if self.moves.len().is_multiple_of(2) { start } else { !start }
    }

    /// Whether a win can be declared by the 27-point rule.
    pub fn has_declaration(&self) -> bool {
        self.declaration.as_deref().is_some_and(|rule| rule.starts_with("Jishogi"))
    }

    /// Parses an offer from its lines, with or without `BEGIN Game_Summary` and `END Game_Summary`.
    ///
    /// # Errors
    /// See [`SummaryError`].
    pub fn parse<'a>(
        lines: impl IntoIterator<Item = &'a str>,
        options: ReadOptions,
    ) -> Result<Self, SummaryError> {
        let mut reader = SummaryReader::new(options);
        for line in lines {
            if line == "BEGIN Game_Summary" {
                continue;
            }
            if let Some(result) = reader.push(line) {
                return result;
            }
        }
        reader.push("END Game_Summary").unwrap_or(Err(SummaryError::Unfinished))
    }

    /// The lines of the offer from `BEGIN Game_Summary` to `END Game_Summary`. Entries of [`GameSummary::other`]
    /// that would be read as something else are left out.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = vec!["BEGIN Game_Summary".to_owned()];
        let mut key = |name: &str, value: &dyn fmt::Display| lines.push(format!("{name}:{value}"));
        let mut optional = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                key(name, value);
            }
        };
        optional("Protocol_Version", &self.protocol_version);
        optional("Protocol_Mode", &self.protocol_mode);
        optional("Format", &self.format);
        optional("Declaration", &self.declaration);
        key("Game_ID", &self.game_id);
        key("Name+", &self.names[0]);
        key("Name-", &self.names[1]);
        key("Your_Turn", &sign(self.your_turn));
        if let Some(rematch) = self.rematch_on_draw {
            key("Rematch_On_Draw", &if rematch { "YES" } else { "NO" });
        }
        key("To_Move", &sign(self.to_move()));
        if let Some(max_moves) = self.max_moves {
            key("Max_Moves", &max_moves);
        }
        if let Some(rule) = &self.entering_king_rule {
            key("Entering_King_Rule", rule);
        }
        if let Some(token) = &self.reconnect_token {
            key("Reconnect_Token", token);
        }
        for (name, value) in self.other.iter().filter(|(name, _)| reader::is_other_key(name)) {
            key(name, value);
        }
        if self.times.are_equal() {
            time::format("Time", &self.times.black, &mut lines);
        } else {
            time::format("Time+", &self.times.black, &mut lines);
            time::format("Time-", &self.times.white, &mut lines);
        }
        self.format_position(&mut lines);
        lines.push("END Game_Summary".to_owned());
        lines
    }

    fn format_position(&self, lines: &mut Vec<String>) {
        lines.push("BEGIN Position".to_owned());
        let block = csa::format_position(&self.start);
        // The lines of the hands are written even when they are empty, as by every known server.
        let (mut hands, mut side) = (["P+", "P-"], sign(self.start.side_to_move()).to_string());
        for line in block.lines() {
            match line.as_bytes() {
                [b'P', b'+', ..] => hands[0] = line,
                [b'P', b'-', ..] => hands[1] = line,
                [b'P', ..] => lines.push(line.to_owned()),
                _ => line.clone_into(&mut side),
            }
        }
        lines.extend(hands.map(str::to_owned));
        lines.push(side);
        let mut game = Game::new(self.start.clone());
        for setup in &self.moves {
            let word = csa::format_move(game.position(), setup.mv);
            if game.push(setup.mv).is_err() {
                break;
            }
            lines
                .push(setup.spent.map_or_else(|| word.clone(), |spent| format!("{word},T{spent}")));
        }
        lines.push("END Position".to_owned());
    }
}

/// Why an offer cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummaryError {
    /// It has too many lines or too many bytes.
    #[error("the offer is too long")]
    TooLong,
    /// It did not end before the next one began or the time limit passed.
    #[error("the offer was never finished")]
    Unfinished,
    /// A required key or section is missing.
    #[error("the offer has no {0}")]
    Missing(&'static str),
    /// A value is not valid for its key.
    #[error("the offer says {key}:{value}")]
    BadValue {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// The position cannot be read.
    #[error("the offer's position: {0}")]
    Position(#[from] CsaPositionError),
    /// The position can be read but not played.
    #[error("the offer's position cannot be played: {0}")]
    Unplayable(#[from] Unplayable),
    /// A move of the offer cannot be parsed.
    #[error("the offer's move {number}: {source}")]
    SetupMove {
        /// Its number, starting at 1.
        number: usize,
        /// Why it cannot be parsed.
        source: CsaMoveError,
    },
    /// A move of the offer is illegal.
    #[error("the offer's move {number}, {word}, is not legal")]
    IllegalSetupMove {
        /// Its number, starting at 1.
        number: usize,
        /// The move as written.
        word: String,
    },
    /// The side to move is not given.
    #[error("the offer has no To_Move, and its position neither a turn line nor moves")]
    NoSide,
    /// `To_Move` contradicts the position and its moves.
    #[error("the offer says To_Move:{stated}, but after its moves it is the other side's turn")]
    ToMove {
        /// The stated sign.
        stated: char,
    },
}

impl SummaryError {
    /// The error for a value that is not valid for the key.
    fn bad_value(key: &str, value: &str) -> Self {
        Self::BadValue { key: key.to_owned(), value: clip(value) }
    }
}

/// An irregularity of an offer that can still be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummaryWarning {
    /// No `To_Move`.
    #[error("the offer has no To_Move; by its position it is {side}'s turn, playing on that")]
    NoToMove {
        /// The side to move after the moves of the offer.
        side: Color,
    },
    /// `Max_Moves` is not a number of moves.
    #[error(
        "the offer says Max_Moves:{value}, which is no number of moves; playing without a limit"
    )]
    MaxMoves {
        /// The value.
        value: String,
    },
    /// `Rematch_On_Draw` is neither `YES` nor `NO`.
    #[error("the offer says Rematch_On_Draw:{value}; expected YES or NO, taking it as NO")]
    RematchOnDraw {
        /// The value.
        value: String,
    },
}

#[cfg(test)]
mod tests;
