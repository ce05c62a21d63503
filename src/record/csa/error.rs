//! What is wrong with a record file, and where.

use thiserror::Error;

/// A fault of a record file with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    #[source]
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
    /// A statement that begins like none of the format.
    #[error("'{0}' is no statement of a CSA record")]
    Unknown(String),
}
