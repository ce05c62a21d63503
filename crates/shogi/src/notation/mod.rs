//! Text of squares, moves and positions.
//!
//! - [`sfen`]: positions in one line.
//! - [`usi`]: moves (`7g7f`) and `position` lines.
//! - [`csa`]: moves (`+7776FU`), piece words, and position blocks (`P1`..`P9`, `PI`, `P+`, the side line).
//! - [`japanese`]: pieces, hands and moves in Japanese (`▲７六歩(77)`), for output only.
//! - [`western`]: moves in letters (`P7g-7f`), for output only.
//!
//! Parsers never panic. Their errors are typed, and state the column (in characters, from 1) or the word, and what is
//! expected.

pub mod csa;
pub mod japanese;
pub mod sfen;
pub mod usi;
pub mod western;

use super::text::clip;
