//! Learned move probabilities (docs/search.md, section 1.16): a factor on the even share of each move, learned from the
//! moves of experts.
//!
//! - `layout` numbers the weights. Those of the target and of the origin of a move depend on the squares of both kings.
//! - `file` reads and writes the weights. `kyomi-lab train moves` fits them, with `fit`.
//! - [`LearnedInterest`] holds them by the real squares, so that a move costs a look-up for each king.
//!
//! A weight is a logarithm: [`OCTAVE`] units double the share. The weights of the target of a drop are rounded
//! ([`DROP_STEP`]), so that drops of equal interest can still be listed as sets.

mod file;
#[cfg(feature = "fit")]
mod fit;
mod layout;
mod tables;

#[cfg(feature = "fit")]
pub use file::{LearnedFileError, moves_file};
#[cfg(feature = "fit")]
pub use fit::{KingViews, LearnedMove, VALUES, shift_all, with_shared};
pub(super) use layout::{ATTACKED, BAD, CAPTURE, CHECK, PROMOTION, RECAPTURE, SAFETY, real_views};
pub(in crate::search) use tables::LearnedInterest;
#[cfg(feature = "fit")]
pub use tables::LearnedWeights;
pub(super) use tables::{SquareWeights, View, level_weight};

/// The number of weight units that double the even share of a move.
pub const OCTAVE: i32 = 16;

/// The largest sum of the weights of a move that counts, and its negative the smallest.
pub(super) const MOST: i32 = 3 * OCTAVE;

/// The weights of the target of a drop are rounded to multiples of this.
const DROP_STEP: i32 = 20;
