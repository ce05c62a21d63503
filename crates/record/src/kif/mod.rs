//! KIF, the record format of Kifu for Windows, which most Japanese programs read.
//!
//! A move is written as target square, piece, and origin, one on a line with its number and time: `   1 ７六歩(77)   (
//! 0:16/00:00:16)`. All dialects are read, see [`read_each`]. Records are written as Kifu for Windows writes them,
//! with analyses in comments. Times are whole seconds. Lines of the header are read in `japanese/header.rs`, time controls
//! (持ち時間) in `japanese/clock.rs`.

mod write;

#[cfg(test)]
mod tests;

pub use super::japanese::{Games, read_each};
pub use write::write;

use super::japanese::begins_with_mark;
use super::spec::{Certainty, FormatSpec, LARGEST_GAME, Pieces, Recognize, Write};

pub(super) const KIF: FormatSpec = FormatSpec {
    name: "kif",
    summary: "KIF, Shift_JIS; .kifu in UTF-8",
    omits: "fractions of seconds; one game a file",
    extension: "kif",
    utf8_extension: "kifu",
    other_extensions: &[],
    separator: None,
    pieces: Pieces::Whole,
    largest_file: Some(LARGEST_GAME),
    recognize: Recognize::Line(recognize),
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::shift_jis(write),
};

/// Lines that only KIF records have, and headers, which KI2 records may have too.
fn recognize(line: &str) -> Option<Certainty> {
    let line = line.trim_start();
    if line.starts_with("#KIF") || line.starts_with("手数-") || is_move(line) {
        return Some(Certainty::Certain);
    }
    let is_header =
        line.contains('：') && !line.starts_with(['*', '#', '\'']) && !begins_with_mark(line);
    is_header.then_some(Certainty::Likely)
}

/// `1 ７六歩(77)`, `12 同　銀(31)`, `50 投了`: a number, then a square or a Japanese word.
fn is_move(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=5).contains(&digits) {
        return false;
    }
    let rest = &line[digits..];
    let word = rest.trim_start();
    word.len() < rest.len()
        && word.chars().next().is_some_and(|c| {
            matches!(c, '１'..='９' | '一'..='龠' | '1'..='9')
                && word.chars().nth(1).is_some_and(|c| !c.is_ascii())
        })
}
