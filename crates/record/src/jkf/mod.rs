//! JKF, the JSON record format of web viewers (`json-kifu-format`).
//!
//! A file is one object: `header` with the Japanese keys of KIF, `initial` (a handicap by name, or board, hands and
//! side to move), and `moves`, whose first element stands for the start position. An element has a `move` or a
//! `special` (an end word of CSA), `time`, `comments` and `forks`: lists of elements that replace it in a variation.
//!
//! Incomplete files are read too: a move needs only its squares, and a drop its piece. Redundant values are checked,
//! with a warning where they are wrong. Analyses are in comments, as in KIF. Times are whole seconds.

mod json;
mod read;
mod start;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub use read::read_each;
pub use write::write;

use super::spec::{Certainty, FormatSpec, LARGEST_GAME, Pieces, Recognize, Write};

pub(super) const JKF: FormatSpec = FormatSpec {
    name: "jkf",
    summary: "JSON Kifu Format, UTF-8",
    omits: "fractions of seconds, move number; one game a file",
    extension: "jkf",
    utf8_extension: "jkf",
    other_extensions: &["json"],
    separator: None,
    pieces: Pieces::Whole,
    largest_file: Some(LARGEST_GAME),
    recognize: Recognize::Text(recognize),
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::utf8(|record, _, omissions| write(record, omissions)),
};

/// A JSON object; for certain if it has a key of the format.
fn recognize(text: &str) -> Option<Certainty> {
    if !text.starts_with('{') {
        return None;
    }
    let has_key = ["\"moves\"", "\"header\"", "\"initial\""].iter().any(|key| text.contains(key));
    Some(if has_key { Certainty::Certain } else { Certainty::Likely })
}
