//! A file as a sequence of checksummed blocks: pure bytes, no I/O.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 3 | `KYG1` |
//! | 4 to 7 | length of the content |
//! | 8 to 11 | CRC-32 of bytes 4 to 7 and the content |
//! | from 12 | the content; its first byte is the kind |
//!
//! All numbers are little-endian.

use super::game::{self, GameFault, SelfplayGame};

/// The content of a block.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A process begins to play: what with, as JSON.
    Run(String),
    /// A finished game.
    Game(Box<SelfplayGame>),
}

/// Why bytes are not a valid block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockFault {
    /// They end before the block does.
    #[error("the block is cut off: {have} bytes of {need}")]
    Cut {
        /// Number of bytes present.
        have: usize,
        /// Bytes there should be.
        need: usize,
    },
    /// They do not begin as a block does.
    #[error("no block begins here")]
    Begin,
    /// The length is larger than that of any block.
    #[error("the block says that it has {0} bytes; none has more than {MOST_CONTENT}")]
    Long(u32),
    /// The checksum is that of other bytes.
    #[error("the checksum is wrong")]
    Checksum,
    /// The checksum is right, but the kind is not known.
    #[error("the kind {0} of the block is not known to this version")]
    Kind(u8),
    /// There is nothing in it.
    #[error("the block is empty")]
    Empty,
    /// The description of a run is not UTF-8.
    #[error("the description of the run is not UTF-8")]
    Text,
    /// The content is not a valid game.
    #[error("{0}")]
    Game(#[from] GameFault),
}

impl Block {
    /// The block with its header. A game with more moves than fit is truncated.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        match self {
            Self::Run(text) => {
                bytes.push(RUN);
                let mut end = text.len().min(MOST_CONTENT - 1);
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                bytes.extend_from_slice(&text.as_bytes()[..end]);
            }
            Self::Game(game) => {
                bytes.push(GAME);
                game.write(&mut bytes);
            }
        }
        seal(&mut bytes);
        bytes
    }

    /// The block that these bytes begin with, and its length.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), BlockFault> {
        let content = content(bytes)?;
        Ok((Self::of_content(content)?, HEAD + content.len()))
    }

    /// The block with this content.
    pub(super) fn of_content(content: &[u8]) -> Result<Self, BlockFault> {
        Ok(match content.split_first() {
            None => return Err(BlockFault::Empty),
            Some((&RUN, text)) => {
                Self::Run(String::from_utf8(text.to_vec()).map_err(|_| BlockFault::Text)?)
            }
            Some((&GAME, game)) => Self::Game(Box::new(SelfplayGame::read(game)?)),
            Some((kind, _)) => return Err(BlockFault::Kind(*kind)),
        })
    }
}

/// Writes the header in front of the content.
pub(super) fn seal(bytes: &mut [u8]) {
    let length = ((bytes.len() - HEAD) as u32).to_le_bytes();
    let checksum = checksum(length, &bytes[HEAD..]).to_le_bytes();
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4..8].copy_from_slice(&length);
    bytes[8..HEAD].copy_from_slice(&checksum);
}

/// The content of the block that these bytes begin with. Its checksum is right.
pub(super) fn content(bytes: &[u8]) -> Result<&[u8], BlockFault> {
    let cut = |need: usize| BlockFault::Cut { have: bytes.len(), need };
    let begin = MAGIC.len().min(bytes.len());
    if bytes[..begin] != MAGIC[..begin] {
        return Err(BlockFault::Begin);
    }
    let Some(([_, _, _, _, l0, l1, l2, l3, c0, c1, c2, c3], rest)) =
        bytes.split_first_chunk::<HEAD>()
    else {
        return Err(cut(HEAD));
    };
    let length = [*l0, *l1, *l2, *l3];
    let count = u32::from_le_bytes(length);
    if count as usize > MOST_CONTENT {
        return Err(BlockFault::Long(count));
    }
    let Some(content) = rest.get(..count as usize) else {
        return Err(cut(HEAD + count as usize));
    };
    if checksum(length, content) != u32::from_le_bytes([*c0, *c1, *c2, *c3]) {
        return Err(BlockFault::Checksum);
    }
    Ok(content)
}

/// Where the next block may begin, from `from` on; where bytes end, a part of its first bytes is enough.
pub(super) fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    (0..rest.len())
        .find(|&at| {
            let here = &rest[at..];
            let length = here.len().min(MAGIC.len());
            here[..length] == MAGIC[..length]
        })
        .map(|at| from + at)
}

fn checksum(length: [u8; 4], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length);
    hasher.update(content);
    hasher.finalize()
}

/// How every block begins.
pub(super) const MAGIC: [u8; 4] = *b"KYG1";
/// Bytes before the content.
pub(super) const HEAD: usize = 12;
/// The longest content: a game behind its kind.
pub const MOST_CONTENT: usize = 1 + game::MOST_BYTES;
/// The longest block.
pub(super) const MOST: usize = HEAD + MOST_CONTENT;

const RUN: u8 = 1;
const GAME: u8 = 2;
