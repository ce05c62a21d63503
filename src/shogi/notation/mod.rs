//! Text of squares, moves and positions.
//!
//! - [`sfen`]: positions in one line.
//! - [`usi`]: moves (`7g7f`) and `position` lines.
//! - [`csa`]: moves (`+7776FU`), piece words, and position blocks (`P1`..`P9`, `PI`, `P+`, the side line).
//! - [`japanese`]: pieces, hands and moves as people read them (`▲７六歩(77)`), written only.
//!
//! Parsers never panic; their errors are typed, name the column (counted in characters, from 1) or the word, and
//! say what would be right.

pub mod csa;
pub mod japanese;
pub mod sfen;
pub mod usi;

/// The beginning of a word, short enough for a message and without control characters.
pub(in crate::shogi) fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(24).filter(|c| !c.is_control()).collect();
    if text.chars().nth(24).is_some() {
        clipped.push('…');
    }
    clipped
}
