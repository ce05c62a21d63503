//! From the sums of both views to the output of the network.
//!
//! ```text
//!  sums of the mover ──┐ clipped to 0..=127, or in the SFNN family
//!                      ├─ the products of both halves ── layer ── clipped ── layer ── clipped ── layer ── output
//!  sums of the other ──┘
//! ```
//!
//! Everything is computed with whole numbers as the other programs of this family do, to the last unit. The code is
//! compiled once for each set of instructions of [`machine`](super::machine), which supplies the code of a layer.

use super::weights::{Block, LANES, Layer, NnueWeights};

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

/// The most inputs of a layer.
pub(super) const MOST_INPUTS: usize = 2048;
/// Weights of the layers are fractions of 64.
pub(super) const WEIGHT_BITS: u32 = 6;

/// Room for the inputs of a layer, aligned for the widest registers.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Inputs<const N: usize = MOST_INPUTS>([u8; N]);

impl<const N: usize> Default for Inputs<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

/// The output of the network. `sums` are those of the side to move and of the other side; `stack` selects the layers;
/// `inputs` is overwritten.
#[inline(always)]
pub(super) fn output(
    weights: &NnueWeights,
    sums: [&[Block]; 2],
    stack: usize,
    inputs: &mut Inputs,
    code: impl Code,
) -> i32 {
    let [first, second, last] = &weights.stacks[stack];
    let [count, next] = weights.architecture.hidden;
    let is_stacked = weights.architecture.is_stacked();
    let width = if is_stacked { LANES / 2 } else { LANES } * weights.blocks();
    let (mover, other) = inputs.0.split_at_mut(width);
    let other = &mut other[..width];
    if is_stacked {
        code.multiply(sums[0], mover);
        code.multiply(sums[1], other);
    } else {
        code.clip(sums[0], mover);
        code.clip(sums[1], other);
    }
    let mut outputs = [0; MOST_OUTPUTS];
    code.layer(first, &inputs.0[..2 * width], &mut outputs);

    let mut hidden = Inputs::<MOST_OUTPUTS>::default();
    let direct = if is_stacked {
        let (squares, clipped) = hidden.0.split_at_mut(count);
        for i in 0..count {
            squares[i] = squared(outputs[i]);
            clipped[i] = activated(outputs[i]);
        }
        outputs[count]
    } else {
        activate(&outputs, &mut hidden.0[..count]);
        0
    };
    let inputs = if is_stacked { (2 * count).next_multiple_of(4) } else { count };
    code.layer(second, &hidden.0[..inputs], &mut outputs);
    activate(&outputs, &mut hidden.0[..next]);
    code.layer(last, &hidden.0[..next], &mut outputs);
    outputs[0].wrapping_add(direct)
}

#[inline(always)]
fn activate(outputs: &[i32; MOST_OUTPUTS], inputs: &mut [u8]) {
    for (input, output) in inputs.iter_mut().zip(outputs) {
        *input = activated(*output);
    }
}

/// The input of the next layer from an output.
#[inline(always)]
fn activated(output: i32) -> u8 {
    (output >> WEIGHT_BITS).clamp(0, 127) as u8
}

/// The other input of the next layer in the SFNN family.
#[inline(always)]
fn squared(output: i32) -> u8 {
    let output = output.clamp(i16::MIN.into(), i16::MAX.into());
    ((output * output) >> (2 * WEIGHT_BITS + 7)).min(127) as u8
}
