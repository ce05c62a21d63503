//! SFEN: a position in one line, `board side hands ply`.

use std::fmt;
use std::str::FromStr;

use super::clip;
use crate::{Color, Piece, PieceKind, Position, PositionBuilder, SetupError, Square};

/// Why a text is not an SFEN. Columns are in characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SfenError {
    /// A field is missing.
    #[error("column {column}: the {field} is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER")]
    MissingField {
        /// The field.
        field: &'static str,
        /// Where it is expected.
        column: usize,
    },
    /// A character of the board that is not valid there.
    #[error(
        "column {column}: {found:?} is no piece; expected one of PLNSGBRK plnsgbrk, '+' before one of PLNSBR, or 1 to 9 empty squares"
    )]
    UnknownPiece {
        /// The character.
        found: char,
        /// Its column.
        column: usize,
    },
    /// A `+` before a character that is not a piece which can promote.
    #[error("column {column}: '+' must be followed by a piece that can promote (PLNSBR or plnsbr)")]
    CannotPromote {
        /// The column of the `+`.
        column: usize,
    },
    /// A row that has more or fewer than nine squares.
    #[error("column {column}: row {row} has {width} squares instead of 9")]
    RowWidth {
        /// Where the row ends.
        column: usize,
        /// The row, 1 at the top.
        row: usize,
        /// The number of its squares, or a lower bound of it if there are too many.
        width: usize,
    },
    /// More or fewer than nine rows.
    #[error("column {column}: the board has {rows} rows instead of 9")]
    RowCount {
        /// Where the board ends, or the tenth row begins.
        column: usize,
        /// The number of rows, or a lower bound of it if there are too many.
        rows: usize,
    },
    /// The side to move is neither `b` nor `w`.
    #[error("column {column}: '{found}' is no side to move; expected b or w")]
    Side {
        /// The text found there.
        found: String,
        /// Where it begins.
        column: usize,
    },
    /// A character of the hands that is not valid there.
    #[error(
        "column {column}: {found:?} is no piece in hand; expected '-' alone, or pieces of PLNSGBR plnsgbr each after its count if above 1"
    )]
    Hand {
        /// The character.
        found: char,
        /// Its column.
        column: usize,
    },
    /// A count in the hands that is 0, too large, or without a piece.
    #[error(
        "column {column}: '{found}' is no count of pieces in hand; expected 2 to 18 before a piece"
    )]
    HandCount {
        /// The count.
        found: String,
        /// Where it begins.
        column: usize,
    },
    /// The number of the move is not a valid number.
    #[error("column {column}: '{found}' is no move number; expected 1 to 65535")]
    Ply {
        /// The text found there.
        found: String,
        /// Where it begins.
        column: usize,
    },
    /// More text after the last field.
    #[error("column {column}: '{found}' follows the move number; nothing should")]
    Trailing {
        /// The first word too many.
        found: String,
        /// Where it begins.
        column: usize,
    },
    /// The pieces have valid forms, but are not a valid position.
    #[error("column {column}: {source}")]
    Setup {
        /// Where the piece at fault is, or 1 if the fault concerns all pieces.
        column: usize,
        /// What is wrong.
        source: SetupError,
    },
}

impl SfenError {
    /// The column of the error, in characters from 1.
    pub const fn column(&self) -> usize {
        match self {
            Self::MissingField { column, .. }
            | Self::UnknownPiece { column, .. }
            | Self::CannotPromote { column }
            | Self::RowWidth { column, .. }
            | Self::RowCount { column, .. }
            | Self::Side { column, .. }
            | Self::Hand { column, .. }
            | Self::HandCount { column, .. }
            | Self::Ply { column, .. }
            | Self::Trailing { column, .. }
            | Self::Setup { column, .. } => *column,
        }
    }

    /// The message without its column, for callers that state the place themselves.
    pub fn reason(&self) -> String {
        let message = self.to_string();
        match message.split_once(": ") {
            Some((place, reason)) if place.starts_with("column ") => reason.to_owned(),
            _ => message,
        }
    }
}

impl Position {
    /// Reads an SFEN; see [`parse`].
    ///
    /// # Errors
    /// The column and the fault.
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        parse(text)
    }

    /// The SFEN, with the number of the next move.
    pub fn to_sfen(&self) -> String {
        format(self)
    }
}

impl FromStr for Position {
    type Err = SfenError;

    /// Reads an SFEN; see [`parse`].
    fn from_str(text: &str) -> Result<Self, SfenError> {
        parse(text)
    }
}

impl fmt::Display for Position {
    /// The SFEN, with the number of the next move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format(self))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

/// Letters of the first eight kinds, in their order.
const LETTERS: &[u8; 8] = b"PLNSGBRK";

/// Parses an SFEN: board, side, hands, and the number of the next move. The number may be missing, which means 1; 0
/// also means 1. Fields are separated by any white space.
///
/// # Errors
/// The column and the fault.
pub fn parse(text: &str) -> Result<Position, SfenError> {
    let mut fields = Fields::new(text);
    let position = parse_fields(&mut fields)?;
    match fields.next() {
        Some(more) => Err(SfenError::Trailing { found: clip(more.text), column: more.column }),
        None => Ok(position),
    }
}

/// Parses the three or four fields of an SFEN and leaves the words after them. The word `moves` is not a field.
pub(super) fn parse_fields(fields: &mut Fields<'_>) -> Result<Position, SfenError> {
    let mut builder = PositionBuilder::new();
    let board = fields.expect("board")?;
    let columns = parse_board(board, &mut builder)?;
    let side = fields.expect("side to move")?;
    match side.text {
        "b" => builder.set_side(Color::Black),
        "w" => builder.set_side(Color::White),
        _ => return Err(SfenError::Side { found: clip(side.text), column: side.column }),
    };
    let hands = fields.expect("list of pieces in hand")?;
    parse_hands(hands, &mut builder)?;
    if let Some(ply) = fields.next_if(is_sfen_field) {
        let number = if ply.text.bytes().all(|b| b.is_ascii_digit()) { ply.text } else { "" };
        let number = number
            .parse()
            .map_err(|_| SfenError::Ply { found: clip(ply.text), column: ply.column })?;
        builder.set_ply(number);
    }
    builder.build().map_err(|source| {
        let column = match source {
            SetupError::TwoKings { square, .. } | SetupError::DeadSquare { square, .. } => {
                columns[square.index()]
            }
            SetupError::TooMany { .. } => 1,
        };
        SfenError::Setup { column, source }
    })
}

/// Whether a word may be a field of the SFEN. In a `position` line the word `moves` ends it.
fn is_sfen_field(word: &str) -> bool {
    word != "moves"
}

/// The SFEN of a position, with the number of the next move.
pub fn format(position: &Position) -> String {
    let mut text = String::with_capacity(80);
    for rank in 1..=9 {
        let mut empty = 0;
        for square in (1..=9).rev().filter_map(|file| Square::new(file, rank)) {
            let Some(piece) = position.piece_on(square) else {
                empty += 1;
                continue;
            };
            push_count(&mut text, empty, 1);
            empty = 0;
            push_piece(&mut text, piece);
        }
        push_count(&mut text, empty, 1);
        text.push(if rank < 9 { '/' } else { ' ' });
    }
    text.push(if position.side_to_move() == Color::Black { 'b' } else { 'w' });
    text.push(' ');
    let before = text.len();
    for color in Color::ALL {
        for (kind, count) in position.hand(color).iter().rev() {
            push_count(&mut text, count, 2);
            push_piece(&mut text, Piece::new(color, kind));
        }
    }
    if text.len() == before {
        text.push('-');
    }
    text.push(' ');
    text.push_str(&position.ply().to_string());
    text
}

fn push_count(text: &mut String, count: u8, least: u8) {
    if count >= least {
        text.push_str(&count.to_string());
    }
}

fn push_piece(text: &mut String, piece: Piece) {
    if piece.kind().is_promoted() {
        text.push('+');
    }
    let letter = char::from(LETTERS[piece.kind().unpromoted().index() & 7]);
    text.push(match piece.color() {
        Color::Black => letter,
        Color::White => letter.to_ascii_lowercase(),
    });
}

/// A piece as on the board of an SFEN: `P` for black, lower case for white, with a plus if promoted: `+b`.
pub fn piece_letters(piece: Piece) -> String {
    let mut text = String::new();
    push_piece(&mut text, piece);
    text
}

/// The piece of a letter. Upper case is black.
fn letter(c: char) -> Option<Piece> {
    let index = LETTERS.iter().position(|&l| char::from(l) == c.to_ascii_uppercase())?;
    let color = if c.is_ascii_uppercase() { Color::Black } else { Color::White };
    Some(Piece::new(color, PieceKind::ALL[index]))
}

/// Parses the rows. Returns the column of the piece on each square.
fn parse_board(field: Field<'_>, builder: &mut PositionBuilder) -> Result<[usize; 81], SfenError> {
    let mut columns = [field.column; 81];
    let (mut row, mut width) = (1, 0);
    let mut chars = field.chars().peekable();
    let mut end = field.column;
    while let Some((column, c)) = chars.next() {
        end = column + 1;
        match c {
            '/' => {
                if width != 9 {
                    return Err(SfenError::RowWidth { column, row, width });
                }
                (row, width) = (row + 1, 0);
                if row > 9 {
                    return Err(SfenError::RowCount { column, rows: row });
                }
            }
            '1'..='9' => width += c as usize - '0' as usize,
            _ => {
                let piece = if c == '+' {
                    let next = chars.next().and_then(|(_, c)| letter(c));
                    let promoted = next.and_then(|piece| {
                        Some(Piece::new(piece.color(), piece.kind().promoted()?))
                    });
                    end += 1;
                    promoted.ok_or(SfenError::CannotPromote { column })?
                } else {
                    letter(c).ok_or(SfenError::UnknownPiece { found: c, column })?
                };
                width += 1;
                let file = 10usize.saturating_sub(width);
                if let Some(square) = Square::new(file as u8, row as u8) {
                    columns[square.index()] = column;
                    builder.put(square, piece);
                }
            }
        }
        if width > 9 {
            return Err(SfenError::RowWidth { column, row, width });
        }
    }
    if width != 9 {
        return Err(SfenError::RowWidth { column: end, row, width });
    }
    if row != 9 {
        return Err(SfenError::RowCount { column: end, rows: row });
    }
    Ok(columns)
}

fn parse_hands(field: Field<'_>, builder: &mut PositionBuilder) -> Result<(), SfenError> {
    if field.text == "-" {
        return Ok(());
    }
    let mut digits: Option<(usize, String)> = None;
    for (column, c) in field.chars() {
        if c.is_ascii_digit() {
            let (_, number) = digits.get_or_insert_with(|| (column, String::new()));
            number.push(c);
            if number.len() > 2 {
                return Err(SfenError::HandCount { found: number.clone(), column });
            }
            continue;
        }
        let piece = letter(c)
            .filter(|piece| piece.kind().is_droppable())
            .ok_or(SfenError::Hand { found: c, column })?;
        let (color, kind) = (piece.color(), piece.kind());
        let (column, count) = match digits.take() {
            None => (column, 1),
            Some((column, number)) => match number.parse::<u8>() {
                Ok(count @ 1..=18) if !number.starts_with('0') => (column, count),
                _ => return Err(SfenError::HandCount { found: number, column }),
            },
        };
        let count = count + builder.hand_count(color, kind);
        if count > kind.total() {
            let source = SetupError::TooMany { kind, count: u32::from(count) };
            return Err(SfenError::Setup { column, source });
        }
        builder.set_hand(color, kind, count);
    }
    match digits {
        Some((column, found)) => Err(SfenError::HandCount { found, column }),
        None => Ok(()),
    }
}

/// A word with the column where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) text: &'a str,
    pub(super) column: usize,
}

impl<'a> Field<'a> {
    /// Its characters with their columns.
    fn chars(self) -> impl Iterator<Item = (usize, char)> + use<'a> {
        self.text.chars().enumerate().map(move |(i, c)| (self.column + i, c))
    }
}

/// The words of a text.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, column: 1 }
    }

    /// Takes the next word if `is_such` returns `true` for it.
    pub(super) fn next_if(&mut self, is_such: impl Fn(&str) -> bool) -> Option<Field<'a>> {
        let mut ahead = self.clone();
        let field = ahead.next();
        if field.is_none_or(|field| is_such(field.text)) {
            *self = ahead;
            field
        } else {
            None
        }
    }

    /// Whether `is_such` returns `true` for the next word.
    pub(super) fn is_next(&self, is_such: impl Fn(&str) -> bool) -> bool {
        self.clone().next_if(is_such).is_some()
    }

    fn expect(&mut self, field: &'static str) -> Result<Field<'a>, SfenError> {
        match self.next_if(is_sfen_field) {
            Some(found) => Ok(found),
            None => Err(SfenError::MissingField { field, column: self.column }),
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let word = self.rest.trim_start();
        let skipped = &self.rest[..self.rest.len() - word.len()];
        self.column += skipped.chars().count();
        let end = word.find(char::is_whitespace).unwrap_or(word.len());
        let (text, rest) = word.split_at(end);
        self.rest = rest;
        if text.is_empty() {
            return None;
        }
        let column = self.column;
        self.column += text.chars().count();
        Some(Field { text, column })
    }
}

#[cfg(test)]
mod tests;
