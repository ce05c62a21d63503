//! USI: moves (`7g7f`, `8h2b+`, `P*5e`) and `position` lines.

use super::clip;
use super::sfen::{self, Fields, SfenError};
use crate::shogi::{Game, Move, PieceKind, Position, Square};

/// The text is no USI move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{token}' is no move; expected the form 7g7f, 8h2b+ or P*5e")]
pub struct UsiMoveError {
    /// What stands there.
    pub token: String,
}

/// Why a `position` line makes no game. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsiError {
    /// Neither `startpos` nor `sfen` nor `moves` where one must be.
    #[error("column {column}: expected {expected}, found '{found}'")]
    Expected {
        /// What would be right.
        expected: &'static str,
        /// What stands there; empty at the end of the line.
        found: String,
        /// Where it begins.
        column: usize,
    },
    /// The position cannot be read; columns are those of the line.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A word is no move.
    #[error("column {column}, move {number}: {source}")]
    Move {
        /// What is wrong.
        source: UsiMoveError,
        /// Which move of the line, from 1.
        number: usize,
        /// Where it begins.
        column: usize,
    },
    /// A move is not legal.
    #[error("column {column}, move {number}: {mv} is not legal")]
    Illegal {
        /// The move.
        mv: Move,
        /// Which move of the line, from 1.
        number: usize,
        /// Where it begins.
        column: usize,
    },
}

/// Reads a move.
///
/// # Errors
/// If the text has not the form of a move. Whether the move is legal anywhere is not asked.
pub fn parse_move(text: &str) -> Result<Move, UsiMoveError> {
    read_move(text.as_bytes()).ok_or_else(|| UsiMoveError { token: clip(text) })
}

fn read_move(bytes: &[u8]) -> Option<Move> {
    let square = |file: u8, rank: u8| {
        Square::new(file.checked_sub(b'0')?, rank.checked_sub(b'a')?.checked_add(1)?)
    };
    match *bytes {
        [letter, b'*', file, rank] => {
            let kind = b"PLNSGBR".iter().position(|&l| l == letter)?;
            Some(Move::drop(PieceKind::HAND[kind], square(file, rank)?))
        }
        [from_file, from_rank, to_file, to_rank, ref plus @ ..] => {
            let promote = match plus {
                b"" => false,
                b"+" => true,
                _ => return None,
            };
            let (from, to) = (square(from_file, from_rank)?, square(to_file, to_rank)?);
            (from != to).then(|| Move::normal(from, to, promote))
        }
        _ => None,
    }
}

/// Reads `position startpos moves ...` or `position sfen ... moves ...`; the word `position` may be missing, and so
/// may the moves.
///
/// ```
/// # use kyomi::shogi::notation::usi;
/// let game = usi::parse_position_line("position startpos moves 7g7f 3c3d").unwrap();
/// assert_eq!(game.len(), 2);
/// assert_eq!(usi::format_position_line(&game), "position startpos moves 7g7f 3c3d");
/// ```
///
/// # Errors
/// With the column of the word that is wrong.
pub fn parse_position_line(line: &str) -> Result<Game, UsiError> {
    let mut fields = Fields::new(line).peekable();
    fields.next_if(|field| field.text == "position");
    let expected = "startpos or sfen";
    let start = match fields.next() {
        Some(field) if field.text == "startpos" => Position::startpos(),
        Some(field) if field.text == "sfen" => {
            // Blanks keep the columns of the line.
            let mut text = " ".repeat(field.column + 3);
            while let Some(field) = fields.next_if(|field| field.text != "moves") {
                let gap = (field.column - 1).saturating_sub(text.chars().count());
                text.extend(std::iter::repeat_n(' ', gap));
                text.push_str(field.text);
            }
            sfen::parse(&text)?
        }
        Some(field) => {
            let (found, column) = (clip(field.text), field.column);
            return Err(UsiError::Expected { expected, found, column });
        }
        None => {
            let column = line.chars().count() + 1;
            return Err(UsiError::Expected { expected, found: String::new(), column });
        }
    };
    let mut game = Game::new(start);
    match fields.next() {
        None => return Ok(game),
        Some(field) if field.text == "moves" => {}
        Some(field) => {
            let (expected, found) = ("moves", clip(field.text));
            return Err(UsiError::Expected { expected, found, column: field.column });
        }
    }
    for (field, number) in fields.zip(1..) {
        let column = field.column;
        let mv =
            parse_move(field.text).map_err(|source| UsiError::Move { source, number, column })?;
        game.push(mv).map_err(|_| UsiError::Illegal { mv, number, column })?;
    }
    Ok(game)
}

/// The `position` line of a game, with all its moves.
pub fn format_position_line(game: &Game) -> String {
    let mut line = String::from("position ");
    if *game.start() == Position::startpos() {
        line.push_str("startpos");
    } else {
        line.push_str("sfen ");
        line.push_str(&game.start().to_sfen());
    }
    if !game.is_empty() {
        line.push_str(" moves");
    }
    for mv in game.moves() {
        line.push(' ');
        line.push_str(&mv.to_string());
    }
    line
}

#[cfg(test)]
mod tests;
