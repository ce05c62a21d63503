//! Position blocks: rows `P1` to `P9` or `PI`, single pieces and hands `P+` and `P-`, the side line.

use super::{clip, kind_of_bytes, piece_word, sign, square, word_piece};
use crate::{Color, Handicap, Piece, PieceKind, Position, PositionBuilder, SetupError, Square};

/// Why a position block is not valid. Lines are numbered from 1 within the block, columns in characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsaPositionError {
    /// A line that is not part of a position.
    #[error(
        "line {line}: '{found}' is no line of a position; expected P1 to P9, PI, P+, P-, + or -"
    )]
    UnknownLine {
        /// The line's number.
        line: usize,
        /// Its beginning.
        found: String,
    },
    /// A word that is not a piece.
    #[error("line {line}, column {column}: '{found}' is no {expected}")]
    Word {
        /// The line's number.
        line: usize,
        /// Where the word begins.
        column: usize,
        /// The word.
        found: String,
        /// The valid forms.
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
    /// A square that already has a piece, or from which `PI` removes a piece that is not there.
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
    /// The block has no rows, no `PI` and no single pieces.
    #[error("the position has no board; expected PI or P1 to P9")]
    NoBoard,
    /// Some rows are missing.
    #[error("row P{0} is missing")]
    MissingRow(u8),
    /// The side line is missing.
    #[error("the line with the side to move (+ or -) is missing")]
    NoSide,
    /// The pieces have valid forms, but are not a valid position: too many of a kind, two kings, or a piece that could
    /// never move.
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

/// A parser of a position block. Push its lines one after the other, then call [`finish`](PositionBlock::finish).
///
/// ```
/// # use kyomi_shogi::notation::csa;
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
    /// Whether `00AL` was read.
    all: bool,
    side: Option<Color>,
}

impl Default for PositionBlock {
    fn default() -> Self {
        Self::new()
    }
}

impl PositionBlock {
    /// A parser that has read no line.
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
    /// If the line is not part of a position, or contradicts the lines before.
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
    /// If the board or the side line is missing, or the pieces are not a valid position.
    pub fn finish(&self) -> Result<Position, CsaPositionError> {
        self.finish_with(self.side.ok_or(CsaPositionError::NoSide)?)
    }

    /// The position with this side to move, whatever the side line is.
    ///
    /// # Errors
    /// If the board is missing, or the pieces are not a valid position.
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
                SetupError::TwoKings { square, .. } | SetupError::DeadSquare { square, .. } => {
                    self.places[square.index()]
                }
                SetupError::TooMany { .. } => (1, 1),
            };
            CsaPositionError::Setup { line, column, source }
        })
    }

    /// Puts a piece on a square, if the set has another piece of its kind.
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

    /// `PI` and the pieces that are removed: `PI82HI22KA`.
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
                    let kind = word_piece(&word)
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

    /// Parses an empty square at `at`: ` * `, of which some blanks or the star may be missing. Returns the place of the
    /// next square.
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
            // The blank after the star, unless it is missing or belongs to the next square.
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

    /// `00AL`: all remaining pieces of the set except kings.
    fn all_the_rest(&mut self, color: Color) {
        for kind in PieceKind::HAND {
            let left = u32::from(kind.total()).saturating_sub(self.builder.count(kind));
            let held = self.builder.hand_count(color, kind);
            self.builder.set_hand(color, kind, held.saturating_add(left as u8));
        }
    }
}

/// Parses a whole block from its lines without line ends.
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

/// The block of a position: nine rows, the hands that are not empty, and the side line. Each line ends with LF.
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

/// The words of `length` characters after the first two characters of a line, with their columns. Blanks between them
/// are skipped.
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
    let kind = kind_of_bytes([a, b])?;
    let place = if (file, rank) == (b'0', b'0') { None } else { Some(square(file, rank)?) };
    Some((place, kind))
}
