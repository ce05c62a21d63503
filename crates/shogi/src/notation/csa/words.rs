//! The two-letter words of pieces.

use crate::PieceKind;

/// By [`PieceKind::index`].
const WORDS: [&str; 14] =
    ["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

/// The word of a kind: `FU` for a pawn.
pub const fn piece_word(kind: PieceKind) -> &'static str {
    WORDS[kind.index()]
}

/// The kind of a word in capitals.
pub fn word_piece(word: &str) -> Option<PieceKind> {
    kind_of_bytes(word.as_bytes().try_into().ok()?)
}

pub(super) fn kind_of_bytes(word: [u8; 2]) -> Option<PieceKind> {
    PieceKind::ALL.into_iter().find(|kind| WORDS[kind.index()].as_bytes() == word)
}
