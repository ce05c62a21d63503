//! Position blocks: rows `P1` to `P9` or `PI`, single pieces and hands `P+` and `P-`, the side line.

use super::{clip, piece_word, sign, square, words};
use crate::shogi::{
    Color, Handicap, Piece, PieceKind, Position, PositionBuilder, SetupError, Square,
};

/// Why a position block is wrong. Lines count from 1 within the block, columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsaPositionError {
    /// A line that belongs to no position.
    #[error(
        "line {line}: '{found}' is no line of a position; expected P1 to P9, PI, P+, P-, + or -"
    )]
    UnknownLine {
        /// The line's number.
        line: usize,
        /// Its beginning.
        found: String,
    },
    /// A word that is no piece.
    #[error("line {line}, column {column}: '{found}' is no {expected}")]
    Word {
        /// The line's number.
        line: usize,
        /// Where the word begins.
        column: usize,
        /// The word.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A row with more than nine squares.
    #[error("line {line}, column {column}: the row has more than 9 squares")]
    LongRow {
        /// The line's number.
        line: usize,
        /// Where the tenth square begins.
        column: usize,
    },
    /// A square that has a piece already, or from which `PI` removes a piece that is not there.
    #[error("line {line}, column {column}: {square} {problem}")]
    Square {
        /// The line's number.
        line: usize,
        /// Where the word begins.
        column: usize,
        /// The square.
        square: Square,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Neither rows nor `PI` nor single pieces.
    #[error("the position has no board; expected PI or P1 to P9")]
    NoBoard,
    /// Some rows, but not all.
    #[error("row P{0} is missing")]
    MissingRow(u8),
    /// No side line.
    #[error("the line with the side to move (+ or -) is missing")]
    NoSide,
    /// The pieces are well written, but no position: too many of a kind, two kings, a piece that could never move.
    #[error("line {line}, column {column}: {source}")]
    Setup {
        /// The number of the line with the offending piece.
        line: usize,
        /// Where the piece is written.
        column: usize,
        /// What is wrong.
        source: SetupError,
    },
}

/// A position block in the making: give it line after line, then ask for the position.
///
/// ```
/// # use kyomi::shogi::notation::csa;
/// let position = csa::parse_position_block(["PI82HI22KA", "-"]).unwrap();
/// assert_eq!(
///     position.to_sfen(),
///     "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct PositionBlock {
    builder: PositionBuilder,
    lines: usize,
    /// Line and column of the piece on each square.
    places: [(usize, usize); 81],
    /// Rows read, by number; all of them after `PI`.
    rows: [bool; 10],
    pieces: bool,
    /// Whether `00AL` gave away the rest of the set.
    all: bool,
    side: Option<Color>,
}

impl Default for PositionBlock {
    fn default() -> Self {
        Self::new()
    }
}

impl PositionBlock {
    /// Nothing read yet.
    pub const fn new() -> Self {
        Self {
            builder: PositionBuilder::new(),
            lines: 0,
            places: [(1, 1); 81],
            rows: [false; 10],
            pieces: false,
            all: false,
            side: None,
        }
    }

    /// Reads the next line, without its line end.
    ///
    /// # Errors
    /// If the line belongs to no position, or contradicts those before.
    pub fn push(&mut self, line: &str) -> Result<(), CsaPositionError> {
        self.lines += 1;
        match line.trim_end() {
            "+" => self.side = Some(Color::Black),
            "-" => self.side = Some(Color::White),
            text => match text.as_bytes() {
                [b'P', b'I', ..] => self.initial(text)?,
                [b'P', row @ b'1'..=b'9', ..] => self.row(row - b'0', text)?,
                [b'P', b'+', ..] => self.single(Color::Black, text)?,
                [b'P', b'-', ..] => self.single(Color::White, text)?,
                _ => {
                    let (line, found) = (self.lines, clip(text));
                    return Err(CsaPositionError::UnknownLine { line, found });
                }
            },
        }
        Ok(())
    }

    /// The side to move, if its line was read.
    pub fn side(&self) -> Option<Color> {
        self.side
    }

    /// The position.
    ///
    /// # Errors
    /// If there is no board or no side line, or the pieces are no position.
    pub fn finish(&self) -> Result<Position, CsaPositionError> {
        self.finish_with(self.side.ok_or(CsaPositionError::NoSide)?)
    }

    /// The position with this side to move, whatever the side line said.
    ///
    /// # Errors
    /// If there is no board, or the pieces are no position.
    pub fn finish_with(&self, side: Color) -> Result<Position, CsaPositionError> {
        let missing = (1..=9).find(|&row| !self.rows[usize::from(row)]);
        match missing {
            Some(row) if self.rows[1..].contains(&true) => {
                return Err(CsaPositionError::MissingRow(row));
            }
            Some(_) if !self.pieces => return Err(CsaPositionError::NoBoard),
            _ => {}
        }
        let mut builder = self.builder.clone();
        builder.set_side(side).set_ply(1);
        builder.build().map_err(|source| {
            let (line, column) = match source {
                SetupError::TwoKings { square, .. }
                | SetupError::DeadSquare { square, .. }
                | SetupError::TwoPawns { square, .. } => self.places[square.index()],
                SetupError::TooMany { .. } => (1, 1),
            };
            CsaPositionError::Setup { line, column, source }
        })
    }

    /// Puts a piece on a square, unless the set has no more of its kind.
    fn put(&mut self, square: Square, piece: Piece, column: usize) -> Result<(), CsaPositionError> {
        self.builder.clear(square);
        self.one_more(piece.kind().unpromoted(), column)?;
        self.builder.put(square, piece);
        self.places[square.index()] = (self.lines, column);
        self.pieces = true;
        Ok(())
    }

    fn one_more(&self, kind: PieceKind, column: usize) -> Result<(), CsaPositionError> {
        let count = self.builder.count(kind) + 1;
        if count <= u32::from(kind.total()) {
            return Ok(());
        }
        let source = SetupError::TooMany { kind, count };
        Err(CsaPositionError::Setup { line: self.lines, column, source })
    }

    fn word_error(&self, column: usize, found: &str, expected: &'static str) -> CsaPositionError {
        CsaPositionError::Word { line: self.lines, column, found: clip(found), expected }
    }

    /// `PI` and the pieces taken off: `PI82HI22KA`.
    fn initial(&mut self, text: &str) -> Result<(), CsaPositionError> {
        self.builder = PositionBuilder::from(&Handicap::EVEN.position());
        self.rows = [true; 10];
        self.all = false;
        for (column, word) in words_of(text, 4) {
            let (place, kind) = placed(word)
                .ok_or_else(|| self.word_error(column, word, "square and piece, as 82HI"))?;
            let standing = place.and_then(|square| self.builder.piece_on(square));
            let Some(square) = place.filter(|_| standing.map(Piece::kind) == Some(kind)) else {
                let expected = "piece of the initial position with its square, as 82HI";
                return Err(self.word_error(column, word, expected));
            };
            self.builder.clear(square);
        }
        Ok(())
    }

    /// `P1-KY-KE * ...`: nine squares of three characters.
    fn row(&mut self, row: u8, text: &str) -> Result<(), CsaPositionError> {
        self.rows[usize::from(row)] = true;
        let chars: Vec<char> = text.chars().collect();
        let mut at = 2;
        let mut file = 9;
        while at < chars.len() {
            let column = at + 1;
            let Some(square) = Square::new(file, row) else {
                if chars[at..].iter().all(|c| c.is_whitespace()) {
                    break;
                }
                return Err(CsaPositionError::LongRow { line: self.lines, column });
            };
            at = match chars[at] {
                ' ' | '*' => self.empty(&chars, at, square),
                c @ ('+' | '-') => {
                    let word: String = chars[at + 1..].iter().take(2).collect();
                    let kind = words::word_piece(&word)
                        .ok_or_else(|| self.word_error(column, &word, "piece, as FU"))?;
                    let color = if c == '+' { Color::Black } else { Color::White };
                    self.put(square, Piece::new(color, kind), column)?;
                    at + 3
                }
                c => {
                    let expected = "square of a row; expected ' * ' or a piece, as +FU";
                    return Err(self.word_error(column, &c.to_string(), expected));
                }
            };
            file -= 1;
        }
        while let Some(square) = Square::new(file, row) {
            self.builder.clear(square);
            file -= 1;
        }
        Ok(())
    }

    /// An empty square at `at`, written ` * ` with some of its blanks missing or none of it but blanks; returns
    /// where the next one begins.
    fn empty(&mut self, chars: &[char], at: usize, square: Square) -> usize {
        self.builder.clear(square);
        let is = |i: usize, c: char| chars.get(i) == Some(&c);
        let mut next = at;
        let mut blanks = 0;
        while is(next, ' ') && blanks < 3 {
            next += 1;
            blanks += 1;
            if is(next, '*') {
                break;
            }
        }
        if is(next, '*') {
            next += 1;
            // The blank after it, unless it was squeezed out or belongs to the next square.
            if is(next, ' ') {
                next += 1;
            }
        }
        next
    }

    /// `P+99KY00FU00AL`: pieces on squares and in hand.
    fn single(&mut self, color: Color, text: &str) -> Result<(), CsaPositionError> {
        for (column, word) in words_of(text, 4) {
            if word == "00AL" {
                if self.all {
                    let expected = "piece here; the rest of the set is given away already";
                    return Err(self.word_error(column, word, expected));
                }
                self.all = true;
                self.all_the_rest(color);
                continue;
            }
            let (place, kind) = placed(word).ok_or_else(|| {
                self.word_error(column, word, "square (00 for the hand) and piece, as 99KY or 00FU")
            })?;
            let line = self.lines;
            match place {
                Some(square) if self.builder.piece_on(square).is_some() => {
                    let problem = "holds a piece already";
                    return Err(CsaPositionError::Square { line, column, square, problem });
                }
                Some(square) => self.put(square, Piece::new(color, kind), column)?,
                None if !kind.is_droppable() => {
                    return Err(self.word_error(column, word, "piece that can be in hand"));
                }
                None => {
                    self.one_more(kind, column)?;
                    let held = self.builder.hand_count(color, kind);
                    self.builder.set_hand(color, kind, held + 1);
                }
            }
        }
        Ok(())
    }

    /// `00AL`: all pieces of the set that are nowhere else, kings aside.
    fn all_the_rest(&mut self, color: Color) {
        for kind in PieceKind::HAND {
            let left = u32::from(kind.total()).saturating_sub(self.builder.count(kind));
            let held = self.builder.hand_count(color, kind);
            self.builder.set_hand(color, kind, held.saturating_add(left as u8));
        }
    }
}

/// Reads a whole block: its lines without line ends.
///
/// # Errors
/// As [`PositionBlock::push`] and [`PositionBlock::finish`].
pub fn parse_position_block<'a>(
    lines: impl IntoIterator<Item = &'a str>,
) -> Result<Position, CsaPositionError> {
    let mut block = PositionBlock::new();
    for line in lines {
        block.push(line)?;
    }
    block.finish()
}

/// The block of a position: nine rows, the hands that are not empty, the side line; each line ends with LF.
pub fn format_position(position: &Position) -> String {
    let mut text = String::with_capacity(300);
    for rank in 1..=9u8 {
        text.push('P');
        text.push(char::from(b'0' + rank));
        for square in (1..=9).rev().filter_map(|file| Square::new(file, rank)) {
            match position.piece_on(square) {
                None => text.push_str(" * "),
                Some(piece) => {
                    text.push(sign(piece.color()));
                    text.push_str(piece_word(piece.kind()));
                }
            }
        }
        text.push('\n');
    }
    for color in Color::ALL {
        let hand = position.hand(color);
        if hand.is_empty() {
            continue;
        }
        text.push('P');
        text.push(sign(color));
        for (kind, count) in hand.iter().rev() {
            for _ in 0..count {
                text.push_str("00");
                text.push_str(piece_word(kind));
            }
        }
        text.push('\n');
    }
    text.push(sign(position.side_to_move()));
    text.push('\n');
    text
}

/// The pieces of four characters after the first two of a line, with their columns; blanks between are skipped.
fn words_of(text: &str, length: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text.get(2..).unwrap_or("");
    let mut column = 3;
    std::iter::from_fn(move || {
        let word = rest.trim_start();
        column += rest[..rest.len() - word.len()].chars().count();
        if word.is_empty() {
            return None;
        }
        let end = word.char_indices().nth(length).map_or(word.len(), |(i, _)| i);
        let (word, after) = word.split_at(end);
        rest = after;
        let begin = column;
        column += word.chars().count();
        Some((begin, word))
    })
}

/// A square, or `None` for the hand, and a kind: `99KY`, `00FU`.
fn placed(word: &str) -> Option<(Option<Square>, PieceKind)> {
    let &[file, rank, a, b] = word.as_bytes() else { return None };
    let kind = words::kind_of_bytes([a, b])?;
    let place = if (file, rank) == (b'0', b'0') { None } else { Some(square(file, rank)?) };
    Some((place, kind))
}
