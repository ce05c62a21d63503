//! The values of positions, and the gradients of the loss in the weights.
//!
//! The first layer goes through a group of positions block by block, so that the weights of a block stay in the cache.
//! The inner loops have a fixed number of lanes, so that the compiler makes vector instructions of them.

use kyomi_engine::eval::nnue::ActiveRows;
use kyomi_shogi::machine::Work;

use super::super::losses::NetworkLosses;
use super::super::rows::Row;
use super::parameters::{Hidden, Lanes, Weights, Wide};
use super::{BLOCKS, HIDDEN, INPUTS, LANES};

/// Computes the losses of some positions, and adds their gradients if `gradients` is given.
pub(super) struct Pass<'a> {
    pub(super) weights: &'a Weights,
    pub(super) rows: &'a [Row],
    /// The indices of the positions, each of which may have [`MIRRORED`].
    pub(super) numbers: &'a [u32],
    pub(super) gradients: Option<&'a mut Weights>,
}

/// The bit of an index that stands for the position with its board mirrored left to right, which has the same value.
pub(in crate::train::network) const MIRRORED: u32 = 1 << 31;

/// An index, and whether the position is mirrored.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn position(number: u32) -> (usize, bool) {
    ((number & !MIRRORED) as usize, number & MIRRORED != 0)
}

/// The number of positions of a group.
const GROUP: usize = 128;

impl Work for Pass<'_> {
    type Output = NetworkLosses;

    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn run(self) -> NetworkLosses {
        let Self { weights, rows, numbers, mut gradients } = self;
        let mut losses = NetworkLosses::default();
        let mut active: Vec<[ActiveRows; 2]> = Vec::with_capacity(GROUP);
        // For each position the sums of its views, then the gradients in them.
        let mut sums: Vec<Wide> = vec![[[0.0; LANES]; 2 * BLOCKS]; GROUP];
        for group in numbers.chunks(GROUP) {
            active.clear();
            for number in group {
                let (index, is_mirrored) = position(*number);
                active.push(rows[index].inputs.king_and_piece_rows(is_mirrored));
            }
            add_rows(weights, &active, &mut sums);
            for (number, sums) in group.iter().zip(&mut sums) {
                let row = &rows[position(*number).0];
                let inputs = clipped(sums);
                let layers = Layers::of(weights, &inputs);
                let gradient = losses.count(layers.output, row.target(), row.weight);
                if let Some(gradients) = gradients.as_deref_mut() {
                    layers.backward(weights, &inputs, gradient, gradients, sums);
                }
            }
            if let Some(gradients) = gradients.as_deref_mut() {
                add_gradients(&active, &sums, gradients);
            }
        }
        losses
    }
}

/// The value of a position in logistic units.
pub(super) fn score(weights: &Weights, row: &Row) -> f32 {
    let mut sums = [[[0.0; LANES]; 2 * BLOCKS]];
    add_rows(weights, &[row.inputs.king_and_piece_rows(false)], &mut sums);
    Layers::of(weights, &clipped(&sums[0])).output
}

/// Computes the sums of the first layer.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn add_rows(weights: &Weights, active: &[[ActiveRows; 2]], sums: &mut [Wide]) {
    for block in 0..BLOCKS {
        let first = &weights.first[block * INPUTS..][..INPUTS];
        for (active, sums) in active.iter().zip(&mut *sums) {
            for view in 0..2 {
                let sums = &mut sums[view * BLOCKS + block];
                *sums = weights.first_biases[block];
                // Four rows at a time need fewer loads and stores of the sums.
                let (fours, rest) = active[view].as_chunks::<4>();
                for [a, b, c, d] in fours {
                    let (a, b) = (&first[usize::from(*a)], &first[usize::from(*b)]);
                    let (c, d) = (&first[usize::from(*c)], &first[usize::from(*d)]);
                    for i in 0..LANES {
                        sums[i] += (a[i] + b[i]) + (c[i] + d[i]);
                    }
                }
                for row in rest {
                    let row = &first[usize::from(*row)];
                    for i in 0..LANES {
                        sums[i] += row[i];
                    }
                }
            }
        }
    }
}

/// Adds the gradients of the first layer, of which those in the sums are given.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn add_gradients(active: &[[ActiveRows; 2]], sums: &[Wide], gradients: &mut Weights) {
    for block in 0..BLOCKS {
        let first = &mut gradients.first[block * INPUTS..][..INPUTS];
        let biases = &mut gradients.first_biases[block];
        for (active, sums) in active.iter().zip(sums) {
            for view in 0..2 {
                let below = sums[view * BLOCKS + block];
                for i in 0..LANES {
                    biases[i] += below[i];
                }
                for row in &active[view] {
                    let gradients = &mut first[usize::from(*row)];
                    for i in 0..LANES {
                        gradients[i] += below[i];
                    }
                }
            }
        }
    }
}

/// The values of the layers after the first one.
struct Layers {
    /// The sums of the hidden layers before they are clipped.
    second: Hidden,
    third: Hidden,
    output: f32,
}

impl Layers {
    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn of(weights: &Weights, inputs: &Wide) -> Self {
        let mut second = weights.second_biases;
        for (sum, weights) in second.iter_mut().zip(&weights.second) {
            *sum += dot(weights, inputs);
        }
        let mut third = weights.third_biases;
        let units = clipped_units(&second);
        for (sum, weights) in third.iter_mut().zip(&weights.third) {
            *sum += total(&product(weights, &units));
        }
        let output = weights.output_bias + total(&product(&weights.output, &clipped_units(&third)));
        Self { second, third, output }
    }

    /// Adds the gradients of a loss that has this gradient in the output. The sums of the first layer are replaced by
    /// the gradients in them.
    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn backward(
        &self,
        weights: &Weights,
        inputs: &Wide,
        gradient: f32,
        gradients: &mut Weights,
        sums: &mut Wide,
    ) {
        let units = clipped_units(&self.third);
        let mut below = [0.0; HIDDEN];
        gradients.output_bias += gradient;
        for i in 0..HIDDEN {
            gradients.output[i] += gradient * units[i];
            below[i] = gradient * weights.output[i];
        }
        let third = where_free(&self.third, &below);

        let units = clipped_units(&self.second);
        let mut below = [0.0; HIDDEN];
        for (unit, gradient) in third.into_iter().enumerate() {
            gradients.third_biases[unit] += gradient;
            let (weights, gradients) = (&weights.third[unit], &mut gradients.third[unit]);
            for i in 0..HIDDEN {
                gradients[i] += gradient * units[i];
                below[i] += gradient * weights[i];
            }
        }
        let second = where_free(&self.second, &below);

        let mut below = [[0.0; LANES]; 2 * BLOCKS];
        for (unit, gradient) in second.into_iter().enumerate() {
            if gradient == 0.0 {
                continue;
            }
            gradients.second_biases[unit] += gradient;
            let (weights, gradients) = (&weights.second[unit], &mut gradients.second[unit]);
            for block in 0..2 * BLOCKS {
                for i in 0..LANES {
                    gradients[block][i] += gradient * inputs[block][i];
                    below[block][i] += gradient * weights[block][i];
                }
            }
        }
        for block in 0..2 * BLOCKS {
            sums[block] = where_free(&sums[block], &below[block]);
        }
    }
}

/// The gradients, 0 where the sum is clipped.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn where_free<const N: usize>(sums: &[f32; N], gradients: &[f32; N]) -> [f32; N] {
    let mut free = [0.0; N];
    for i in 0..N {
        let is_free = sums[i] > 0.0 && sums[i] < 1.0;
        free[i] = if is_free { gradients[i] } else { 0.0 };
    }
    free
}

/// The sums limited to 0 to 1.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn clipped(sums: &Wide) -> Wide {
    let mut units = [[0.0; LANES]; 2 * BLOCKS];
    for block in 0..2 * BLOCKS {
        units[block] = clipped_units(&sums[block]);
    }
    units
}

#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn clipped_units<const N: usize>(sums: &[f32; N]) -> [f32; N] {
    let mut units = [0.0; N];
    for i in 0..N {
        units[i] = sums[i].clamp(0.0, 1.0);
    }
    units
}

#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn dot(weights: &Wide, inputs: &Wide) -> f32 {
    let mut products: Lanes = [0.0; LANES];
    for block in 0..2 * BLOCKS {
        for i in 0..LANES {
            products[i] += weights[block][i] * inputs[block][i];
        }
    }
    let mut halves = [0.0; LANES / 2];
    for i in 0..LANES / 2 {
        halves[i] = products[i] + products[i + LANES / 2];
    }
    total(&halves)
}

#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn product(weights: &Hidden, units: &Hidden) -> Hidden {
    let mut products = [0.0; HIDDEN];
    for i in 0..HIDDEN {
        products[i] = weights[i] * units[i];
    }
    products
}

/// The sum of the numbers, added in an order that vectors have.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn total(numbers: &[f32; 32]) -> f32 {
    let mut eight = [0.0; 8];
    for i in 0..8 {
        eight[i] = (numbers[i] + numbers[i + 8]) + (numbers[i + 16] + numbers[i + 24]);
    }
    let mut four = [0.0; 4];
    for i in 0..4 {
        four[i] = eight[i] + eight[i + 4];
    }
    (four[0] + four[1]) + (four[2] + four[3])
}
