//! Networks of the NNUE family, as YaneuraOu and most engines of computer shogi read them from `nn.bin`.
//!
//! ```text
//!  file ── architecture, leb128 ── weights ─┐
//!  pieces ── view ── rows of the inputs ────┼─ evaluator ── accumulate, refresh: sums of both views
//!  random, fit: files with random and with trained weights
//!                                           └─ layers, compiled by machine with the code of each set of instructions ── scale
//! ```
//!
//! kyomi's own network (`super::network`) has one layer, other sums and weights that are trained here; its numbers and
//! files change with it. This module changes only with the files of others; a network that is trained here can have such
//! a file too (`fit`). So the two share the cache of values, and in trainings the inputs of positions.
//!
//! The value is that of YaneuraOu to the last unit. Sources: the format and the arithmetic are those of YaneuraOu, which
//! took them from Yu Nasu's "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi" (2018);
//! the SFNN family follows Stockfish.

mod accumulate;
mod architecture;
mod evaluator;
mod file;
#[cfg(feature = "fit")]
mod fit;
mod layers;
mod leb128;
mod machine;
mod pieces;
mod random;
mod refresh;
mod scale;
mod view;
mod weights;

pub use architecture::{Architecture, InputFeatures};
pub use evaluator::NnueEvaluator;
pub use file::NnueFileError;
#[cfg(feature = "fit")]
pub use fit::{ActiveRows, FloatNnue, Grid, Grids};
pub use random::write_random;
pub use scale::Scale;
pub use weights::NnueWeights;

/// The instructions that evaluations run with on this processor.
pub fn instructions() -> String {
    machine::Machine::fastest().to_string()
}
