//! The parameters, the weights that follow from them, and the network with whole numbers.

use std::path::Path;

use kyomi_engine::eval::nnue::{Architecture, FloatNnue, Grid, Grids, NnueWeights};
use kyomi_shogi::machine::{Work, run_with_wide_vectors};

use super::super::losses::NetworkLosses;
use super::super::model::{Model, ValueModel, WholeNetwork, move_numbers};
use super::super::rows::Row;
use super::pass::{Pass, score};
use super::{BLOCKS, HALF, HIDDEN, INPUTS, LANES};

/// A network in training.
#[derive(Debug, Clone)]
pub(in crate::train::network) struct KingAndPiece {
    pub(super) values: Vec<f32>,
    /// The numbers of the file that are nearest to the values.
    pub(super) weights: Weights,
    grids: Grids,
}

/// Adjacent sums, or the weights of an input for them.
pub(super) type Lanes = [f32; LANES];
/// A number for each sum of both views, `[view][block]`.
pub(super) type Wide = [Lanes; 2 * BLOCKS];
/// A number for each unit of a hidden layer.
pub(super) type Hidden = [f32; HIDDEN];

/// The weights of a network, or gradients in them.
#[derive(Debug, Clone)]
pub(in crate::train::network) struct Weights {
    /// `[block][input]`.
    pub(super) first: Vec<Lanes>,
    /// `[block]`.
    pub(super) first_biases: [Lanes; BLOCKS],
    /// `[unit]`.
    pub(super) second: Vec<Wide>,
    pub(super) second_biases: Hidden,
    /// `[unit]`.
    pub(super) third: Vec<Hidden>,
    pub(super) third_biases: Hidden,
    pub(super) output: Hidden,
    pub(super) output_bias: f32,
}

/// The number of lists of weights.
const PARTS: usize = 8;

impl Weights {
    pub(super) fn zero() -> Self {
        Self {
            first: vec![[0.0; LANES]; BLOCKS * INPUTS],
            first_biases: [[0.0; LANES]; BLOCKS],
            second: vec![[[0.0; LANES]; 2 * BLOCKS]; HIDDEN],
            second_biases: [0.0; HIDDEN],
            third: vec![[0.0; HIDDEN]; HIDDEN],
            third_biases: [0.0; HIDDEN],
            output: [0.0; HIDDEN],
            output_bias: 0.0,
        }
    }

    /// All numbers as lists, in the order of the parameters.
    pub(super) fn parts(&self) -> [&[f32]; PARTS] {
        [
            self.first.as_flattened(),
            self.first_biases.as_flattened(),
            self.second.as_flattened().as_flattened(),
            &self.second_biases,
            self.third.as_flattened(),
            &self.third_biases,
            &self.output,
            std::slice::from_ref(&self.output_bias),
        ]
    }

    /// The same, to be changed.
    pub(super) fn parts_mut(&mut self) -> [&mut [f32]; PARTS] {
        [
            self.first.as_flattened_mut(),
            self.first_biases.as_flattened_mut(),
            self.second.as_flattened_mut().as_flattened_mut(),
            &mut self.second_biases,
            self.third.as_flattened_mut(),
            &mut self.third_biases,
            &mut self.output,
            std::slice::from_mut(&mut self.output_bias),
        ]
    }
}

/// The grid of each list of weights.
fn grids_of_parts(grids: &Grids) -> [Grid; PARTS] {
    let Grids { first, hidden, hidden_bias, output, output_bias } = *grids;
    [first, first, hidden, hidden_bias, hidden, hidden_bias, output, output_bias]
}

/// For each list the mean and the largest difference from it of the first values. About forty inputs are active, and a
/// unit is half active on average.
const FIRST_VALUES: [(f32, f32); PARTS] = [
    (0.0, 0.08),
    (0.4, 0.0),
    (0.0, 0.06),
    (0.4, 0.0),
    (0.0, 0.18),
    (0.3, 0.0),
    (0.0, 0.18),
    (0.0, 0.0),
];

impl KingAndPiece {
    /// A network with random weights, whose output 1 is this number of centipawns.
    pub(in crate::train::network) fn new(seed: u64, unit: f32) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let weights = Weights::zero();
        let mut values = Vec::new();
        for (part, (mean, spread)) in weights.parts().into_iter().zip(FIRST_VALUES) {
            values.extend(part.iter().map(|_| mean + (random.f32() * 2.0 - 1.0) * spread));
        }
        let mut network = Self { values, weights, grids: Grids::new(unit) };
        network.changed();
        network
    }
}

/// Sets weights to the numbers of a grid that are nearest to parameters.
struct Round<'a> {
    values: &'a [f32],
    weights: &'a mut [f32],
    grid: Grid,
}

impl Work for Round<'_> {
    type Output = ();

    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn run(self) {
        for (weight, value) in self.weights.iter_mut().zip(self.values) {
            *weight = self.grid.nearest(*value);
        }
    }
}

impl Model for KingAndPiece {
    type Gradients = Weights;

    fn zero_gradients(&self) -> Weights {
        Weights::zero()
    }

    fn values(&self) -> &[f32] {
        &self.values
    }

    fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    fn limits(&self) -> Vec<(usize, f32)> {
        let mut end = 0;
        let parts = self.weights.parts().into_iter().zip(grids_of_parts(&self.grids));
        parts
            .map(|(part, grid)| {
                end += part.len();
                (end, grid.most)
            })
            .collect()
    }

    fn move_gradients(&self, from: &mut Weights, to: &mut [f32]) {
        let mut rest = to;
        for part in from.parts_mut() {
            let (to, after) = rest.split_at_mut(part.len());
            move_numbers(part, to);
            rest = after;
        }
    }

    fn changed(&mut self) {
        let mut rest = &*self.values;
        let grids = grids_of_parts(&self.grids);
        for (weights, grid) in self.weights.parts_mut().into_iter().zip(grids) {
            let (values, after) = rest.split_at(weights.len());
            run_with_wide_vectors(Round { values, weights, grid });
            rest = after;
        }
    }
}

impl ValueModel for KingAndPiece {
    type Whole = WholeKingAndPiece;

    fn pass(
        &self,
        rows: &[Row],
        numbers: &[u32],
        gradients: Option<&mut Weights>,
        _: f32,
    ) -> NetworkLosses {
        run_with_wide_vectors(Pass { weights: &self.weights, rows, numbers, gradients })
    }

    fn score(&self, row: &Row, _: f32) -> f32 {
        score(&self.weights, row)
    }

    fn whole(&self) -> WholeKingAndPiece {
        let weights = &self.weights;
        let mut rows = Vec::with_capacity(INPUTS * HALF);
        for input in 0..INPUTS {
            for block in 0..BLOCKS {
                rows.extend(weights.first[block * INPUTS + input]);
            }
        }
        let file = FloatNnue {
            biases: weights.first_biases.as_flattened(),
            rows: &rows,
            layers: [
                (&weights.second_biases, weights.second.as_flattened().as_flattened()),
                (&weights.third_biases, weights.third.as_flattened()),
                (std::slice::from_ref(&weights.output_bias), &weights.output),
            ],
        };
        let bytes = file.to_file(&self.grids);
        let weights = NnueWeights::from_bytes(&bytes).expect("a file that was just made");
        WholeKingAndPiece { bytes, weights }
    }
}

/// A network as its file has it.
#[derive(Debug)]
pub(in crate::train::network) struct WholeKingAndPiece {
    bytes: Vec<u8>,
    weights: NnueWeights,
}

impl WholeNetwork for WholeKingAndPiece {
    /// The name that folders of evaluations expect.
    const FILE: &'static str = "nn.bin";

    fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let weights = NnueWeights::from_bytes(&bytes).ok()?;
        let is_one = weights.architecture() == Architecture::KING_AND_PIECE;
        is_one.then_some(Self { bytes, weights })
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    fn checksum(&self) -> u32 {
        self.weights.checksum()
    }

    fn score(&self, row: &Row, unit: f32) -> f32 {
        let output = self.weights.king_and_piece_output(&row.inputs);
        output as f32 / Grids::new(unit).output_bias.one
    }
}
