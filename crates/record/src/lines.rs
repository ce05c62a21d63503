//! Splits a text into lines with any line ends.

use super::{Decoded, Encoding, ReadRecord, decode};

/// The lines of a file, read one by one.
#[derive(Clone, Debug)]
pub(super) struct FileLines {
    file: Decoded,
    /// The byte where the next line begins, and the number of lines before it.
    at: usize,
    number: usize,
}

impl FileLines {
    /// The lines of a file. The marks that end a text file in DOS are dropped.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut bytes = bytes;
        while let [before @ .., DOS_END] = bytes {
            bytes = before;
        }
        Self { file: decode(bytes), at: 0, number: 0 }
    }

    /// The encoding of the file.
    pub(super) fn encoding(&self) -> Encoding {
        self.file.encoding
    }

    /// Whether all lines are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.file.text.len()
    }

    /// The next line and its number, counted from 1, unless it is one to stop before.
    pub(super) fn next_unless(&mut self, stop: impl Fn(&str) -> bool) -> Option<(usize, &str)> {
        let (line, length) = first_line(&self.file.text[self.at..])?;
        if stop(line) {
            return None;
        }
        self.at += length;
        self.number += 1;
        Some((self.number, line))
    }

    /// Adds the warning about invalid bytes to a game that was read up to here, see
    /// [`ReadRecord::warn_of_broken_bytes`].
    pub(super) fn warn_of_broken_bytes(&mut self, game: &mut ReadRecord) {
        game.warn_of_broken_bytes(&mut self.file, self.number);
    }
}

/// The first line of a text without its line end, and the number of bytes of both; `None` for an empty text. Lines
/// end with CR LF, with LF, or with CR alone, as on old Macintosh systems.
pub(super) fn first_line(text: &str) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return None;
    }
    let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len());
    let ending = match bytes[end..] {
        [b'\r', b'\n', ..] => 2,
        [_, ..] => 1,
        [] => 0,
    };
    Some((&text[..end], end + ending))
}

/// All lines of a text, see [`first_line`].
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, length) = first_line(rest)?;
        rest = &rest[length..];
        Some(line)
    })
}

/// Marks the end of a text file in DOS.
const DOS_END: u8 = 0x1a;

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        lines(text).collect()
    }

    #[test]
    fn lines_end_in_three_ways() {
        assert_eq!(all("a\r\nb\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(all("a\r\rb\r"), ["a", "", "b"]);
        assert_eq!(all("a\n\r\n\n"), ["a", "", ""]);
        assert_eq!(all("歩\r\n香"), ["歩", "香"]);
        assert_eq!(all("\r"), [""]);
        assert_eq!(all(""), [""; 0]);
    }
}
