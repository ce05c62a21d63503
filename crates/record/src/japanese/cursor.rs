//! The position of the reader within a line.

use crate::Place;

/// The position of the reader within a line. The column is counted on, because a line may have very many moves.
pub(super) struct Cursor<'a> {
    pub(super) number: usize,
    pub(super) line: &'a str,
    pub(super) byte: usize,
    counted: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a line.
    pub(super) fn new(number: usize, line: &'a str) -> Self {
        Self { number, line, byte: 0, counted: 0, column: 1 }
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.byte += bytes;
    }

    pub(super) fn place(&mut self) -> Place {
        let passed = self.line.get(self.counted..self.byte).unwrap_or_default();
        self.column += passed.chars().count();
        self.counted = self.counted.max(self.byte);
        Place::text(self.number, self.column)
    }
}
