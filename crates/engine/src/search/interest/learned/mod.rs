//! Learned move probabilities (docs/search.md, section 1.16): a factor on the even share of each move, learned from the
//! moves of experts.
//!
//! - `layout` numbers the weights. Those of the target and of the origin of a move depend on the squares of both kings.
//! - `file` reads and writes the weights. `kyomi-lab train moves` fits them.
//! - [`LearnedInterest`] holds them by the real squares, so that a move costs a look-up for each king.
//!
//! A weight is a logarithm: [`OCTAVE`] units double the share. The weights of the target of a drop are rounded
//! ([`DROP_STEP`]), so that drops of equal interest can still be listed as sets.

mod file;
mod layout;
mod tables;

pub use file::LearnedFileError;
pub use file::moves_file;
pub(in crate::search::interest) use layout::WEIGHTS;
pub(super) use layout::{
    ATTACKED, BAD, CAPTURE, CHECK, CLASSES, PROMOTION, RECAPTURE, SAFETY, real_views,
};
pub use layout::{KingViews, LearnedMove, VALUES, shift_all, with_shared};
pub(in crate::search) use tables::LearnedInterest;
pub use tables::LearnedWeights;
pub(super) use tables::{Row, level_weight};

/// The number of weight units that double the even share of a move.
pub const OCTAVE: i32 = 16;

/// The largest sum of the weights of a move that counts, and its negative the smallest.
pub(super) const MOST: i32 = 3 * OCTAVE;

/// The weights of the target of a drop are rounded to multiples of this.
const DROP_STEP: i32 = 20;
