//! Views of a record: a moment of a game, and its picture (layer 4).
//!
//! - [`Moment`]: a record at one ply, with the position and the move that led to it as text.
//! - [`board_svg`]: a position as a scalable picture, in one self-contained SVG element.
//! - [`times_table`]: who spent the time of each move.
//! - [`Script`]: whether pieces have Japanese names or letters.
//!
//! All functions here are pure: they turn values into text. Names and comments may come from an untrusted source;
//! everything written into markup is escaped here, and nowhere else.
//!
//! Not here: files and terminals.

mod moment;
mod svg;
mod times;

pub use moment::{Moment, MomentError};
pub use svg::{BoardOptions, board_svg};
pub use times::times_table;

/// The script in which pieces, squares and sides are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Script {
    /// `飛`, `７六`, `先手`.
    #[default]
    Japanese,
    /// SFEN letters and ASCII only: `R`, `7f`, `Black`.
    Letters,
}
