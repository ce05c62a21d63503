//! The versions of the format that are written.

use crate::record::Encoding;

/// A version of the format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 2.2. What it has no key for stands in comments that begin like a key, as on shogi-server.
    V22,
    /// 3.0, whose first line names the encoding.
    V30(Encoding),
}

impl Version {
    /// 3.0 in UTF-8.
    pub(super) const USUAL: Self = Self::V30(Encoding::Utf8);
}

/// The first line of 3.0, without its end, which names the encoding; a comment in 2.2.
pub(super) fn encoding_line(encoding: Encoding) -> String {
    match encoding {
        // As the format has it.
        Encoding::ShiftJis => "'CSA encoding=SHIFT_JIS".to_owned(),
        encoding => format!("'CSA encoding={encoding}"),
    }
}
