//! The file of a network. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `kyominet` |
//! | 8 to 11 | version: 1 |
//! | 12 to 15 | CRC-32 of the fitted weights that the output is added to |
//! | 16 to 19 | number of hidden units of each view |
//! | 20 to 23 | number of king zones |
//! | 24 to 27 | weight 1.0 of the second layer |
//! | 28 to 31 | bias of the output |
//! | then | 16 bits each: the first layer `[zone][input][unit]`, the biases, the second layer `[mover, opponent][unit]` |
//! | last 4 | CRC-32 of all bytes before |

use std::{
    io,
    path::Path,
    sync::{Arc, LazyLock},
};

use super::{
    INPUTS, KingZones, LANES, MAX_BIAS, MAX_WEIGHT, MAX_WIDTH, MOST_OUTPUT, ONE, OUTPUT_ONES,
    weights::{Block, Network},
};
use crate::eval::weight_bytes;

/// The reason a file of a network cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFileError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// It does not begin as such a file.
    #[error("is not a network file")]
    Foreign,
    /// It has another version.
    #[error("has version {0} of the format; this program reads version {VERSION}")]
    Version(u32),
    /// It was trained for other fitted weights.
    #[error(
        "was trained for other fitted weights than those of this program; build with the fitted.bin that belongs to it, or train it again with `kyomi-lab train network`"
    )]
    OtherWeights,
    /// Its sizes are not possible.
    #[error(
        "has {width} hidden units and {zones} king zones; expected a multiple of {LANES} up to {MAX_WIDTH}, and 1, 3 or 9"
    )]
    Sizes {
        /// The number of hidden units.
        width: u32,
        /// The number of king zones.
        zones: u32,
    },
    /// Its length is not the one that follows from its sizes.
    #[error("has {found} bytes instead of {expected}; it is incomplete or damaged")]
    Length {
        /// The length of the file.
        found: usize,
        /// The length that follows from its sizes.
        expected: usize,
    },
    /// Its checksum is wrong.
    #[error("is damaged: its checksum is wrong")]
    Checksum,
    /// A weight is out of range.
    #[error("has a weight out of range")]
    Weight,
}

/// The CRC-32 of the whole file of any network, since the file ends with its own CRC-32. Earlier versions took it for
/// the [`Network::checksum`]; where it stands, the network is not known.
pub const UNKNOWN_CHECKSUM: u32 = 0x2144_df1c;

const VERSION: u32 = 1;
const HEADER: usize = 32;
/// The largest file.
const LONGEST: usize = HEADER + 2 * (9 * INPUTS + 3) * MAX_WIDTH + 4;

impl Network {
    /// What a file begins with.
    pub const MAGIC: [u8; 8] = *b"kyominet";

    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, is none of a network, is damaged, or does not fit to this program.
    pub fn read(path: &Path) -> Result<Self, NetworkFileError> {
        use io::Read as _;
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// The network in the bytes of a file.
    ///
    /// # Errors
    /// As [`Network::read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkFileError> {
        if !bytes.starts_with(&Self::MAGIC) {
            return Err(NetworkFileError::Foreign);
        }
        let (header, rest) = bytes
            .split_at_checked(HEADER)
            .ok_or(NetworkFileError::Length { found: bytes.len(), expected: HEADER })?;
        let words = header[Self::MAGIC.len()..].as_chunks::<4>().0;
        let word = |at: usize| words.get(at).map_or(0, |word| u32::from_le_bytes(*word));
        let [version, base, width, zones, output_one, bias] = std::array::from_fn(word);
        if version != VERSION {
            return Err(NetworkFileError::Version(version));
        }
        let wide = width as usize;
        let known = KingZones::with_count(zones as usize)
            .filter(|_| (LANES..=MAX_WIDTH).contains(&wide) && wide.is_multiple_of(LANES));
        let Some(known) = known else { return Err(NetworkFileError::Sizes { width, zones }) };
        let weights = wide * (known.count() * INPUTS + 3);
        let expected = HEADER + 2 * weights + 4;
        if bytes.len() != expected {
            return Err(NetworkFileError::Length { found: bytes.len(), expected });
        }
        let (content, checksum) = bytes.split_at(expected - 4);
        if crc32fast::hash(content).to_le_bytes() != *checksum {
            return Err(NetworkFileError::Checksum);
        }
        if base != base_checksum() {
            return Err(NetworkFileError::OtherWeights);
        }
        let blocks = wide / LANES;
        let mut all = rest[..2 * weights].as_chunks::<{ 2 * LANES }>().0.iter().map(|chunk| {
            let numbers = chunk.as_chunks::<2>().0;
            Block(std::array::from_fn(|at| i16::from_le_bytes(numbers[at])))
        });
        let output_one = output_one as i32;
        if !OUTPUT_ONES.contains(&output_one)
            || (bias as i32).unsigned_abs() > (ONE * ONE * output_one) as u32 * MAX_BIAS as u32
        {
            return Err(NetworkFileError::Weight);
        }
        let mut take = |count: usize, most: i16| -> Result<Vec<Block>, NetworkFileError> {
            let taken: Vec<Block> = all.by_ref().take(count).collect();
            let most = most.unsigned_abs();
            let within = |block: &Block| block.0.iter().all(|it| it.unsigned_abs() <= most);
            if taken.iter().all(within) { Ok(taken) } else { Err(NetworkFileError::Weight) }
        };
        let most = (MAX_WEIGHT * ONE as f32).round() as i16;
        Ok(Self {
            zones: known,
            blocks,
            first: take(known.count() * INPUTS * blocks, most)?,
            biases: take(blocks, most)?,
            second: [take(blocks, MOST_OUTPUT)?, take(blocks, MOST_OUTPUT)?],
            output_one,
            bias: bias as i32,
        })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_for(weight_bytes())
    }

    /// The bytes of the file for a program with other fitted weights, which have these bytes.
    pub fn to_bytes_for(&self, fitted: &[u8]) -> Vec<u8> {
        let mut bytes = self.content(crc32fast::hash(fitted));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The CRC-32 that identifies the network: that of its file without the last four bytes, which are this number.
    pub fn checksum(&self) -> u32 {
        self.checksum_for(weight_bytes())
    }

    /// The same for a program with other fitted weights, which have these bytes.
    pub fn checksum_for(&self, fitted: &[u8]) -> u32 {
        crc32fast::hash(&self.content(crc32fast::hash(fitted)))
    }

    /// The bytes of the file without the checksum at its end.
    fn content(&self, base: u32) -> Vec<u8> {
        let mut bytes = Self::MAGIC.to_vec();
        let (width, zones) = (self.width() as u32, self.zones.count() as u32);
        let (one, bias) = (self.output_one as u32, self.bias as u32);
        for word in [VERSION, base, width, zones, one, bias] {
            bytes.extend(word.to_le_bytes());
        }
        let [mover, opponent] = &self.second;
        for block in self.first.iter().chain(&self.biases).chain(mover).chain(opponent) {
            bytes.extend(block.0.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes
    }
}

/// The checksum of the fitted weights of this program.
fn base_checksum() -> u32 {
    crc32fast::hash(weight_bytes())
}

/// The file of the network in use. `network.json` beside it has the settings of its last training, the other
/// files of that kind those of the trainings before.
const BUILTIN: &[u8] = include_bytes!("../weights/network.bin");

static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
    // A test reads the file. Without it the fitted sum would be used alone.
    Arc::new(Network::from_bytes(BUILTIN).unwrap_or_else(|_| Network::empty()))
});

impl Network {
    /// The file of [`Network::builtin`].
    pub const fn builtin_bytes() -> &'static [u8] {
        BUILTIN
    }

    /// The network that is used if no other is given. It is read once.
    pub fn builtin() -> Arc<Self> {
        Arc::clone(&NETWORK)
    }
}
