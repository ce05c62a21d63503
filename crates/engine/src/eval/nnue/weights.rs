//! The weights of a network, in the order in which the layers use them.

use super::architecture::Architecture;

/// The number of adjacent sums that are computed together.
pub(super) const LANES: usize = 32;

/// Adjacent sums of a view, or the weights of an input for them, aligned for the widest registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [i16; LANES]);

// Loads of whole registers rely on this.
const _: () = assert!(size_of::<Block>() == 64 && align_of::<Block>() == 64);
const _: () = assert!(size_of::<Tile>() == 32 && align_of::<Tile>() == 32);

impl Block {
    pub(super) const ZERO: Self = Self([0; LANES]);
}

/// The weights of a network that was read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NnueWeights {
    pub(super) architecture: Architecture,
    /// `[block]`: the sums of a view without pieces.
    pub(super) biases: Vec<Block>,
    /// `[row][block]`: what an input adds to the sums.
    pub(super) rows: Vec<Block>,
    /// The layers, one set for each pair of the kings' ranks in the SFNN family.
    pub(super) stacks: Vec<[Layer; 3]>,
    /// The length of the file.
    pub(super) bytes: usize,
    /// The CRC-32 of the file.
    pub(super) checksum: u32,
}

impl NnueWeights {
    /// The shape of the network.
    pub const fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The length of the file in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The CRC-32 of the file.
    pub const fn checksum(&self) -> u32 {
        self.checksum
    }

    /// The number of blocks of a view.
    #[inline]
    pub(super) const fn blocks(&self) -> usize {
        self.architecture.half / LANES
    }

    /// The weights of a row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[Block] {
        let blocks = self.blocks();
        &self.rows[row as usize * blocks..][..blocks]
    }
}

/// The weights of four adjacent inputs for eight adjacent outputs, `[output][input]`, as one register holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Tile(pub(super) [[i8; 4]; 8]);

/// A layer: each output is its bias plus the weighted sum of all inputs. Inputs are 0 to 127.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    /// `[output]`, padded with zeros to a multiple of eight.
    pub(super) biases: Vec<i32>,
    /// `[input / 4][output / 8]`, padded with zeros.
    pub(super) tiles: Vec<Tile>,
}

/// A layer of a file has its weights padded to a multiple of this number of inputs.
pub(super) const PADDED: usize = 32;

impl Layer {
    /// A layer from `[output][input]` weights, the inputs padded to a multiple of [`PADDED`].
    pub(super) fn new(inputs: usize, biases: &[i32], weights: &[i8]) -> Self {
        let (padded, groups) = (inputs.next_multiple_of(PADDED), biases.len().div_ceil(8));
        let mut tiles = vec![Tile([[0; 4]; 8]); inputs.div_ceil(4) * groups];
        for (output, weights) in weights.chunks_exact(padded).enumerate() {
            for (input, weight) in weights[..inputs].iter().enumerate() {
                tiles[input / 4 * groups + output / 8].0[output % 8][input % 4] = *weight;
            }
        }
        let mut biases = biases.to_vec();
        biases.resize(groups * 8, 0);
        Self { biases, tiles }
    }
}
