//! The weights of a network.

use super::{KingZones, LANES, OUTPUT_ONES};

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
    /// `[zone][input][block]`: the first layer, with [`ONE`](super::ONE) as 1.0.
    pub(super) first: Vec<Block>,
    /// `[block]`.
    pub(super) biases: Vec<Block>,
    /// `[mover, opponent][block]`: the second layer.
    pub(super) second: [Vec<Block>; 2],
    /// The weight 1.0 of the second layer.
    pub(super) output_one: i32,
    /// The bias of the output, with [`Network::output_one`] times the square of [`ONE`](super::ONE) as 1.0.
    pub(super) bias: i32,
}

impl Network {
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
