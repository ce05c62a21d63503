//! The CSA record format.
//!
//! Written is 3.0 (2024-05-14), or 2.2 on wish. Beyond the format stand four comment lines of our
//! own, which other programs pass over: `'*clock` for what the `$TIME` keys cannot tell, `'*info` for
//! the depth of an analysis and the length of a mate, `'*end` for an end that the version has no word
//! for, and `'*key` for a header of another format. A comment that begins like a key (`'$NOTE:`) is read as that key, since shogi-server
//! writes such ones, and 2.2 is written so where only 3.0 has the key.

mod analysis;
mod keys;
mod read;
mod recognize;
mod statement;
mod version;
mod write;

#[cfg(test)]
mod tests;

pub(super) use analysis::read_analysis;
pub use analysis::read_thought;
pub use read::{Games, read, read_each};
pub use version::Version;
pub use write::{write, write_as, write_comment, write_end, write_header, write_move};

use super::spec::{FormatSpec, LARGEST_FILE, LineEnd, Pieces, Recognize, Write};
use super::{Encoding, decode};

pub(super) const CSA_2_2: FormatSpec = FormatSpec {
    name: "csa",
    summary: "CSA 2.2, Shift_JIS; any version is read",
    omits: "variations, fractions of seconds, move number",
    extension: "csa",
    utf8_extension: "csa",
    other_extensions: &[],
    separator: Some("/\r\n"),
    pieces: Pieces::Whole,
    largest_file: Some(LARGEST_FILE),
    recognize: Recognize::Line(recognize::recognize),
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::Text {
        // The one that files without an encoding line are in; only 3.0 has that line.
        usual_encoding: Encoding::ShiftJis,
        line_end: LineEnd::CrLf,
        text: |record, _, omissions| write_as(record, Version::V22, omissions),
        // Names in half-width katakana, for example, that are kanji in another encoding.
        encoding_line: Some(|bytes, encoding| {
            let is_misread = !bytes.is_ascii() && decode(bytes).encoding != encoding;
            is_misread.then(|| version::encoding_line(encoding) + "\n")
        }),
    },
};

/// Its files are recognized, and known by their extension, as those of [`CSA_2_2`].
pub(super) const CSA_3_0: FormatSpec = FormatSpec {
    name: "csa3",
    summary: "CSA 3.0, UTF-8; any version is read",
    omits: "variations, move number",
    separator: Some("/\n"),
    recognize: Recognize::Never,
    write: Write::Text {
        usual_encoding: Encoding::Utf8,
        line_end: LineEnd::Lf,
        text: |record, encoding, omissions| write_as(record, Version::V30(encoding), omissions),
        encoding_line: None,
    },
    ..CSA_2_2
};
