//! Text of squares, moves and positions.
//!
//! - [`sfen`]: positions in one line.
//! - [`usi`]: moves (`7g7f`) and `position` lines.
//! - [`csa`]: moves (`+7776FU`), piece words, and position blocks (`P1`..`P9`, `PI`, `P+`, the side line).
//! - [`japanese`]: pieces, hands and moves as people read them (`▲７六歩(77)`), written only.
//!
//! Parsers never panic; their errors are typed, name the column (counted in characters, from 1) or the word, and
//! say what is expected.

pub mod csa;
pub mod japanese;
pub mod sfen;
pub mod usi;

use super::text::clip;
