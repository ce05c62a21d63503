//! The games of a file.

use crate::file_lines::FileLines;
use crate::{Place, ReadRecord, RecordError, RecordFault};

use super::header;
use super::read::{Reader, VERSION};

/// Reads the games of a file one by one. Most files have one. In concatenated files, a header line after the moves
/// of a game begins the next one. A file without any game is one error.
pub fn read_each(bytes: &[u8]) -> Games {
    Games { lines: FileLines::new(bytes), is_empty: true }
}

/// The games of a file, read on demand.
#[derive(Clone, Debug)]
pub struct Games {
    lines: FileLines,
    /// Whether no game was found yet.
    is_empty: bool,
}

impl Iterator for Games {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut game = Reader::new(self.lines.encoding());
        while let Some((number, line)) =
            self.lines.next_unless(|line| game.has_reached_moves() && begins_game(line))
        {
            game.line(number, line);
        }
        if let Some(mut found) = game.finish() {
            self.is_empty = false;
            if let Ok(game) = &mut found {
                self.lines.warn_of_broken_bytes(game);
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
