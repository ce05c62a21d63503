//! Reading the file of a network. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | version: `7af32f16` |
//! | 4 | hash of the architecture, which differs between the programs that write such files and is not read |
//! | 4 | length of the text |
//! | | text that names the architecture |
//! | 4 | hash of the first layer |
//! | 2 each | the first layer: biases `[sum]`, weights `[input][sum]`; compressed in the SFNN family |
//! | 4 | for each set of layers: a hash |
//! | 4 and 1 each | then for each of its layers: biases `[output]`, weights `[output][input]`, inputs padded to 32 |
//!
//! Compressed numbers are `COMPRESSED_LEB128`, the number of bytes in 4 bytes, and the bytes.

use super::{
    architecture::Architecture,
    leb128,
    weights::{Block, LANES, Layer, NnueWeights, PADDED},
};

/// The version of the format.
pub(super) const VERSION: u32 = 0x7af3_2f16;
/// What compressed numbers begin with.
pub(super) const COMPRESSED: &[u8] = b"COMPRESSED_LEB128";
/// The longest text of a header.
const LONGEST_TEXT: usize = 4096;

/// The reason a file of a network cannot be used. The text continues "the file NAME".
#[derive(Debug, thiserror::Error)]
pub enum NnueFileError {
    /// It only says where the file is.
    #[error(
        "is a Git LFS pointer in place of the network; run `git lfs pull` in its repository, or download the file itself"
    )]
    LfsPointer,
    /// It has another version.
    #[error(
        "begins with {0:08x} instead of {VERSION:08x}; it is no network for shogi in the format of YaneuraOu's nn.bin; give a file of that format"
    )]
    Version(u32),
    /// It has an architecture that is not known.
    #[error("has the architecture \"{0}\"; this program reads {known}; get a file of one of them", known = known_architectures())]
    Architecture(String),
    /// It ends early.
    #[error(
        "has {found} bytes{expected}; it was cut short, copy or download it again",
        expected = expected.map_or_else(String::new, |expected| format!(" instead of {expected}"))
    )]
    CutShort {
        /// The length of the file.
        found: usize,
        /// The length that follows from its architecture, if it is known.
        expected: Option<usize>,
    },
    /// It does not end where the network does.
    #[error(
        "has {found} bytes instead of {expected}; it is another file or was joined with one, copy or download it again"
    )]
    TooLong {
        /// The length of the file.
        found: usize,
        /// The length of the network.
        expected: usize,
    },
    /// The compressed weights cannot be decoded.
    #[error("has damaged compressed weights, those from byte {0} on; copy or download it again")]
    Compressed(usize),
}

/// The names of all architectures that can be read.
fn known_architectures() -> String {
    Architecture::KNOWN.map(|known| known.to_string()).join(", ")
}

impl NnueWeights {
    /// Whether a file that begins with these bytes, at least four, may be one of a network.
    pub fn may_begin(bytes: &[u8]) -> bool {
        bytes.starts_with(&VERSION.to_le_bytes())
    }

    /// The network in the bytes of a file.
    ///
    /// # Errors
    /// They are no network of a known architecture.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NnueFileError> {
        if bytes.starts_with(b"version https://git-lfs") {
            return Err(NnueFileError::LfsPointer);
        }
        let mut source = Source { bytes, at: 0, expected: None };
        let version = source.word()?;
        if version != VERSION {
            return Err(NnueFileError::Version(version));
        }
        source.word()?;
        let length = source.word()? as usize;
        let text = source.take(length.min(LONGEST_TEXT))?;
        let architecture = str::from_utf8(text)
            .ok()
            .filter(|_| length <= LONGEST_TEXT)
            .and_then(Architecture::named_by)
            .ok_or_else(|| NnueFileError::Architecture(printable(text)))?;
        if !architecture.is_stacked() {
            let expected = source.at + architecture.length_of_weights();
            source.expected = Some(expected);
            if bytes.len() < expected {
                return Err(source.cut_short());
            }
        }
        source.word()?;
        let half = architecture.half;
        let biases = source.blocks(half)?;
        let rows = source.blocks(architecture.features.rows() * half)?;
        let mut stacks = Vec::with_capacity(architecture.stacks());
        for _ in 0..architecture.stacks() {
            source.word()?;
            let [first, second, last] = architecture.layers();
            stacks.push([source.layer(first)?, source.layer(second)?, source.layer(last)?]);
        }
        if source.at != bytes.len() {
            return Err(NnueFileError::TooLong { found: bytes.len(), expected: source.at });
        }
        let mut weights = Self {
            architecture,
            biases,
            rows,
            stacks,
            bytes: bytes.len(),
            checksum: crc32fast::hash(bytes),
        };
        if architecture.is_stacked() {
            weights.double();
        }
        Ok(weights)
    }

    /// Doubles the first layer. The SFNN family multiplies two sums, and keeps one more bit of them.
    fn double(&mut self) {
        for block in self.biases.iter_mut().chain(&mut self.rows) {
            block.0 = block.0.map(|weight| weight.wrapping_mul(2));
        }
    }
}

impl Architecture {
    /// The number of bytes after the text of a header, where nothing is compressed.
    fn length_of_weights(self) -> usize {
        let layer =
            |(inputs, outputs): (usize, usize)| outputs * (4 + inputs.next_multiple_of(PADDED));
        let stack = 4 + self.layers().map(layer).iter().sum::<usize>();
        4 + 2 * self.half * (1 + self.features.rows()) + self.stacks() * stack
    }
}

/// A file up to the first layer, with zeros for hashes.
pub(super) fn header(architecture: Architecture) -> Vec<u8> {
    let text = architecture.header_text();
    let mut bytes = Vec::new();
    for word in [VERSION, 0, text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text.as_bytes());
    bytes.extend([0; 4]);
    bytes
}

/// The text of a header without control characters, and not too long for a line.
fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let text = text.chars().map(|c| if c.is_control() { '?' } else { c });
    let mut text: String = text.take(301).collect();
    if text.chars().count() > 300 {
        text.pop();
        text.push('…');
    }
    text
}

/// The bytes of a file and what of them has been read.
struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The length that the file should have, if it is known.
    expected: Option<usize>,
}

impl<'a> Source<'a> {
    fn cut_short(&self) -> NnueFileError {
        NnueFileError::CutShort { found: self.bytes.len(), expected: self.expected }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], NnueFileError> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let taken = rest.get(..count).ok_or_else(|| self.cut_short())?;
        self.at += count;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, NnueFileError> {
        let bytes = self.take(4)?.as_chunks::<4>().0;
        Ok(bytes.first().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    /// So many numbers of 16 bits, compressed or not.
    fn blocks(&mut self, count: usize) -> Result<Vec<Block>, NnueFileError> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(COMPRESSED)) {
            let bytes = self.take(2 * count)?.as_chunks::<{ 2 * LANES }>().0;
            let number = |bytes: &[u8; 2]| i16::from_le_bytes(*bytes);
            let block = |bytes: &[u8; 2 * LANES]| {
                let numbers = bytes.as_chunks::<2>().0;
                Block(std::array::from_fn(|i| number(&numbers[i])))
            };
            return Ok(bytes.iter().map(block).collect());
        }
        self.take(COMPRESSED.len())?;
        let length = self.word()? as usize;
        let begin = self.at;
        let bytes = self.take(length)?;
        // A number takes one to three bytes.
        if !(count..=3 * count).contains(&length) {
            return Err(NnueFileError::Compressed(begin));
        }
        let mut numbers = vec![Block::ZERO; count / LANES];
        let mut into = numbers.iter_mut().flat_map(|block| &mut block.0);
        let decoded = leb128::decode(
            bytes,
            |number| {
                if let Some(into) = into.next() {
                    *into = number;
                }
            },
            count,
        );
        decoded.map(|()| numbers).ok_or(NnueFileError::Compressed(begin))
    }

    fn layer(&mut self, (inputs, outputs): (usize, usize)) -> Result<Layer, NnueFileError> {
        let biases = self.take(4 * outputs)?.as_chunks::<4>().0;
        let biases: Vec<i32> = biases.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
        let weights = self.take(outputs * inputs.next_multiple_of(PADDED))?;
        let weights: Vec<i8> = weights.iter().map(|byte| *byte as i8).collect();
        Ok(Layer::new(inputs, &biases, &weights))
    }
}

#[cfg(test)]
mod tests;
