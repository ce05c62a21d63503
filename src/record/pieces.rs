//! How much of a file has to be in memory at once.

use std::io::{self, ErrorKind, Read};

/// How a file of a format may be cut, each piece to be read for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Not at all: what stands anywhere may matter for what stands behind it.
    Whole,
    /// Between any two lines.
    Lines,
    /// Behind each row of so many bytes.
    Rows(usize),
}

/// The largest file of several games that is read as a whole: 64 MiB, some ten thousand games in CSA. With
/// its text in UTF-8 and the games in the making it takes a few times its size in memory, and 38 times
/// where it holds nothing but the moves of a single game. More is to be split.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// The largest file of one game: 16 MiB. The worst ones, `38飛72飛28飛82飛` over and over in KI2, take 75
/// times that in memory. More is no record but a mistake.
pub(super) const MOST_BYTES_OF_A_GAME: usize = 16 << 20;

/// The longest line of a file that is read line by line: 16 MiB, a game of three million moves.
pub const MOST_LINE_BYTES: usize = 16 << 20;

/// All that is there, unless it is more than `most` bytes.
///
/// # Errors
/// What the system says, or [`ErrorKind::FileTooLarge`].
pub fn read_bounded(source: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        let text = format!("larger than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}
