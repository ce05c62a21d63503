//! What is wrong with a record file, and where.

use thiserror::Error;

use crate::shogi::SetupError;
use crate::shogi::notation::csa::{CsaMoveError, CsaPositionError};

use super::statement::clip;

/// A fault of a record file with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong there. Its text is part of this one's, so it is no `source`.
    pub fault: RecordFault,
}

/// What is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordFault {
    /// Neither a position nor a move in the whole file.
    #[error(
        "no game here; a CSA record needs a start position (PI, or P1 to P9) and its side line"
    )]
    NoGame,
    /// A word of the start position that is none.
    #[error("'{found}' is no {expected}")]
    Word {
        /// The word.
        found: String,
        /// What would be right.
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
    /// The pieces are well written, but no position.
    #[error("the start position cannot be: {0}")]
    Setup(#[from] SetupError),
    /// Not the form of a move.
    #[error(
        "ply {ply}: '{found}' is no move; expected a sign, two squares and a piece, as +7776FU"
    )]
    NoMove {
        /// The ply, counted from 1.
        ply: usize,
        /// What stands there.
        found: String,
    },
    /// A move that does not fit the board or the turn.
    #[error("ply {ply}: {source}; what stands before is read")]
    Unfit {
        /// The ply, counted from 1.
        ply: usize,
        /// What does not fit.
        source: CsaMoveError,
    },
    /// A move that the rules forbid.
    #[error("ply {ply}: {found} is illegal; what stands before is read")]
    Illegal {
        /// The ply, counted from 1.
        ply: usize,
        /// The move.
        found: String,
    },
}

impl RecordFault {
    /// From a fault of the position block, with the line (within the block) and column it tells.
    pub(super) fn from_position(error: CsaPositionError) -> (Option<usize>, usize, Self) {
        match error {
            CsaPositionError::UnknownLine { line, found } => {
                (Some(line), 1, Self::Word { found: clip(&found), expected: "line of a position" })
            }
            CsaPositionError::Word { line, column, found, expected } => {
                (Some(line), column, Self::Word { found: clip(&found), expected })
            }
            CsaPositionError::LongRow { line, column } => (Some(line), column, Self::LongRow),
            CsaPositionError::Square { line, column, square, problem } => {
                (Some(line), column, Self::Square(format!("{square} {problem}")))
            }
            CsaPositionError::Setup { line, column, source } => {
                (Some(line), column, Self::Setup(source))
            }
            CsaPositionError::MissingRow(row) => (None, 1, Self::MissingRow(row)),
            CsaPositionError::NoBoard | CsaPositionError::NoSide => (None, 1, Self::NoGame),
        }
    }
}
