//! A large book that stays on disk: positions are found by binary search.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
};

use parking_lot::Mutex;

use kyomi_shogi::Position;

use super::{
    entry::{BookMove, combine, key_of},
    table::{TableReader, fits},
    text::{self, BookLine, LONGEST_GAP, LONGEST_LINE},
};

/// A book on disk whose positions are sorted by their bytes.
#[derive(Debug)]
pub struct DiskBook {
    file: Mutex<File>,
    bytes: u64,
}

/// A line with a position.
#[derive(Debug)]
struct PositionLine {
    /// The byte offset of its first byte.
    start: u64,
    /// The byte offset of the next line.
    end: u64,
    key: String,
}

impl DiskBook {
    /// A book in this file.
    ///
    /// # Errors
    /// The system's error.
    pub fn new(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self { file: Mutex::new(file), bytes })
    }

    /// Whether the positions of `SAMPLES` places of the file are sorted.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_sorted(&self) -> io::Result<bool> {
        let mut file = self.file.lock();
        let mut last: Option<PositionLine> = None;
        for sample in 0..SAMPLES {
            let from = self.bytes / SAMPLES * sample;
            if last.as_ref().is_some_and(|last| last.end > from) {
                continue;
            }
            let Some(found) = next_position(&mut file, from)? else { break };
            if last.is_some_and(|last| last.key > found.key) {
                return Ok(false);
            }
            last = Some(found);
        }
        Ok(true)
    }

    /// The moves of a position, the best first. With a `ply`, only of entries that have this number or none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn moves(&self, position: &Position, ply: Option<u16>) -> io::Result<Vec<BookMove>> {
        let key = key_of(position);
        let mut file = self.file.lock();
        let Some(start) = self.first_not_before(&mut file, &key)? else { return Ok(Vec::new()) };
        file.seek(SeekFrom::Start(start))?;
        let mut lines = Lines::new(&mut *file);
        let mut reader = TableReader::default();
        while let Some(line) = lines.next()? {
            if let BookLine::Position(text) = text::recognize(&line)
                && without_ply(text) != *key
            {
                break;
            }
            reader.line(&line);
        }
        let (table, _) = reader.finish();
        let fitting = table.into_entries().into_iter().filter(|entry| fits(entry.ply, ply));
        Ok(combine(fitting.flat_map(|entry| entry.moves).collect()))
    }

    /// The start of the first position that is not before `key`.
    fn first_not_before(&self, file: &mut File, key: &str) -> io::Result<Option<u64>> {
        // Invariant: all positions that begin before `low` are less than the key, and `best` is not. The first position
        // that is not less than the key begins between `low` and `high`, or is `best`.
        let (mut low, mut high, mut best) = (0, self.bytes, None);
        while low < high {
            let middle = low + (high - low) / 2;
            match next_position(file, middle)? {
                Some(found) if found.start < high => {
                    if found.key.as_str() < key {
                        low = found.end;
                    } else {
                        best = Some(found.start);
                        high = middle;
                    }
                }
                _ => high = middle,
            }
        }
        Ok(best)
    }
}

/// The first line with a position that begins at `from` or later.
fn next_position(file: &mut File, from: u64) -> io::Result<Option<PositionLine>> {
    // A line begins here if the byte before is a line feed, so reading starts one byte earlier.
    let before = from.saturating_sub(1);
    file.seek(SeekFrom::Start(before))?;
    let mut lines = Lines::new(file);
    lines.offset = before;
    if from > 0 {
        lines.next()?;
    }
    let first = lines.offset;
    loop {
        let start = lines.offset;
        let Some(line) = lines.next()? else { return Ok(None) };
        if let BookLine::Position(text) = text::recognize(&line) {
            return Ok(Some(PositionLine { start, end: lines.offset, key: without_ply(text) }));
        }
        if start - first > LONGEST_GAP {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("no position within {} MiB after byte {first}", LONGEST_GAP >> 20),
            ));
        }
    }
}

/// A position without its ply.
fn without_ply(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    words.join(" ")
}

/// The lines of a file from here.
struct Lines<R> {
    source: BufReader<R>,
    /// The byte offset of the next line.
    offset: u64,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    fn new(source: R) -> Self {
        Self { source: BufReader::with_capacity(READ_AT_ONCE, source), offset: 0, line: Vec::new() }
    }

    /// The next line. A line longer than [`LONGEST_LINE`] is returned as an empty one.
    fn next(&mut self) -> io::Result<Option<String>> {
        self.line.clear();
        let most = LONGEST_LINE as u64 + 1;
        let read = (&mut self.source).take(most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.offset += read as u64;
        if read > LONGEST_LINE && self.line.last() != Some(&b'\n') {
            self.skip_rest()?;
            self.line.clear();
        }
        Ok(Some(String::from_utf8_lossy(&self.line).into_owned()))
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        self.offset += self.source.skip_until(b'\n')? as u64;
        Ok(())
    }
}

/// The number of places at which a file is tested for its order.
const SAMPLES: u64 = 512;

/// The buffer size in bytes. A position with its moves is rarely longer.
const READ_AT_ONCE: usize = 1 << 12;
