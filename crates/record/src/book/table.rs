//! A book in memory.

use std::io::{self, BufRead, Read as _};

use kyomi_shogi::{Move, Position};

use super::{
    comment::{HEADER, comment_lines, join_comments, write_comment},
    entry::{BookEntry, BookMove, combine, key_of},
    text::{self, BookFaults, BookLine, LONGEST_GAP, LONGEST_LINE, LineFault},
};

/// A book in memory: positions in the order of their text, with all that the file has of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookTable {
    entries: Vec<BookEntry>,
    /// The comment before the first position, one or more lines; empty if there is none.
    comment: Box<str>,
}

/// The moves that [`BookTable::filtered`] keeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct BookFilter {
    /// The least count of a move.
    pub min_count: u64,
    /// The greatest number of a position's move; `None`: no limit. Positions without a number stay.
    pub max_ply: Option<u16>,
    /// How much worse than the best move of its position a move may be, in centipawns; `None`: no limit.
    pub margin: Option<u32>,
    /// The number of moves of a position that stay, the best ones; `None`: no limit.
    pub most: Option<usize>,
}

impl BookTable {
    /// Reads a book, in any order. Lines that cannot be read are skipped and reported.
    ///
    /// # Errors
    /// The error of the source, or it is no book: a line has no end, or there is no position for a long time, as in a
    /// device.
    pub fn read(mut source: impl BufRead) -> io::Result<(Self, BookFaults)> {
        let mut reader = TableReader::default();
        let mut line = Vec::new();
        let mut before_positions = 0;
        loop {
            line.clear();
            let most = LONGEST_LINE as u64 + 1;
            if (&mut source).take(most).read_until(b'\n', &mut line)? == 0 {
                return Ok(reader.finish());
            }
            let mut skipped = 0;
            if line.len() > LONGEST_LINE && line.last() != Some(&b'\n') {
                skipped = (&mut source).take(LONGEST_GAP).skip_until(b'\n')?;
                reader.skip_long_line(&String::from_utf8_lossy(&line));
            } else {
                reader.line(&text::decode(&line));
            }
            if reader.entries.is_empty() {
                before_positions += (line.len() + skipped) as u64;
            }
            if before_positions.max(skipped as u64) >= LONGEST_GAP {
                let problem =
                    format!("no position within {} MiB, so it is no book", LONGEST_GAP >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
        }
    }

    /// A table of these entries, in any order.
    pub fn new(mut entries: Vec<BookEntry>) -> Self {
        entries.sort_by(|a, b| (&a.sfen, a.ply).cmp(&(&b.sfen, b.ply)));
        Self { entries, comment: Box::default() }
    }

    /// All that these tables have, each position once.
    pub fn joined(tables: Vec<Self>) -> Self {
        let comments = tables.iter().map(|it| &*it.comment).filter(|it| !it.is_empty()).collect();
        let comment = join_comments(comments).unwrap_or_default();
        let entries = tables.into_iter().flat_map(|table| table.entries).collect();
        Self { comment, ..Self::new(entries) }.merged()
    }

    /// The positions, in order.
    pub fn entries(&self) -> &[BookEntry] {
        &self.entries
    }

    /// The entries, in order.
    pub fn into_entries(self) -> Vec<BookEntry> {
        self.entries
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The moves of a position, the best first. With a `ply`, only of entries that have this number or none.
    pub fn moves(&self, position: &Position, ply: Option<u16>) -> Vec<BookMove> {
        let key = key_of(position);
        let first = self.entries.partition_point(|entry| entry.sfen < key);
        let same = self.entries[first..].iter().take_while(|entry| entry.sfen == key);
        combine(same.filter(|entry| fits(entry.ply, ply)).flat_map(|it| it.moves.clone()).collect())
    }

    /// The same book with each position once. The number of its move is the smallest of them. Comments are joined.
    #[must_use]
    pub fn merged(self) -> Self {
        let mut entries: Vec<BookEntry> = Vec::with_capacity(self.entries.len());
        for entry in self.entries {
            match entries.last_mut() {
                Some(last) if last.sfen == entry.sfen => {
                    last.moves.extend(entry.moves);
                    last.comments.extend(entry.comments);
                    if last.ply == 0 {
                        last.ply = entry.ply;
                    }
                }
                _ => entries.push(entry),
            }
        }
        for entry in &mut entries {
            entry.moves = combine(std::mem::take(&mut entry.moves));
            entry.sort_comments();
        }
        Self { entries, ..self }
    }

    /// Drops the moves that the filter excludes, and positions without moves. Their comments go with them.
    #[must_use]
    pub fn filtered(self, filter: &BookFilter) -> Self {
        let mut table = self.merged();
        table.entries.retain_mut(|entry| {
            if filter.max_ply.is_some_and(|most| entry.ply > most) {
                return false;
            }
            entry.moves.retain(|it| it.count >= filter.min_count);
            if let (Some(margin), Some(best)) =
                (filter.margin, entry.moves.iter().map(BookMove::compared_score).max())
            {
                entry.moves.retain(|it| !it.is_beyond(best, margin));
            }
            entry.moves.truncate(filter.most.unwrap_or(usize::MAX));
            entry.sort_comments();
            !entry.moves.is_empty()
        });
        table
    }

    /// The text of the book. `comments` follow the header, a line each, before the comment of the book.
    pub fn write(&self, comments: &[String]) -> String {
        let mut out = format!("{HEADER}\n");
        for comment in comments {
            write_comment(&mut out, &format!(" {}", comment.replace('\n', " ")));
        }
        if !self.comment.is_empty() {
            write_comment(&mut out, &self.comment);
        }
        for entry in &self.entries {
            text::write_entry(&mut out, entry);
        }
        out
    }
}

/// Whether an entry with the ply `entry_ply` (0: any) applies to `ply` (`None`: any).
pub(super) fn fits(entry_ply: u16, ply: Option<u16>) -> bool {
    entry_ply == 0 || ply.is_none_or(|ply| ply == entry_ply)
}

/// Parses lines into entries.
#[derive(Debug, Default)]
pub(super) struct TableReader {
    entries: Vec<BookEntry>,
    /// The lines of the comment before the first position.
    comment: Vec<String>,
    /// The move of the last entry to which a comment belongs; `None`: its position.
    commented: Option<Move>,
    faults: BookFaults,
    target: MoveTarget,
    line: usize,
}

/// The position of the next move line.
#[derive(Debug, Default)]
enum MoveTarget {
    #[default]
    Start,
    /// None: the last position line was invalid, so its moves are skipped.
    Skipped,
    /// The last entry, which has this position.
    Entry(Box<Position>),
}

impl TableReader {
    pub(super) fn line(&mut self, line: &str) {
        self.line += 1;
        let read = match text::recognize(line) {
            BookLine::Nothing => Ok(()),
            BookLine::Comment(text) => {
                self.add_comment(text);
                Ok(())
            }
            BookLine::Position(text) => match text::read_position(text) {
                Ok((position, entry)) => {
                    self.entries.push(entry);
                    self.commented = None;
                    self.target = MoveTarget::Entry(Box::new(position));
                    Ok(())
                }
                Err(fault) => {
                    self.target = MoveTarget::Skipped;
                    Err(fault)
                }
            },
            BookLine::Move(text) => match (&self.target, self.entries.last_mut()) {
                (MoveTarget::Entry(position), Some(entry)) => {
                    let read = text::read_move(position, text);
                    // This may be a damaged position line, so the following moves are not those of the last entry.
                    if read.is_err() && text.contains('/') {
                        self.target = MoveTarget::Skipped;
                    }
                    self.commented = read.as_ref().ok().map(|(it, _)| it.mv);
                    read.map(|(it, comment)| {
                        entry.moves.push(it);
                        if !comment.is_empty() {
                            entry.comment(Some(it.mv), comment);
                        }
                    })
                }
                (MoveTarget::Skipped, _) => Ok(()),
                _ => Err(LineFault::Early),
            },
        };
        if let Err(fault) = read {
            self.faults.add(self.line, fault);
        }
    }

    fn add_comment(&mut self, text: &str) {
        match (&self.target, self.entries.last_mut()) {
            (MoveTarget::Entry(_), Some(entry)) => entry.comment(self.commented, text),
            (MoveTarget::Start, _) => self.comment.extend(comment_lines(text)),
            // It goes with its position.
            _ => {}
        }
    }

    /// Skips a line that begins so.
    fn skip_long_line(&mut self, beginning: &str) {
        self.line += 1;
        self.faults.add(self.line, LineFault::Long);
        // It may have been a position line.
        if !matches!(text::recognize(beginning), BookLine::Comment(_)) {
            self.target = MoveTarget::Skipped;
        }
    }

    pub(super) fn finish(mut self) -> (BookTable, BookFaults) {
        self.entries.iter_mut().for_each(BookEntry::sort_comments);
        let comment = self.comment.join("\n").into();
        (BookTable { comment, ..BookTable::new(self.entries) }, self.faults)
    }
}
