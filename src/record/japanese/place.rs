//! Where reading stands in a line.

use crate::record::Place;

/// Where reading stands in a line. Columns are counted on, as a long line has very many moves.
pub(super) struct At<'a> {
    pub(super) number: usize,
    pub(super) line: &'a str,
    pub(super) byte: usize,
    counted: usize,
    column: usize,
}

impl<'a> At<'a> {
    /// At the beginning of a line.
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
