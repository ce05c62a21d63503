//! Blocks of a file one by one; what is damaged is reported and passed over.

use std::io::{self, Read};

use super::block::{self, Block, BlockFault};

/// What some bytes of a file are.
#[derive(Debug, Clone, PartialEq)]
pub enum Stretch {
    /// A whole block.
    Block(Block),
    /// A whole block with a content that this version does not understand.
    Unread(BlockFault),
    /// Damage, and a whole block behind it.
    Damaged(BlockFault),
    /// Damage, and no whole block behind it.
    Torn(BlockFault),
}

/// A stretch of a file, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Where it begins, in bytes from the beginning of the file.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// What it is.
    pub stretch: Stretch,
}

/// Reads blocks in little memory, however long the file is.
#[derive(Debug)]
pub struct BlockReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// Bytes of the buffer that are done with.
    done: usize,
    /// Where the buffer begins in the file.
    offset: u64,
    /// The source has no more.
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
    /// If the source cannot be read.
    pub fn read_next(&mut self) -> io::Result<Option<Placed>> {
        self.fill()?;
        let offset = self.offset + self.done as u64;
        let rest = self.buffer.get(self.done..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let read = |content: &[u8]| (content.len(), Block::of_content(content));
        let stretch = match block::content(rest).map(read) {
            Ok((length, block)) => {
                self.done += block::HEAD + length;
                block.map_or_else(Stretch::Unread, Stretch::Block)
            }
            Err(fault) if self.skip()? => Stretch::Damaged(fault),
            Err(fault) => Stretch::Torn(fault),
        };
        let length = self.offset + self.done as u64 - offset;
        Ok(Some(Placed { offset, length, stretch }))
    }

    /// Goes on to the next whole block; whether there is one.
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

    /// A whole block fits into what is read ahead, unless the source has ended.
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

/// Bytes read at once; more than the longest block.
const AHEAD: u64 = 1 << 20;
