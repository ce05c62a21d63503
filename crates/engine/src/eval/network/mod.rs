//! A small network whose output is added to the sum of fitted weights.
//!
//! ```text
//!  inputs of the mover's view ───── sums of the hidden units ─┐
//!                                                             ├─ clipped, squared ── output in centipawns
//!  inputs of the opponent's view ── sums of the hidden units ─┘
//! ```
//!
//! Both views share the weights of the first layer. A view has one set of these weights for each zone of its king
//! ([`KingZones`]). All numbers are integers. The sums of the hidden units are updated from move to move. The code
//! exists once. It is compiled for every processor and for those with AVX2 (`shogi::machine`), so
//! that both give the same result.
//!
//! `kyomi-lab train network` and `kyomi-lab train comparisons` fit the weights, [`Network`] reads and writes the file with
//! them. The network in use is part of the program ([`Network::builtin`]).

mod evaluator;
mod file;
#[cfg(feature = "fit")]
mod fit;
mod inputs;
mod sums;
mod weights;

pub use evaluator::SumAndNetwork;
pub use file::{NetworkFileError, UNKNOWN_CHECKSUM};
#[cfg(feature = "fit")]
pub use fit::{FloatNetwork, NetworkInputs};
pub use inputs::{INPUTS, KingZones};
#[cfg(feature = "fit")]
pub(super) use inputs::{in_hand, on_board};
pub use weights::Network;

/// The number of hidden units that are computed together. The width of a network is a multiple of it.
pub const LANES: usize = 64;
/// The largest width of a network.
pub const MAX_WIDTH: usize = 1024;
/// The value of an active hidden unit.
const ONE: i32 = 255;
/// The range of the weight 1.0 of the second layer. Each network has the largest with which its weights have 8 bits.
const OUTPUT_ONES: std::ops::RangeInclusive<i32> = 64..=1024;
/// The largest weight of the second layer in whole numbers.
const MOST_OUTPUT: i16 = 127;
/// The output 1.0 in centipawns.
pub const OUTPUT_UNIT: i32 = 200;
/// The largest weight of the first layer, as a multiple of an active unit. A sum has at most 40 inputs and a bias, so
/// that it stays within 16 bits.
pub const MAX_WEIGHT: f32 = 3.1;
/// The largest bias of the output.
pub const MAX_BIAS: f32 = 10.0;
/// The largest weight of the second layer.
pub const MAX_OUTPUT_WEIGHT: f32 = 127.0 / 64.0;

#[cfg(test)]
mod tests;
