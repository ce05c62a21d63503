//! What the training of a network needs: the inputs of a position as data, and networks with floating-point weights.

use arrayvec::ArrayVec;

use super::inputs::{KingView, MOST, visit_inputs};
use super::sums::{Output, refresh};
use super::weights::Block;
use super::{
    INPUTS, KingZones, LANES, MAX_BIAS, MAX_OUTPUT_WEIGHT, MAX_WEIGHT, MOST_OUTPUT, Network, ONE,
    OUTPUT_ONES,
};
use kyomi_shogi::machine::run_with_wide_vectors;
use kyomi_shogi::{Color, Position};

/// The inputs of a position, from black's view. They are not mirrored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkInputs {
    /// The inputs from black's view.
    pub(super) inputs: ArrayVec<u16, MOST>,
    /// The views of both sides, `[color]`.
    pub(super) views: [KingView; 2],
    /// The side to move.
    pub(super) side_to_move: Color,
}

impl NetworkInputs {
    /// The inputs of a position.
    pub fn of(position: &Position) -> Self {
        let mut inputs = ArrayVec::new();
        visit_inputs(position, |input| {
            // No position has more pieces than a set.
            let _ = inputs.try_push(input);
        });
        let view = |color| KingView::of(color, position.king_square(color));
        Self { inputs, views: Color::ALL.map(view), side_to_move: position.side_to_move() }
    }

    /// The number of bytes of [`to_bytes`](Self::to_bytes).
    pub const BYTES: usize = 2 * MOST + 6;

    /// The inputs as bytes, for a file.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (bytes, input) in bytes.as_chunks_mut().0.iter_mut().zip(&self.inputs) {
            *bytes = input.to_le_bytes();
        }
        let [black, white] = self.views;
        bytes[2 * MOST..].copy_from_slice(&[
            self.inputs.len() as u8,
            black.symmetry,
            black.king,
            white.symmetry,
            white.king,
            self.side_to_move.index() as u8,
        ]);
        bytes
    }

    /// The inputs from their bytes; `None` if a number is out of range.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (inputs, rest) = bytes.split_at(2 * MOST);
        let &[count, black_symmetry, black_king, white_symmetry, white_king, side_to_move] = rest
        else {
            return None;
        };
        let inputs = inputs.as_chunks::<2>().0.get(..usize::from(count))?;
        let view = |symmetry: u8, king: u8| {
            (symmetry < 4 && king < 45).then_some(KingView { symmetry, king })
        };
        let input = |bytes: &[u8; 2]| {
            Some(u16::from_le_bytes(*bytes)).filter(|input| usize::from(*input) < INPUTS)
        };
        Some(Self {
            inputs: inputs.iter().map(input).collect::<Option<_>>()?,
            views: [view(black_symmetry, black_king)?, view(white_symmetry, white_king)?],
            side_to_move: *Color::ALL.get(usize::from(side_to_move))?,
        })
    }

    /// The side to move.
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The inputs from black's view.
    pub(in crate::eval) fn for_black(&self) -> &[u16] {
        &self.inputs
    }

    /// The rows of the first layer for the view of the side to move and of its opponent.
    #[inline]
    pub fn rows(&self, zones: KingZones) -> [ArrayVec<u32, MOST>; 2] {
        [self.side_to_move, !self.side_to_move].map(|color| {
            let view = self.views[color.index()];
            let first = view.first_row(zones);
            self.inputs.iter().map(|input| first + u32::from(view.input(*input))).collect()
        })
    }
}

/// A network with floating-point weights, as it is trained.
#[derive(Debug, Clone, Copy)]
pub struct FloatNetwork<'a> {
    /// The number of hidden units of each view, a multiple of [`LANES`].
    pub width: usize,
    /// The zones of the kings.
    pub zones: KingZones,
    /// `[zone][input][unit]`: the first layer.
    pub first: &'a [f32],
    /// `[unit]`.
    pub biases: &'a [f32],
    /// `[mover, opponent][unit]`: the second layer.
    pub second: &'a [f32],
    /// The bias of the output.
    pub bias: f32,
}

impl Network {
    /// The network nearest to one with floating-point weights. Weights out of range become the nearest that are within.
    ///
    /// # Panics
    /// If a list of weights does not have the length that follows from the width and the zones.
    pub fn nearest(float: &FloatNetwork<'_>) -> Self {
        let FloatNetwork { width, zones, first, biases, second, bias } = *float;
        assert_eq!(first.len(), zones.count() * INPUTS * width);
        assert_eq!((biases.len(), second.len()), (width, 2 * width));
        let rounded = |weight: f32, most: f32, one: i32| {
            (weight.clamp(-most, most) * one as f32).round() as i16
        };
        let blocks = |weights: &[f32], most: f32, one: i32| -> Vec<Block> {
            let chunks = weights.as_chunks::<LANES>().0.iter();
            chunks.map(|chunk| Block(chunk.map(|weight| rounded(weight, most, one)))).collect()
        };
        let (mover, opponent) = second.split_at(width);
        let most = second.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
        let output_one = (f32::from(MOST_OUTPUT) / most.max(0.001)) as i32;
        let output_one = output_one.clamp(*OUTPUT_ONES.start(), *OUTPUT_ONES.end());
        let second = |weights| blocks(weights, MAX_OUTPUT_WEIGHT, output_one);
        Self {
            zones,
            blocks: width / LANES,
            first: blocks(first, MAX_WEIGHT, ONE),
            biases: blocks(biases, MAX_WEIGHT, ONE),
            second: [second(mover), second(opponent)],
            output_one,
            bias: (bias.clamp(-MAX_BIAS, MAX_BIAS) * (ONE * ONE * output_one) as f32).round()
                as i32,
        }
    }

    /// The weights as floating-point numbers, in the order of [`FloatNetwork`]: first layer, biases, second layer, bias
    /// of the output.
    pub fn to_floats(&self) -> Vec<f32> {
        let floats = |blocks: &[Block], one: i32| -> Vec<f32> {
            let weights = blocks.iter().flat_map(|block| block.0);
            weights.map(|weight| f32::from(weight) / one as f32).collect()
        };
        let mut all = floats(&self.first, ONE);
        all.extend(floats(&self.biases, ONE));
        for weights in &self.second {
            all.extend(floats(weights, self.output_one));
        }
        all.push(self.bias as f32 / (ONE * ONE * self.output_one) as f32);
        all
    }

    /// A network of one block whose output is the same in all positions.
    pub fn with_bias(bias: f32) -> Self {
        let (width, zones) = (LANES, KingZones::One);
        let (first, rest) = (vec![0.0; zones.count() * INPUTS * width], vec![0.0; 2 * width]);
        let (biases, second) = (&rest[..width], &rest[..]);
        Self::nearest(&FloatNetwork { width, zones, first: &first, biases, second, bias })
    }

    /// The output for the side to move in centipawns, computed from scratch.
    pub fn centipawns(&self, inputs: &NetworkInputs) -> i32 {
        let rows = inputs.rows(self.zones);
        let mut sums = [vec![Block::ZERO; self.blocks], vec![Block::ZERO; self.blocks]];
        for (sums, rows) in sums.iter_mut().zip(&rows) {
            refresh(self, rows, sums);
        }
        let [own, opponent] = &sums;
        run_with_wide_vectors(Output { network: self, sums: [own, opponent] })
    }
}
