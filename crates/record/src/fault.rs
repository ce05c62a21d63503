//! What is wrong with a record file, and where.

use std::fmt;

use thiserror::Error;

use kyomi_shogi::notation::csa::CsaMoveError;
use kyomi_shogi::notation::sfen::SfenError;
use kyomi_shogi::{Color, PieceKind, Position, SetupError, Unplayable};

/// A fault of a record file, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {fault}")]
pub struct RecordError {
    /// Where it is.
    pub place: Place,
    /// What is wrong there. It is part of this error's text, so it is not its `source`.
    pub fault: RecordFault,
}

/// Something unusual that was ignored in reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where it is.
    pub place: Place,
    /// What is unusual there.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In a text: line, and column in characters, both counted from 1.
    Text {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// In a binary file: row, and byte in the row, both counted from 1.
    Row {
        /// The row.
        row: usize,
        /// The byte.
        byte: usize,
    },
}

impl Place {
    /// A place in a text file.
    pub const fn text(line: usize, column: usize) -> Self {
        Self::Text { line, column }
    }

    /// A place in a binary file.
    pub const fn row(row: usize, byte: usize) -> Self {
        Self::Row { row, byte }
    }

    /// The line or the row.
    pub const fn line(self) -> usize {
        match self {
            Self::Text { line, .. } => line,
            Self::Row { row, .. } => row,
        }
    }

    /// The place in the whole file, for a place in a piece that this number of lines or rows precedes.
    #[must_use]
    pub const fn shifted(self, before: usize) -> Self {
        match self {
            Self::Text { line, column } => Self::Text { line: line + before, column },
            Self::Row { row, byte } => Self::Row { row: row + before, byte },
        }
    }

    /// This fault at this place.
    pub const fn error(self, fault: RecordFault) -> RecordError {
        RecordError { place: self, fault }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column } => write!(f, "line {line}, column {column}"),
            Self::Row { row, byte } => write!(f, "row {row}, byte {byte}"),
        }
    }
}

/// The warnings of one record, up to [`MOST_WARNINGS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Warnings {
    pub(super) kept: Vec<Warning>,
    /// The number of warnings that were not kept.
    pub(super) more: usize,
}

impl Warnings {
    /// Adds a warning. The text is made only if it is kept.
    pub(super) fn add(&mut self, place: Place, text: impl FnOnce() -> String) {
        if self.is_full() {
            self.more += 1;
        } else {
            self.kept.push(Warning { place, text: text() });
        }
    }

    /// Warns of a start position that breaks the rules but can be shown and converted.
    pub(super) fn add_start(&mut self, place: Place, start: &Position) {
        if let Err(why @ Unplayable::TwoPawns { .. }) = start.check_playable() {
            self.add(place, || format!("the start position cannot be played: {why}"));
        }
    }

    /// Whether no more warnings are kept, so that no place need be computed.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MOST_WARNINGS
    }
}

pub(super) const MOST_WARNINGS: usize = 100;

/// The beginning of a text, without control characters, for a message on one line.
pub(super) fn clip(text: &str) -> String {
    let mut clean = text.chars().filter(|c| !c.is_control());
    let mut short: String = clean.by_ref().take(40).collect();
    if clean.next().is_some() {
        short.push('…');
    }
    short
}

/// What is wrong, and what is expected instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordFault {
    /// The file has neither a position nor a move.
    #[error("no game here; {expected}")]
    NoGame {
        /// What a file of this format has.
        expected: &'static str,
    },
    /// A word that is not what the start position needs here.
    #[error("'{found}' is not a {expected}")]
    Word {
        /// The word.
        found: String,
        /// What is expected.
        expected: &'static str,
    },
    /// A row with more than nine squares.
    #[error("the row has more than 9 squares; write 3 characters for each, ' * ' for an empty one")]
    LongRow,
    /// Two pieces on a square.
    #[error("{0}; name each square once")]
    Square(String),
    /// Some rows, but not all.
    #[error("row P{0} of the board is missing; write all of P1 to P9, or PI")]
    MissingRow(u8),
    /// A start position that is not an SFEN.
    #[error("{}", .0.reason())]
    Sfen(SfenError),
    /// The start position is well formed, but against the rules.
    #[error("the start position is invalid: {0}")]
    Setup(#[from] SetupError),
    /// A text that does not have the form of a move.
    #[error("ply {ply}: '{found}' is not a move; expected {expected}")]
    NoMove {
        /// The ply, counted from 1.
        ply: usize,
        /// The text.
        found: String,
        /// What is expected.
        expected: &'static str,
    },
    /// A move that does not fit the board or the side to move.
    #[error("ply {ply}: {source}; the moves before it are read")]
    Unfit {
        /// The ply, counted from 1.
        ply: usize,
        /// What does not fit.
        source: CsaMoveError,
    },
    /// A move that the rules forbid.
    #[error("ply {ply}: {found} is illegal; the moves before it are read")]
    Illegal {
        /// The ply, counted from 1.
        ply: usize,
        /// The move.
        found: String,
    },
    /// A text that is not JSON.
    #[error("expected {expected}, found {}", character(*found))]
    Json {
        /// The character found; `None` at the end of the file.
        found: Option<char>,
        /// What is expected.
        expected: &'static str,
    },
    /// A packed position that is invalid.
    #[error("{0}")]
    Packed(PackedFault),
    /// The last row is incomplete.
    #[error("the file ends after {length} of the row's {expected} bytes")]
    CutRow {
        /// The number of its bytes.
        length: usize,
        /// The number of bytes of a row.
        expected: usize,
    },
    /// The move of a row is illegal in its position.
    #[error("the row's move {found} is illegal in its position")]
    RowMove {
        /// The move, or its bits.
        found: String,
    },
    /// The result of a row has no meaning.
    #[error("{found} is not a result; expected {expected}")]
    RowResult {
        /// The number found.
        found: i8,
        /// What is expected.
        expected: &'static str,
    },
    /// A handicap whose name is not known, in a record without a board.
    #[error(
        "'{found}' is not a known handicap and no board is drawn; write 平手, 香落ち, 右香落ち, 角落ち, \
         飛車落ち, 飛香落ち, 二枚落ち to 六枚落ち, 八枚落ち, 十枚落ち, or draw the board"
    )]
    Handicap {
        /// Its name.
        found: String,
    },
    /// More than nine ranks, or more than nine squares in one.
    #[error("the board has more than nine ranks of nine squares")]
    LargeBoard,
    /// A rank with fewer than nine squares.
    #[error("rank {0} of the board has fewer than 9 squares; write ・ for an empty one")]
    SmallRank(u8),
    /// A board with fewer than nine ranks.
    #[error("rank {0} of the board is missing; draw all nine")]
    MissingRank(u8),
    /// A move whose piece is not the one on the square it comes from.
    #[error(
        "ply {ply}: the piece on {square} is not that of {found}; the moves before it are read"
    )]
    Misnamed {
        /// The ply, counted from 1.
        ply: usize,
        /// The move.
        found: String,
        /// The square that the move names.
        square: String,
    },
    /// A move that several pieces can make.
    #[error(
        "ply {ply}: {found} can be made by the pieces on {squares}; add 右, 左, 直, 上, 寄, 引 or the \
         square; the moves before it are read"
    )]
    Ambiguous {
        /// The ply, counted from 1.
        ply: usize,
        /// The move.
        found: String,
        /// The squares of these pieces.
        squares: String,
    },
    /// A variation with no line that it could leave.
    #[error("no line that this variation could leave reaches move {number}, which it replaces")]
    NoLine {
        /// The number of the move.
        number: usize,
    },
}

/// Why 32 bytes are not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackedFault {
    /// The square of a king is invalid, or that of the other king.
    #[error("{0}'s king has no square; expected the index of a square of its own, below 81")]
    King(Color),
    /// Bits that are no code, or a code that the end of the 32 bytes cuts.
    #[error("bit {bit} of the position begins no piece")]
    Bits {
        /// The bit, counted from 0.
        bit: usize,
    },
    /// The number of pieces of a kind is not that of a set.
    #[error("the position has {count} {}s, those not in the game included; a set has {}", kind.name(), kind.total())]
    Count {
        /// The unpromoted kind.
        kind: PieceKind,
        /// The number of pieces.
        count: u32,
    },
    /// The position is well formed, but against the rules.
    #[error("the position is invalid: {0}")]
    Setup(SetupError),
}

impl PackedFault {
    /// The byte in which the fault begins, counted from 0.
    pub(super) const fn byte(&self) -> usize {
        match self {
            Self::King(Color::Black) | Self::Count { .. } | Self::Setup(_) => 0,
            Self::King(Color::White) => 1,
            Self::Bits { bit } => *bit / 8,
        }
    }
}

/// A character as messages show it.
fn character(found: Option<char>) -> String {
    match found {
        None => "the end of the file".to_owned(),
        Some(c) if c.is_control() => format!("'{}'", c.escape_default()),
        Some(c) => format!("'{c}'"),
    }
}
