//! The lines of a book file.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 30 12 1500
//! 2g2f none 20 12 1400
//! ```
//! A line of a move has the move, the reply (`none`), the score in centipawns from the side to move, the depth and the
//! count. The last ones may be missing. `#` and `//` begin a comment. Line ends are LF or CRLF.

use std::fmt::{self, Write as _};

use crate::shogi::{Position, notation::usi};

use super::entry::{BookEntry, BookMove, key_of};

/// The first line of a book file.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// The position cannot be read; its moves are skipped.
    #[error("the position cannot be read: {0}; its moves are skipped")]
    Position(String),
    /// A move without a position before it.
    #[error("a move before the first position")]
    Early,
    /// The first word is not a move.
    #[error("'{0}' is not a move; expected the form 7g7f, 8h2b+ or P*5e")]
    Move(String),
    /// The move is not legal in its position.
    #[error("{0} is not legal there")]
    Illegal(String),
    /// The reply is neither a move nor `none`.
    #[error("the reply '{0}' is neither a move nor none")]
    Reply(String),
    /// A score, depth or count is not a whole number.
    #[error("'{0}' is not a whole number")]
    Number(String),
    /// The line is very long.
    #[error("longer than {} KiB", LONGEST_LINE >> 10)]
    Long,
}

/// A line that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookFault {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: LineFault,
}

impl fmt::Display for BookFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

/// The lines of a file that were skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookFaults {
    /// The first of them, at most [`BookFaults::KEPT`].
    pub first: Vec<BookFault>,
    /// How many there are.
    pub count: usize,
}

impl BookFaults {
    /// How many are kept.
    pub const KEPT: usize = 20;

    pub(super) fn add(&mut self, line: usize, fault: LineFault) {
        self.count += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(BookFault { line, fault });
        }
    }

    /// One line about all of them; `None` if there are none.
    pub fn summary(&self) -> Option<String> {
        let first = self.first.first()?;
        Some(match self.count {
            1 => format!("1 line is skipped: {first}"),
            count => format!("{count} lines are skipped; the first: {first}"),
        })
    }
}

/// What a line is.
#[derive(Debug)]
pub(super) enum BookLine<'a> {
    /// Empty, or a comment.
    Nothing,
    /// A position, after `sfen`.
    Position(&'a str),
    /// A move.
    Move(&'a str),
}

/// Recognizes a line, whose end may be there or not.
pub(super) fn recognize(line: &str) -> BookLine<'_> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
        return BookLine::Nothing;
    }
    match line.split_once(char::is_whitespace) {
        Some(("sfen", rest)) => BookLine::Position(rest.trim_start()),
        None if line == "sfen" => BookLine::Position(""),
        _ => BookLine::Move(line),
    }
}

/// Reads a position, and whether it gives its number.
pub(super) fn read_position(text: &str) -> Result<(Position, BookEntry), LineFault> {
    // A comment may follow.
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let ply: u16 = words.get(3).and_then(|word| word.parse().ok()).unwrap_or(0);
    let text = words.get(..3).map(|three| format!("{} 1", three.join(" ")));
    let read = match &text {
        Some(text) => Position::from_sfen(text),
        None => Position::from_sfen(&words.join(" ")),
    };
    let position = read.map_err(|error| LineFault::Position(clip(&error.reason())))?;
    if text.is_none() {
        return Err(LineFault::Position("the side to move and the hands are missing".to_owned()));
    }
    let entry = BookEntry { sfen: key_of(&position), ply, moves: Vec::new() };
    Ok((position, entry))
}

/// Reads a move of a position.
pub(super) fn read_move(position: &Position, text: &str) -> Result<BookMove, LineFault> {
    let mut words = text
        .split_whitespace()
        .take_while(|word| !word.starts_with('#') && !word.starts_with("//"));
    let word = words.next().unwrap_or_default();
    let mv = usi::parse_move(word).map_err(|_| LineFault::Move(clip(word)))?;
    if !position.is_legal(mv) {
        return Err(LineFault::Illegal(clip(word)));
    }
    let reply = match words.next() {
        None | Some("none" | "None" | "-") => None,
        Some(word) => Some(usi::parse_move(word).map_err(|_| LineFault::Reply(clip(word)))?),
    };
    let score = number(words.next())?;
    let depth = number(words.next())?;
    let count = number(words.next())?;
    Ok(BookMove { mv, reply, score, depth, count })
}

fn number<T: std::str::FromStr + Default>(word: Option<&str>) -> Result<T, LineFault> {
    let Some(word) = word else { return Ok(T::default()) };
    word.parse().map_err(|_| LineFault::Number(clip(word)))
}

fn clip(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// Writes one position with its moves.
pub(super) fn write_entry(out: &mut String, entry: &BookEntry) {
    // Without an error: the text is in memory.
    let _ = match entry.ply {
        0 => writeln!(out, "sfen {}", entry.sfen),
        ply => writeln!(out, "sfen {} {ply}", entry.sfen),
    };
    for BookMove { mv, reply, score, depth, count } in &entry.moves {
        let reply = reply.map_or_else(|| "none".to_owned(), |reply| reply.to_string());
        let _ = writeln!(out, "{mv} {reply} {score} {depth} {count}");
    }
}

/// The longest line that is read, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 14;

/// A file without a position within this number of bytes is damaged, or no book.
pub(super) const LONGEST_GAP: u64 = 4 << 20;
