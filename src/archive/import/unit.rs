//! A unit of work: a piece of a file, and the games in it.

use std::sync::Arc;

use crate::archive::index::GameRows;
use crate::record::{Format, GameColumns, HEAD_BYTES, Pieces, ReadRecord, RecordError};

/// A file or a member of an archive, with the data that shows whether it has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileKey {
    pub(super) path: String,
    pub(super) member: String,
    pub(super) size: i64,
    pub(super) stamp: i64,
}

impl FileKey {
    /// The name in messages.
    pub(super) fn name(&self) -> String {
        if self.member.is_empty() {
            self.path.clone()
        } else {
            format!("{} ({})", self.path, self.member)
        }
    }
}

/// A piece of a file that is read by one thread.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) file: Arc<FileKey>,
    pub(super) content: Content,
    /// The number of the line after this piece, for lists.
    pub(super) lines: i64,
    /// Whether the file ends here.
    pub(super) is_last: bool,
    /// Bytes of the input that this piece stands for.
    pub(super) bytes: u64,
}

/// The content of a piece.
#[derive(Debug)]
pub(super) enum Content {
    /// A whole record file.
    Whole(Vec<u8>),
    /// Whole lines of a table.
    Rows { columns: Arc<GameColumns>, text: Vec<u8>, first_line: usize },
    /// Whole lines of a list.
    Lines { text: Vec<u8>, first_line: usize },
    /// A fault of the file itself.
    Fault(String),
    /// The end of the file.
    Nothing,
}

/// The games and errors read from a piece.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) file: Arc<FileKey>,
    /// The games, with their numbers in the file (lines, for lists).
    pub(super) games: Vec<(usize, GameRows)>,
    /// What cannot be read; the first are kept.
    pub(super) faults: Vec<String>,
    /// The number of all faults.
    pub(super) fault_count: usize,
    pub(super) lines: i64,
    pub(super) is_last: bool,
    pub(super) bytes: u64,
}

impl Unit {
    /// Reads the games.
    pub(super) fn parse(self) -> Parsed {
        let Self { file, content, lines, is_last, bytes } = self;
        let mut parsed = Parsed {
            file,
            games: Vec::new(),
            faults: Vec::new(),
            fault_count: 0,
            lines,
            is_last,
            bytes,
        };
        match content {
            Content::Whole(bytes) => parsed.whole(&bytes),
            Content::Rows { columns, text, first_line } => {
                for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
                    let number = first_line + index;
                    if let Some(game) = columns.read(&String::from_utf8_lossy(line), number) {
                        parsed.take(number, game);
                    }
                }
            }
            Content::Lines { text, first_line } => {
                for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
                    let number = first_line + index;
                    if line.iter().all(u8::is_ascii_whitespace) || line.starts_with(b"#") {
                        continue;
                    }
                    let game = Format::Usi.read_each(line).next();
                    let shifted = |error: RecordError| RecordError {
                        place: error.place.shifted(number - 1),
                        ..error
                    };
                    match game {
                        Some(Ok(mut game)) => {
                            game.fault = game.fault.map(shifted);
                            parsed.take(number, Ok(game));
                        }
                        Some(Err(error)) => parsed.take(number, Err(shifted(error))),
                        None => {}
                    }
                }
            }
            Content::Fault(fault) => parsed.fault(fault),
            Content::Nothing => {}
        }
        parsed
    }

    /// Whether these bytes are a list that is read line by line.
    pub(super) fn is_list(name: &std::path::Path, head: &[u8]) -> bool {
        Format::detect(Some(name), head).is_some_and(|format| format == Format::Usi)
            && Format::Usi.pieces() == Pieces::Lines
    }
}

impl Parsed {
    fn whole(&mut self, bytes: &[u8]) {
        let name = if self.file.member.is_empty() { &self.file.path } else { &self.file.member };
        let name = name.strip_suffix(".gz").unwrap_or(name);
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        let Some(format) = Format::detect(Some(std::path::Path::new(name)), head) else {
            return self.fault("not a record: no known format".to_owned());
        };
        if format == Format::Sfen {
            return self.fault("a list of positions, not of games".to_owned());
        }
        for (index, game) in format.read_each(bytes).enumerate() {
            self.take(index + 1, game);
        }
    }

    fn take(&mut self, number: usize, game: Result<ReadRecord, RecordError>) {
        match game {
            Ok(read) => {
                let is_broken = read.fault.is_some();
                if let Some(fault) = read.fault {
                    self.fault(fault.to_string());
                }
                // The moves before an invalid one are kept as a game, if there are any.
                if !is_broken || !read.record.moves.is_empty() {
                    self.games.push((number, GameRows::of(&read.record)));
                }
            }
            Err(error) => self.fault(error.to_string()),
        }
    }

    fn fault(&mut self, fault: String) {
        self.fault_count += 1;
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }
}

/// The number of faults that are kept of a piece.
const MOST_FAULTS: usize = 20;
