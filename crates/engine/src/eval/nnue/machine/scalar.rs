//! The instructions of every processor.

use crate::eval::nnue::{
    layers::{Code, MOST_OUTPUTS, Task},
    weights::{Block, LANES, Layer},
};

/// Runs a task.
#[inline]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    task.run(Scalar)
}

/// The reference.
#[derive(Clone, Copy)]
struct Scalar;

impl Code for Scalar {
    fn clip(self, sums: &[Block], inputs: &mut [u8]) {
        for (inputs, sums) in inputs.as_chunks_mut::<LANES>().0.iter_mut().zip(sums) {
            for (input, sum) in inputs.iter_mut().zip(&sums.0) {
                *input = (*sum).clamp(0, 127) as u8;
            }
        }
    }

    fn multiply(self, sums: &[Block], inputs: &mut [u8]) {
        let (first, second) = sums.split_at(sums.len() / 2);
        let inputs = inputs.as_chunks_mut::<LANES>().0;
        for ((inputs, first), second) in inputs.iter_mut().zip(first).zip(second) {
            for ((input, first), second) in inputs.iter_mut().zip(&first.0).zip(&second.0) {
                let product =
                    i32::from((*first).clamp(0, 254)) * i32::from((*second).clamp(0, 254));
                *input = (product / 512) as u8;
            }
        }
    }

    fn layer(self, layer: &Layer, inputs: &[u8], outputs: &mut [i32; MOST_OUTPUTS]) {
        let groups = layer.biases.len() / 8;
        outputs[..8 * groups].copy_from_slice(&layer.biases);
        let tiles = layer.tiles.chunks_exact(groups);
        for (inputs, tiles) in inputs.as_chunks::<4>().0.iter().zip(tiles) {
            if *inputs == [0; 4] {
                continue;
            }
            for (outputs, tile) in outputs.as_chunks_mut::<8>().0.iter_mut().zip(tiles) {
                for (output, weights) in outputs.iter_mut().zip(&tile.0) {
                    for (input, weight) in inputs.iter().zip(weights) {
                        *output = output.wrapping_add(i32::from(*input) * i32::from(*weight));
                    }
                }
            }
        }
    }
}
