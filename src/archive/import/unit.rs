//! A unit of work: a piece of a file, and the games in it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::archive::index::GameRows;
use kyomi_record::{Format, GameColumns, HEAD_BYTES, Pieces, ReadRecord, RecordError, decode};

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
    /// The archive has this member no more.
    Gone,
}

impl Content {
    /// The size in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Whole(text) | Self::Rows { text, .. } | Self::Lines { text, .. } => text.len(),
            Self::Fault(_) | Self::Nothing | Self::Gone => 0,
        }
    }
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
    /// The size of the content in bytes.
    pub(super) size: usize,
    /// Whether the archive has this member no more.
    pub(super) is_gone: bool,
    /// Whether games are missing because the import was stopped.
    pub(super) is_cut: bool,
}

impl Unit {
    /// Reads the games, unless `stop` is set.
    pub(super) fn parse(self, stop: &AtomicBool) -> Parsed {
        let Self { file, content, lines, is_last, bytes } = self;
        let mut parsed = Parsed {
            file,
            games: Vec::new(),
            faults: Vec::new(),
            fault_count: 0,
            lines,
            is_last,
            bytes,
            size: content.size(),
            is_gone: matches!(content, Content::Gone),
            is_cut: false,
        };
        match content {
            Content::Whole(bytes) => parsed.whole(&bytes, stop),
            Content::Rows { columns, text, first_line } => {
                for (index, line) in in_any_encoding(&text).split('\n').enumerate() {
                    let number = first_line + index;
                    if let Some(game) = columns.read(line, number) {
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
            Content::Nothing | Content::Gone => {}
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
    fn whole(&mut self, bytes: &[u8], stop: &AtomicBool) {
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
            if stop.load(Ordering::Relaxed) {
                self.is_cut = true;
                return;
            }
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

/// Lines as text: UTF-8, or else the encoding that is the most plausible one of them all.
fn in_any_encoding(lines: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(lines).map_or_else(|_| Cow::Owned(decode(lines).text), Cow::Borrowed)
}

/// The number of faults that are kept of a piece.
const MOST_FAULTS: usize = 20;
