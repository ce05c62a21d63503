//! KI2, the record format for reading: moves as papers print them, several on a line.
//!
//! A move is told by the side, the square it goes to, the piece, and what distinguishes it from other
//! moves of such pieces: `▲５八金右`. It has no times, and what engines said is not written. Read are
//! all dialects, see [`read_each`].

mod write;

#[cfg(test)]
mod tests;

pub use super::japanese::{Games, read_each};
pub use write::write;

use super::Encoding;
use super::japanese::begins_with_mark;
use super::spec::{Certainty, FormatSpec, LARGEST_GAME, LineEnd, Pieces, Recognize, Write};

pub(super) const KI2: FormatSpec = FormatSpec {
    name: "ki2",
    summary: "KI2, Shift_JIS; the moves as books print them",
    omits: "times, analysis; one game a file",
    extension: "ki2",
    utf8_extension: "ki2u",
    other_extensions: &[],
    separator: None,
    pieces: Pieces::Whole,
    largest_file: Some(LARGEST_GAME),
    recognize: Recognize::Line(recognize),
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::Text {
        // The one that programs assume which do not look into the file.
        usual_encoding: Encoding::ShiftJis,
        line_end: LineEnd::CrLf,
        text: |record, _, omissions| write(record, omissions),
        encoding_line: None,
    },
};

/// A line of moves. Headers are those of KIF.
fn recognize(line: &str) -> Option<Certainty> {
    begins_with_mark(line.trim_start()).then_some(Certainty::Certain)
}
