//! The lines of a book file.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 30 12 1500
//! 2g2f none 20 12 1400
//! ```
//! A line of a move has the move, the reply, the score in centipawns from the side to move, the depth and the count. The
//! last ones may be missing. `none` stands for a reply, a score, a depth or a count that is not known; some versions of
//! ShogiHome write nothing in its place, so that two blanks follow each other. `#` and `//` begin a comment. It belongs to
//! the position or the move before it; before the first position it belongs to the book. Line ends are LF or CRLF.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

use kyomi_shogi::{Position, notation::usi};

use super::{
    comment::{HEADER, write_comment},
    entry::{BookEntry, BookMove},
};

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
    /// A score, depth or count is neither a whole number nor `none`.
    #[error("'{0}' is neither a whole number nor none")]
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
    /// Empty, or the header.
    Nothing,
    /// A comment, without its mark.
    Comment(&'a str),
    /// A position, after `sfen`.
    Position(&'a str),
    /// A move.
    Move(&'a str),
}

/// Recognizes a line, whose end may be there or not.
pub(super) fn recognize(line: &str) -> BookLine<'_> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line == HEADER {
        return BookLine::Nothing;
    }
    if let Some(text) = comment_text(line) {
        return BookLine::Comment(text);
    }
    match line.split_once(char::is_whitespace) {
        Some(("sfen", rest)) => BookLine::Position(rest.trim_start()),
        None if line == "sfen" => BookLine::Position(""),
        _ => BookLine::Move(line),
    }
}

/// The text of a comment without its mark; `None` if there is no mark.
fn comment_text(text: &str) -> Option<&str> {
    text.strip_prefix('#').or_else(|| text.strip_prefix("//"))
}

/// Splits a line into its first words, at most `most`, and the comment after them, which needs no mark after the last
/// word.
fn split_comment(text: &str, most: usize) -> (&str, &str) {
    let mut rest = text.trim_start();
    for _ in 0..most {
        if rest.is_empty() || comment_text(rest).is_some() {
            break;
        }
        rest = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
    }
    let words = text[..text.len() - rest.len()].trim();
    (words, comment_text(rest).unwrap_or(rest))
}

/// Reads the bytes of a line. What is not UTF-8 is decoded as a record is: comments may have any encoding.
pub(super) fn decode(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(crate::decode(line).text),
    }
}

/// Reads a position with its comment.
pub(super) fn read_position(text: &str) -> Result<(Position, BookEntry), LineFault> {
    let (first, comment) = split_comment(text, 4);
    let words: Vec<&str> = first.split_whitespace().collect();
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
    let mut entry = BookEntry { ply, ..BookEntry::new(&position) };
    if !comment.is_empty() {
        entry.comment(None, comment);
    }
    Ok((position, entry))
}

/// Reads a move of a position with its comment, which may be empty.
pub(super) fn read_move<'a>(
    position: &Position,
    text: &'a str,
) -> Result<(BookMove, &'a str), LineFault> {
    let (columns, comment) = columns(text);
    let mut words = columns.into_iter();
    let word = words.next().unwrap_or_default();
    let mv = usi::parse_move(word).map_err(|_| LineFault::Move(clip(word)))?;
    if !position.is_legal(mv) {
        return Err(LineFault::Illegal(clip(word)));
    }
    let reply = match words.next().and_then(known) {
        // The words of USI for the end of the game.
        None | Some("resign" | "win") => None,
        Some(word) => Some(usi::parse_move(word).map_err(|_| LineFault::Reply(clip(word)))?),
    };
    let score = number(words.next())?;
    let depth = number(words.next())?;
    let count = number(words.next())?.unwrap_or_default();
    Ok((BookMove { mv, reply, score, depth, count }, comment))
}

/// The columns of a move, and its comment.
fn columns(text: &str) -> (Vec<&str>, &str) {
    let (all, comment) = split_comment(text, usize::MAX);
    let single: Vec<&str> = all.split(' ').collect();
    // A missing value between single blanks, as opposed to columns that are aligned by blanks.
    let has_gap = single.iter().skip(2).any(|it| it.is_empty());
    if has_gap && single.len() <= COLUMNS && single.iter().take(2).all(|it| !it.is_empty()) {
        return (single, comment);
    }
    let (words, comment) = split_comment(text, COLUMNS);
    (words.split_whitespace().collect(), comment)
}

/// A value, unless it says that it is not known.
fn known(word: &str) -> Option<&str> {
    let is_none = word.is_empty() || word == "-" || word.eq_ignore_ascii_case("none");
    (!is_none).then_some(word)
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<Option<T>, LineFault> {
    let Some(word) = word.and_then(known) else { return Ok(None) };
    word.parse().map(Some).map_err(|_| LineFault::Number(clip(word)))
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
    let comment = |out: &mut String, of| {
        for comment in entry.comments.iter().filter(|it| it.of == of) {
            write_comment(out, &comment.text);
        }
    };
    comment(out, None);
    for (number, it) in entry.moves.iter().enumerate() {
        let BookMove { mv, reply, score, depth, count } = it;
        let reply = or_none(*reply);
        let _ = writeln!(out, "{mv} {reply} {} {} {count}", or_none(*score), or_none(*depth));
        // A move may be there twice.
        if !entry.moves[..number].iter().any(|before| before.mv == *mv) {
            comment(out, Some(*mv));
        }
    }
}

fn or_none(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// The columns of a move.
const COLUMNS: usize = 5;

/// The longest line that is read, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 14;

/// A file without a position within this number of bytes is damaged, or no book.
pub(super) const LONGEST_GAP: u64 = 4 << 20;
