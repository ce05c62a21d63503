//! The versions of the format that are written.

use crate::Encoding;

/// A version of the format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 2.2. Keys that only 3.0 has are written as comments that begin like a key, as shogi-server does.
    V22,
    /// 3.0. Its first line names the encoding.
    V30(Encoding),
}

impl Version {
    /// 3.0 in UTF-8.
    pub(super) const USUAL: Self = Self::V30(Encoding::Utf8);
}

/// The line that names the encoding, without its end: the first line of 3.0, and a comment in 2.2.
pub(super) fn encoding_line(encoding: Encoding) -> String {
    match encoding {
        // The name in the specification.
        Encoding::ShiftJis => "'CSA encoding=SHIFT_JIS".to_owned(),
        encoding => format!("'CSA encoding={encoding}"),
    }
}
