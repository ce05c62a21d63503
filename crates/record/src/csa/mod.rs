//! The CSA record format.
//!
//! Records are written in 3.0 (2024-05-14), or in 2.2 if asked for. Four comment lines are extensions of this
//! program, which other programs ignore: `'*clock` for what the `$TIME` keys cannot hold, `'*info` for the depth of
//! an analysis and the length of a mate, `'*end` for an end that has no word in the version, and `'*key` for a
//! header of another format. A comment that begins like a key (`'$NOTE:`) is read as that key: shogi-server writes
//! such comments, and so does this program in 2.2 for keys that only 3.0 has. The star of any other comment `'*text`
//! is not part of its text, and analyses in the comments of other programs are read as in KIF.
//!
//! shogi-server states the result of a game in a comment, `'summary:time up:a lose:b win`, often without an end word.

mod comment;
mod keys;
mod read;
mod recognize;
mod statement;
mod summary;
mod version;
mod write;

#[cfg(test)]
mod tests;

pub use super::csa_analysis::read_engine_comment;
pub use comment::plain_comment;
pub(super) use keys::derive_controls;
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
        // The encoding of files without an encoding line, which only 3.0 has.
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
    write: Write::utf8(|record, encoding, omissions| {
        write_as(record, Version::V30(encoding), omissions)
    }),
    ..CSA_2_2
};
