//! The lines of a file in any encoding, read one by one.

use super::lines::first_line;
use super::{Decoded, Encoding, ReadRecord, decode};

/// Marks the end of a text file in DOS.
const DOS_END: u8 = 0x1a;

/// The lines of a file, read one by one.
#[derive(Clone, Debug)]
pub(super) struct FileLines {
    file: Decoded,
    /// The byte where the next line begins, and the number of lines before it.
    at: usize,
    number: usize,
}

impl FileLines {
    /// The lines of a file. The marks that end a text file in DOS are dropped.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut bytes = bytes;
        while let [before @ .., DOS_END] = bytes {
            bytes = before;
        }
        Self { file: decode(bytes), at: 0, number: 0 }
    }

    /// The encoding of the file.
    pub(super) fn encoding(&self) -> Encoding {
        self.file.encoding
    }

    /// Whether all lines are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.file.text.len()
    }

    /// The next line and its number, counted from 1, unless it is one to stop before.
    pub(super) fn next_unless(&mut self, stop: impl Fn(&str) -> bool) -> Option<(usize, &str)> {
        let (line, length) = first_line(&self.file.text[self.at..])?;
        if stop(line) {
            return None;
        }
        self.at += length;
        self.number += 1;
        Some((self.number, line))
    }

    /// Adds the warning about invalid bytes to a game that was read up to here, see
    /// [`ReadRecord::warn_of_broken_bytes`].
    pub(super) fn warn_of_broken_bytes(&mut self, game: &mut ReadRecord) {
        game.warn_of_broken_bytes(&mut self.file, self.number);
    }
}
