//! Comments of a book, which the programs that write books keep beside positions and moves.

use std::fmt::Write as _;

use kyomi_shogi::Move;

/// The first line of a book file. It looks like a comment.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// A comment of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookComment {
    /// The move it belongs to; `None`: the position.
    pub of: Option<Move>,
    /// The text without marks of comments, one or more lines.
    pub text: Box<str>,
}

/// One comment of several: their lines, each line once. The result does not depend on their order. `None` if they are
/// empty.
pub(super) fn join_comments(mut texts: Vec<&str>) -> Option<Box<str>> {
    texts.sort_unstable();
    texts.dedup();
    if let [text] = texts[..] {
        return (!text.is_empty()).then(|| text.into());
    }
    let mut lines: Vec<&str> = Vec::new();
    for line in texts.into_iter().flat_map(str::lines) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let text = lines.join("\n");
    (!text.is_empty()).then(|| text.into())
}

/// The lines of a comment as they are kept: without control characters, and so short that they can be read again.
pub(super) fn comment_lines(text: &str) -> Vec<String> {
    let clean: Vec<char> =
        text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.is_empty() {
        return vec![String::new()];
    }
    let lines = clean.chunks(LONGEST).map(|line| line.iter().collect::<String>());
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// Writes a comment, a line for each of its lines.
pub(super) fn write_comment(out: &mut String, text: &str) {
    for line in text.split('\n').flat_map(comment_lines) {
        let mark = if HEADER.strip_prefix('#') == Some(&line) { "//" } else { "#" };
        // Without an error: the text is in memory.
        let _ = writeln!(out, "{mark}{line}");
    }
}

/// The longest line of a comment, in characters. A file may have longer lines, but not if each character has four bytes.
const LONGEST: usize = 4000;
