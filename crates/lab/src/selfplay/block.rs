//! Blocks with checksums, of which a file consists. Works on bytes, without I/O.
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
    /// The start of a process, with its settings as JSON.
    Run(String),
    /// A finished game.
    Game(Box<SelfplayGame>),
}

/// The reason bytes are not a valid block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockFault {
    /// The bytes end before the block does.
    #[error("the block is cut off: {have} bytes of {need}")]
    Cut {
        /// The number of bytes present.
        have: usize,
        /// The number of bytes of the block.
        need: usize,
    },
    /// The bytes do not begin with the mark of a block.
    #[error("no block begins here")]
    Begin,
    /// The length is larger than that of any block.
    #[error("the length of the block is {0} bytes; the maximum is {MOST_CONTENT}")]
    Long(u32),
    /// The checksum does not match the bytes.
    #[error("the checksum is wrong")]
    Checksum,
    /// The checksum matches, but the kind is not known.
    #[error("the kind {0} of the block is not known to this version")]
    Kind(u8),
    /// The block has no content.
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

    /// Reads the block at the beginning of the bytes. Returns it with its length.
    ///
    /// # Errors
    /// The bytes do not begin with a valid block.
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

/// Writes the header into the first bytes, for the content after it.
pub(super) fn seal(bytes: &mut [u8]) {
    let length = ((bytes.len() - HEAD) as u32).to_le_bytes();
    let checksum = checksum(length, &bytes[HEAD..]).to_le_bytes();
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4..8].copy_from_slice(&length);
    bytes[8..HEAD].copy_from_slice(&checksum);
}

/// The content of the block at the beginning of the bytes. Its checksum matches.
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

/// The first offset from `from` on at which a block may begin. At the end of the bytes a part of the mark is enough.
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

/// The mark at the beginning of every block.
pub(super) const MAGIC: [u8; 4] = *b"KYG1";
/// The number of bytes before the content.
pub(super) const HEAD: usize = 12;
/// The length of the longest content: the kind and a game.
pub const MOST_CONTENT: usize = 1 + game::MOST_BYTES;
/// The length of the longest block.
pub(super) const MOST: usize = HEAD + MOST_CONTENT;

const RUN: u8 = 1;
const GAME: u8 = 2;
