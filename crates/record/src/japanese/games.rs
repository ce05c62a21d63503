//! The games of a file.

use crate::lines::first_line;
use crate::{Decoded, Place, ReadRecord, RecordError, RecordFault, decode};

use super::header;
use super::read::{Reader, VERSION};

/// Reads the games of a file one by one. Most files have one. In concatenated files, a header line after the moves
/// of a game begins the next one. A file without any game is one error.
pub fn read_each(bytes: &[u8]) -> Games {
    let mut bytes = bytes;
    while let [before @ .., DOS_END] = bytes {
        bytes = before;
    }
    Games { file: decode(bytes), at: 0, number: 0, is_empty: true }
}

/// The games of a file, read on demand.
#[derive(Clone, Debug)]
pub struct Games {
    file: Decoded,
    /// The byte where the next line begins, and the number of lines before it.
    at: usize,
    number: usize,
    /// Whether no game was found yet.
    is_empty: bool,
}

impl Iterator for Games {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut game = Reader::new(self.file.encoding);
        while let Some((line, length)) = first_line(self.file.text.get(self.at..)?) {
            if game.has_reached_moves() && begins_game(line) {
                break;
            }
            self.at += length;
            self.number += 1;
            game.line(self.number, line);
        }
        if let Some(mut found) = game.finish() {
            self.is_empty = false;
            if let Ok(game) = &mut found {
                game.warn_of_broken_bytes(&mut self.file, self.number);
            }
            return Some(found);
        }
        let nothing = std::mem::replace(&mut self.is_empty, false);
        nothing.then_some(Err(Place::text(1, 1).error(NO_GAME)))
    }
}

/// Whether a line after the moves of a game begins another one.
fn begins_game(line: &str) -> bool {
    line.starts_with(VERSION)
        || header::split(line).is_some_and(|(key, value)| header::begins_game(key, value))
}

const NO_GAME: RecordFault = RecordFault::NoGame {
    expected: "a KIF or KI2 record has headers as 先手：, or moves as ７六歩(77) or ▲７六歩",
};

/// Marks the end of a text file in DOS.
const DOS_END: u8 = 0x1a;
