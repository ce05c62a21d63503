//! What an evaluation needs of a set of instructions, and what is compiled for each of them.

use super::weights::{Block, Layer};

/// The most outputs of a layer.
pub(super) const MOST_OUTPUTS: usize = 64;

/// An evaluation that is compiled for each set of instructions. Its `run` and all that it calls must be inlined, and
/// have no closures: a function that is compiled separately uses the instructions of every processor.
pub(super) trait Task {
    type Output;

    fn run(self, code: impl Code) -> Self::Output;
}

/// Code that is written for a set of instructions.
pub(super) trait Code: Copy {
    /// The inputs of the first layer from the sums of a view: limited to 0 to 127.
    fn clip(self, sums: &[Block], inputs: &mut [u8]);

    /// The same in the SFNN family, whose sums are twice as large: each of the first half times that of the second.
    fn multiply(self, sums: &[Block], inputs: &mut [u8]);

    /// The outputs of a layer from inputs whose number is a multiple of four.
    fn layer(self, layer: &Layer, inputs: &[u8], outputs: &mut [i32; MOST_OUTPUTS]);
}
