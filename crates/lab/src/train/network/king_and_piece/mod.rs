//! A network of the K-P architecture in training, in place of the whole evaluation.
//!
//! ```text
//!  rows of the mover's view ───── 256 sums ─┐
//!                                           ├─ clipped to 0..=1 ── 32 units ── clipped ── 32 units ── clipped ── value
//!  rows of the opponent's view ── 256 sums ─┘
//! ```
//!
//! Losses are those of the numbers that the file can hold, nearest to the parameters, and the parameters are changed by
//! their gradients (Y. Bengio and others, *Estimating or Propagating Gradients Through Stochastic Neurons*, 2013). So
//! the file has what was learnt.

mod parameters;
mod pass;

pub(super) use parameters::{KingAndPiece, WholeKingAndPiece};
pub(super) use pass::MIRRORED;

/// The number of inputs of a view.
const INPUTS: usize = Architecture::KING_AND_PIECE.features.rows();
/// The number of sums of a view.
const HALF: usize = Architecture::KING_AND_PIECE.half;
/// The number of units of each hidden layer.
const HIDDEN: usize = Architecture::KING_AND_PIECE.hidden[0];
const _: () = assert!(HIDDEN == Architecture::KING_AND_PIECE.hidden[1]);
/// The number of adjacent sums that are computed together.
const LANES: usize = 64;
/// The number of blocks in a view with this number of sums.
const BLOCKS: usize = HALF / LANES;

use kyomi_engine::eval::nnue::Architecture;

#[cfg(test)]
mod tests;
