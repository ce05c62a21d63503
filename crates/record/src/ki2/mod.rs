//! KI2, the record format for reading: moves as newspapers print them, several on a line.
//!
//! A move is written as side, target square, piece, and what distinguishes it from other moves of such pieces:
//! `▲５八金右`. The format has no times, and analyses are not written. All dialects are read, see [`read_each`].

mod write;

#[cfg(test)]
mod tests;

pub use super::japanese::{Games, read_each};
pub use write::write;

use super::japanese::begins_with_mark;
use super::kif;
use super::spec::{Certainty, FormatSpec, Recognize, Write};

pub(super) const KI2: FormatSpec = FormatSpec {
    name: "ki2",
    summary: "KI2, Shift_JIS; the moves as books print them",
    omits: "times, analysis; one game a file",
    extension: "ki2",
    utf8_extension: "ki2u",
    recognize: Recognize::Line(recognize),
    write: Write::shift_jis(|record, _, omissions| write(record, omissions)),
    ..kif::KIF
};

/// A line of moves. Headers are those of KIF.
fn recognize(line: &str) -> Option<Certainty> {
    begins_with_mark(line.trim_start()).then_some(Certainty::Certain)
}
