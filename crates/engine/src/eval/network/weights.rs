//! The weights of a network.

use super::{
    INPUTS, KingZones, LANES, MAX_BIAS, MAX_OUTPUT_WEIGHT, MAX_WEIGHT, MOST_OUTPUT, ONE,
    OUTPUT_ONES,
};

/// Some adjacent hidden units, aligned for the widest registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [i16; LANES]);

impl Block {
    pub(super) const ZERO: Self = Self([0; LANES]);
}

/// A network with whole numbers as weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    pub(super) zones: KingZones,
    /// The number of blocks of hidden units.
    pub(super) blocks: usize,
    /// `[zone][input][block]`: the first layer, with [`ONE`] as 1.0.
    pub(super) first: Vec<Block>,
    /// `[block]`.
    pub(super) biases: Vec<Block>,
    /// `[mover, opponent][block]`: the second layer.
    pub(super) second: [Vec<Block>; 2],
    /// The weight 1.0 of the second layer.
    pub(super) output_one: i32,
    /// The bias of the output, with [`Network::output_one`] times the square of [`ONE`] as 1.0.
    pub(super) bias: i32,
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

    /// A network without hidden units, whose output is 0.
    pub const fn empty() -> Self {
        Self {
            zones: KingZones::One,
            blocks: 0,
            first: Vec::new(),
            biases: Vec::new(),
            second: [Vec::new(), Vec::new()],
            output_one: *OUTPUT_ONES.start(),
            bias: 0,
        }
    }

    /// A network of one block whose output is the same in all positions.
    pub fn with_bias(bias: f32) -> Self {
        let (width, zones) = (LANES, KingZones::One);
        let (first, rest) = (vec![0.0; zones.count() * INPUTS * width], vec![0.0; 2 * width]);
        let (biases, second) = (&rest[..width], &rest[..]);
        Self::nearest(&FloatNetwork { width, zones, first: &first, biases, second, bias })
    }

    /// The number of hidden units of each view.
    pub const fn width(&self) -> usize {
        self.blocks * LANES
    }

    /// The zones of the kings.
    pub const fn zones(&self) -> KingZones {
        self.zones
    }

    /// The row of the first layer with this number.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[Block] {
        let first = row as usize * self.blocks;
        &self.first[first..first + self.blocks]
    }
}
