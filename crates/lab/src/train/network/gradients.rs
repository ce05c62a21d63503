//! The output of the network, and the gradients of the loss in its weights.
//!
//! The inner loops have a fixed number of lanes, so that the compiler makes vector instructions of them.

use std::ops::Deref;

use kyomi_engine::eval::network::{LANES, OUTPUT_UNIT};
use kyomi_shogi::machine::Work;

use super::losses::NetworkLosses;
use super::parameters::{Lanes, Parameters, Shape};
use super::rows::Row;

/// Gradients of the loss in the weights, summed over positions.
#[derive(Debug)]
pub(in crate::train) struct Gradients {
    /// `[zone][input][block]`.
    pub(in crate::train) first: Vec<Lanes>,
    /// `[block]`.
    pub(in crate::train) biases: Vec<Lanes>,
    /// `[mover, opponent][block]`.
    pub(in crate::train) second: Vec<Lanes>,
    pub(in crate::train) bias: f32,
}

impl Gradients {
    pub(in crate::train) fn new(shape: Shape) -> Self {
        let blocks = shape.blocks();
        Self {
            first: vec![[0.0; LANES]; shape.first() / LANES],
            biases: vec![[0.0; LANES]; blocks],
            second: vec![[0.0; LANES]; 2 * blocks],
            bias: 0.0,
        }
    }
}

/// Computes the losses of some positions, and adds their gradients if `gradients` is given.
pub(super) struct Pass<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) rows: &'a [Row],
    /// The indices of the positions.
    pub(super) numbers: &'a [u32],
    pub(super) gradients: Option<&'a mut Gradients>,
    /// One logistic unit in centipawns.
    pub(super) unit: f32,
}

impl Work for Pass<'_> {
    type Output = NetworkLosses;

    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn run(self) -> NetworkLosses {
        let Self { parameters, rows, numbers, mut gradients, unit } = self;
        let output_unit = OUTPUT_UNIT as f32 / unit;
        let Shape { zones, .. } = parameters.shape;
        let blocks = parameters.shape.blocks();
        let mut units = vec![[0.0; LANES]; 2 * blocks];
        let mut losses = NetworkLosses::default();
        for &number in numbers {
            let row = &rows[number as usize];
            let active = row.inputs.rows(zones);
            let output = forward(parameters, &active, &mut units);
            let score = row.base / unit + output * output_unit;
            let gradient = losses.count(score, row.target(), row.weight);
            let Some(gradients) = gradients.as_deref_mut() else { continue };
            backward(parameters, &active, &units, gradient * output_unit, gradients);
        }
        losses
    }
}

/// Computes the sums of the hidden units of both views, and the output, from the active rows of both views.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
pub(in crate::train) fn forward(
    parameters: &Parameters,
    active: &[impl Deref<Target = [u32]>; 2],
    units: &mut [Lanes],
) -> f32 {
    let blocks = parameters.shape.blocks();
    let (first, second) = (parameters.first(), parameters.second());
    let mut outputs = [0.0; LANES];
    for (side, active) in active.iter().enumerate() {
        for block in 0..blocks {
            let units = &mut units[side * blocks + block];
            *units = parameters.biases()[block];
            // Four rows at a time need fewer loads and stores of the units.
            let (fours, rest) = active.as_chunks::<4>();
            for four in fours {
                let [a, b, c, d] = four.map(|row| &first[row as usize * blocks + block]);
                for i in 0..LANES {
                    units[i] += (a[i] + b[i]) + (c[i] + d[i]);
                }
            }
            for row in rest {
                let weights = &first[*row as usize * blocks + block];
                for i in 0..LANES {
                    units[i] += weights[i];
                }
            }
            let weights = &second[side * blocks + block];
            for i in 0..LANES {
                let unit = clipped(units[i]);
                outputs[i] += unit * unit * weights[i];
            }
        }
    }
    outputs.iter().sum::<f32>() + parameters.bias()
}

/// Adds the gradients of a loss that has this gradient in the output. The units are those of [`forward`].
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
pub(in crate::train) fn backward(
    parameters: &Parameters,
    active: &[impl Deref<Target = [u32]>; 2],
    units: &[Lanes],
    gradient: f32,
    gradients: &mut Gradients,
) {
    let blocks = parameters.shape.blocks();
    let weights = parameters.second();
    gradients.bias += gradient;
    for (side, active) in active.iter().enumerate() {
        for block in 0..blocks {
            let at = side * blocks + block;
            let (units, weights) = (&units[at], &weights[at]);
            let mut below = [0.0; LANES];
            let (biases, second) = (&mut gradients.biases[block], &mut gradients.second[at]);
            for i in 0..LANES {
                let unit = clipped(units[i]);
                second[i] += gradient * unit * unit;
                // The gradient is 0 where the unit is clipped.
                let inside = if unit < 1.0 { unit } else { 0.0 };
                below[i] = 2.0 * gradient * weights[i] * inside;
                biases[i] += below[i];
            }
            for row in active.iter() {
                let gradients = &mut gradients.first[*row as usize * blocks + block];
                for i in 0..LANES {
                    gradients[i] += below[i];
                }
            }
        }
    }
}

/// The output for a position in centipawns.
pub(super) fn centipawns(parameters: &Parameters, row: &Row) -> f32 {
    let mut units = vec![[0.0; LANES]; 2 * parameters.shape.blocks()];
    forward(parameters, &row.inputs.rows(parameters.shape.zones), &mut units) * OUTPUT_UNIT as f32
}

/// The value of a hidden unit, 0 to 1.
#[allow(clippy::inline_always, reason = "see `Work`")]
#[inline(always)]
fn clipped(sum: f32) -> f32 {
    sum.clamp(0.0, 1.0)
}
