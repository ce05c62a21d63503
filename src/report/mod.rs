//! Records looked at: a moment of a game, and its picture (layer 4).
//!
//! - [`Moment`]: a record at one ply: the position, the move that led there, how it is written.
//! - [`board_svg`]: a position as a picture that scales, in one self-contained SVG element.
//! - [`Script`]: whether pieces are named in Japanese or by letters.
//!
//! Everything here is pure: a value goes in, text comes out. Names and comments may come from
//! anywhere; what is written into markup is escaped here, and nowhere else.
//!
//! Not here: files and terminals.

mod moment;
mod svg;

pub use moment::{Moment, MomentError};
pub use svg::{BoardOptions, board_svg};

/// In what writing pieces, squares and sides are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Script {
    /// `飛`, `７六`, `先手`.
    #[default]
    Japanese,
    /// SFEN letters and ASCII only: `R`, `7f`, `Black`.
    Letters,
}
