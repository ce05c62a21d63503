//! Reads the blocks of a file one by one. Damaged parts are reported and skipped.

use std::io::{self, Read};

use super::block::{self, Block, BlockFault};

/// The content of a part of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FilePart {
    /// A whole block.
    Block(Block),
    /// A whole block with a content that this version does not understand.
    Unread(BlockFault),
    /// Damaged bytes with a whole block after them.
    Damaged(BlockFault),
    /// Damaged bytes at the end of the file, without a whole block after them.
    Truncated(BlockFault),
}

/// A part of a file, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedPart {
    /// The offset of its first byte in the file.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Its content.
    pub part: FilePart,
}

/// Reads blocks in constant memory, for files of any length.
#[derive(Debug)]
pub struct BlockReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that are processed.
    done: usize,
    /// The offset of the buffer in the file.
    offset: u64,
    /// Whether the source has no more bytes.
    ended: bool,
}

impl<R: Read> BlockReader<R> {
    /// Reads from `source`, which begins at `offset` of its file.
    pub fn new(source: R, offset: u64) -> Self {
        Self { source, buffer: Vec::new(), done: 0, offset, ended: false }
    }

    /// The next block or damage; `None` at the end.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn read_next(&mut self) -> io::Result<Option<LocatedPart>> {
        self.fill()?;
        let offset = self.offset + self.done as u64;
        let rest = self.buffer.get(self.done..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let read = |content: &[u8]| (content.len(), Block::of_content(content));
        let part = match block::content(rest).map(read) {
            Ok((length, block)) => {
                self.done += block::HEAD + length;
                block.map_or_else(FilePart::Unread, FilePart::Block)
            }
            Err(fault) if self.skip()? => FilePart::Damaged(fault),
            Err(fault) => FilePart::Truncated(fault),
        };
        let length = self.offset + self.done as u64 - offset;
        Ok(Some(LocatedPart { offset, length, part }))
    }

    /// Skips to the next whole block. Returns whether there is one.
    fn skip(&mut self) -> io::Result<bool> {
        self.done += 1;
        loop {
            self.fill()?;
            let Some(at) = block::find(&self.buffer, self.done) else {
                self.done = self.buffer.len();
                if self.ended {
                    return Ok(false);
                }
                continue;
            };
            self.done = at;
            self.fill()?;
            if block::content(self.buffer.get(self.done..).unwrap_or_default()).is_ok() {
                return Ok(true);
            }
            self.done += 1;
        }
    }

    /// Fills the buffer so that it contains a whole block, unless the source has ended.
    fn fill(&mut self) -> io::Result<()> {
        if self.ended || self.buffer.len() - self.done >= block::MOST {
            return Ok(());
        }
        self.buffer.drain(..self.done);
        self.offset += self.done as u64;
        self.done = 0;
        let read = (&mut self.source).take(AHEAD).read_to_end(&mut self.buffer)?;
        self.ended = (read as u64) < AHEAD;
        Ok(())
    }
}

/// The number of bytes read at once, more than the longest block has.
const AHEAD: u64 = 1 << 20;
