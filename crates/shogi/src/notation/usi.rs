//! USI: moves (`7g7f`, `8h2b+`, `P*5e`) and `position` lines.

use std::fmt::Write as _;

use super::clip;
use super::sfen::{self, Field, Fields, SfenError};
pub use crate::moves::UsiMoveError;
use crate::{Game, Move, Position};

/// Why a `position` line is not a game. Columns are in characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsiError {
    /// `startpos`, `sfen` or `moves` is missing.
    #[error("column {column}: expected {expected}, found '{found}'")]
    Expected {
        /// What is expected.
        expected: &'static str,
        /// The text found there; empty at the end of the line.
        found: String,
        /// Where it begins.
        column: usize,
    },
    /// The position is not valid. Columns are those of the line.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A word is not a move.
    #[error("column {column}, move {number}: {source}")]
    Move {
        /// What is wrong.
        source: UsiMoveError,
        /// The number of the move in the line, from 1.
        number: usize,
        /// Where it begins.
        column: usize,
    },
    /// A move is not legal.
    #[error("column {column}, move {number}: {mv} is not legal")]
    Illegal {
        /// The move.
        mv: Move,
        /// The number of the move in the line, from 1.
        number: usize,
        /// Where it begins.
        column: usize,
    },
}

/// Parses a move, in the same way as [`Move::from_str`](std::str::FromStr::from_str).
///
/// # Errors
/// If the text does not have the form of a move. Legality is not checked.
pub fn parse_move(text: &str) -> Result<Move, UsiMoveError> {
    text.parse()
}

/// Parses `position startpos moves ...` or `position sfen ... moves ...`. The words `position` and `sfen` and the moves
/// may be missing.
///
/// ```
/// # use kyomi_shogi::notation::usi;
/// let game = usi::parse_position_line("position startpos moves 7g7f 3c3d").unwrap();
/// assert_eq!(game.len(), 2);
/// assert_eq!(usi::format_position_line(&game), "position startpos moves 7g7f 3c3d");
/// ```
///
/// # Errors
/// The column of the word that is not valid, or of the first move after [`Game::MAX_PLIES`].
pub fn parse_position_line(line: &str) -> Result<Game, UsiError> {
    let (start, moves) = parse_start(line)?;
    let mut game = Game::new(start);
    for placed in moves {
        let PlacedMove { mv, number, column } = placed?;
        if number > Game::MAX_PLIES {
            const { assert!(Game::MAX_PLIES == 10_000) };
            let expected = "no more than 10000 moves";
            return Err(UsiError::Expected { expected, found: mv.to_string(), column });
        }
        game.push(mv).map_err(|_| UsiError::Illegal { mv, number, column })?;
    }
    Ok(game)
}

/// Parses a `position` line up to its moves. The moves are parsed one by one by the returned iterator, for callers that
/// keep the moves before a fault.
///
/// # Errors
/// The column of the word that is not valid.
pub fn parse_start(line: &str) -> Result<(Position, PlacedMoves<'_>), UsiError> {
    let mut fields = Fields::new(line);
    fields.next_if(|word| word == "position");
    let start = if fields.next_if(|word| word == "startpos").is_some() {
        Position::startpos()
    } else if fields.next_if(|word| word == "sfen").is_some() || fields.is_next(is_board) {
        sfen::parse_fields(&mut fields)?
    } else {
        return Err(expected("startpos or sfen", fields.next(), line));
    };
    match fields.next() {
        Some(field) if field.text != "moves" => Err(expected("moves", Some(field), line)),
        _ => Ok((start, PlacedMoves { fields, number: 0 })),
    }
}

/// Whether a word can only be the board of an SFEN.
fn is_board(word: &str) -> bool {
    word.contains('/')
}

fn expected(expected: &'static str, found: Option<Field<'_>>, line: &str) -> UsiError {
    match found {
        Some(field) => {
            UsiError::Expected { expected, found: clip(field.text), column: field.column }
        }
        None => {
            UsiError::Expected { expected, found: String::new(), column: line.chars().count() + 1 }
        }
    }
}

/// A move of a line with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedMove {
    /// The move, well formed but perhaps not legal.
    pub mv: Move,
    /// The number of the move in the line, from 1.
    pub number: usize,
    /// Where it begins, in characters from 1.
    pub column: usize,
}

/// The moves of a line, parsed one at a time. Legality is not checked.
#[derive(Clone, Debug)]
pub struct PlacedMoves<'a> {
    fields: Fields<'a>,
    number: usize,
}

impl Iterator for PlacedMoves<'_> {
    type Item = Result<PlacedMove, UsiError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Field { text, column } = self.fields.next()?;
        self.number += 1;
        let number = self.number;
        Some(match parse_move(text) {
            Ok(mv) => Ok(PlacedMove { mv, number, column }),
            Err(source) => Err(UsiError::Move { source, number, column }),
        })
    }
}

/// The `position` line of a game, with all its moves.
pub fn format_position_line(game: &Game) -> String {
    format!("position {}", format_line(game.start(), game.moves().iter().copied()))
}

/// A start position and moves as in a `position` line, without the word `position`: `startpos moves 7g7f 3c3d`.
pub fn format_line(start: &Position, moves: impl IntoIterator<Item = Move>) -> String {
    let mut line = if *start == Position::startpos() {
        "startpos".to_owned()
    } else {
        format!("sfen {}", start.to_sfen())
    };
    for (mv, number) in moves.into_iter().zip(0..) {
        line.push_str(if number == 0 { " moves " } else { " " });
        let _ = write!(line, "{mv}");
    }
    line
}

#[cfg(test)]
mod tests;
