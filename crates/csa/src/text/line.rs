//! Conversion between bytes and lines, and what may be shown of them.
//!
//! A line ends with LF; a CR before it is dropped. A line longer than [`MAX_LINE`] bytes is discarded as it
//! arrives and reported once as [`Line::TooLong`], so a peer that never sends LF uses a bounded amount of
//! memory. Bytes that are not UTF-8 are replaced. They are never an error: an error from a `Decoder` ends the
//! connection, and a malformed name in a chat line must not end a game.

use std::borrow::Cow;
use std::io;

use bytes::{Buf, BufMut, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// Longest line that is kept, in bytes before its LF.
pub const MAX_LINE: usize = 64 * 1024;

/// One item of the incoming stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end (LF or CRLF), decoded lossily; may be empty.
    Text(String),
    /// A line over the limit was dropped; one item for each such line.
    TooLong,
}

impl Line {
    /// A line of text, for tests and for lines made inside the program.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// The codec of a stream of lines.
#[derive(Clone, Debug)]
pub struct LineCodec {
    /// The longest line that is kept.
    longest: usize,
    /// Number of bytes at the front of the buffer that contain no LF.
    scanned: usize,
    /// The current line has already been reported as too long.
    discarding: bool,
}

impl Default for LineCodec {
    fn default() -> Self {
        Self::with_longest(MAX_LINE)
    }
}

impl LineCodec {
    /// A codec at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// A codec that keeps lines up to this number of bytes, at most [`MAX_LINE`].
    pub fn with_longest(longest: usize) -> Self {
        Self { longest: longest.min(MAX_LINE), scanned: 0, discarding: false }
    }

    fn take_line(&mut self, src: &mut BytesMut, end: usize) -> Option<Line> {
        let line = src.split_to(end);
        self.scanned = 0;
        if std::mem::take(&mut self.discarding) {
            return None;
        }
        if line.len() > self.longest {
            return Some(Line::TooLong);
        }
        let bytes = line.strip_suffix(b"\r").unwrap_or(&line);
        Some(Line::Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}

impl Decoder for LineCodec {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> io::Result<Option<Line>> {
        loop {
            let fresh = src.get(self.scanned..).unwrap_or_default();
            if let Some(offset) = fresh.iter().position(|&byte| byte == b'\n') {
                let line = self.take_line(src, self.scanned + offset);
                src.advance(1);
                if line.is_some() {
                    return Ok(line);
                }
                continue;
            }
            self.scanned = src.len();
            if src.len() > self.longest || self.discarding {
                src.clear();
                self.scanned = 0;
                if !std::mem::replace(&mut self.discarding, true) {
                    return Ok(Some(Line::TooLong));
                }
            }
            return Ok(None);
        }
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> io::Result<Option<Line>> {
        if let Some(line) = self.decode(src)? {
            return Ok(Some(line));
        }
        if src.is_empty() {
            return Ok(None);
        }
        let end = src.len();
        Ok(self.take_line(src, end))
    }
}

/// Writes one line and its LF contiguously, so that both leave in one write.
/// A line break inside the text would start a second command; it is replaced by a space.
impl Encoder<&str> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, text: &str, dst: &mut BytesMut) -> io::Result<()> {
        dst.reserve(text.len() + 1);
        if text.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
            dst.put_slice(text.replace(['\n', '\r'], " ").as_bytes());
        } else {
            dst.put_slice(text.as_bytes());
        }
        dst.put_u8(b'\n');
        Ok(())
    }
}

impl Encoder<String> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, text: String, dst: &mut BytesMut) -> io::Result<()> {
        self.encode(text.as_str(), dst)
    }
}

/// Returns the text without characters that could control a terminal or reorder a line: control characters
/// (C0, DEL, C1), line separators and marks that change the writing direction. For display and logs only;
/// the protocol works on the line as received.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_hidden) {
        Cow::Owned(text.chars().filter(|&c| !is_hidden(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Decodes a stream that arrives in the given pieces and then ends.
    fn decode(pieces: &[&[u8]]) -> Vec<Line> {
        let mut codec = LineCodec::new();
        let mut buffer = BytesMut::new();
        let mut lines = Vec::new();
        for piece in pieces {
            buffer.extend_from_slice(piece);
            while let Some(line) = codec.decode(&mut buffer).unwrap() {
                lines.push(line);
            }
            assert!(buffer.len() <= MAX_LINE);
        }
        while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
            lines.push(line);
        }
        lines
    }

    #[test]
    fn lines_end_with_lf_crlf_or_the_end_of_the_stream() {
        assert_eq!(
            decode(&[b"+7776FU,T1\r\n\n#WI", b"N"]),
            [Line::text("+7776FU,T1"), Line::text(""), Line::text("#WIN")]
        );
    }

    #[test]
    fn a_lone_cr_is_text_until_a_line_ends() {
        assert_eq!(decode(&[b"a\rb\r", b"\n"]), [Line::text("a\rb")]);
    }

    #[test]
    fn invalid_utf8_does_not_end_the_stream() {
        let lines = decode(&[b"##[CHAT] \xa4\xa2\xff\n#WIN\n"]);
        assert!(matches!(&lines[0], Line::Text(text) if text.starts_with("##[CHAT] ")));
        assert_eq!(lines[1], Line::text("#WIN"));
    }

    #[test]
    fn a_line_at_the_limit_is_accepted_and_a_longer_one_is_reported_once() {
        let mut short = LineCodec::with_longest(10);
        let mut buffer = BytesMut::from(&b"12345678901\n1234567890\n123456789012"[..]);
        assert_eq!(short.decode(&mut buffer).unwrap(), Some(Line::TooLong));
        assert_eq!(short.decode(&mut buffer).unwrap(), Some(Line::text("1234567890")));
        assert_eq!(short.decode(&mut buffer).unwrap(), Some(Line::TooLong));
        assert!(buffer.is_empty(), "what is too long is not kept");
        let fits = vec![b'a'; MAX_LINE];
        let long = vec![b'b'; 5 * MAX_LINE];
        let lines = decode(&[&fits, b"\n", &long, &long, b"\nend\n", &long]);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], Line::Text("a".repeat(MAX_LINE)));
        assert_eq!(lines[1..3], [Line::TooLong, Line::text("end")]);
        assert_eq!(lines[3], Line::TooLong);
    }

    #[test]
    fn a_line_break_inside_a_line_cannot_start_a_second_line() {
        let mut buffer = BytesMut::new();
        LineCodec::new().encode("LOGIN a b\n%TORYO", &mut buffer).unwrap();
        assert_eq!(&buffer[..], b"LOGIN a b %TORYO\n");
    }

    #[test]
    fn display_text_has_no_control_characters() {
        assert_eq!(printable("na\u{1b}[31mme\u{9b}\u{202e}x"), "na[31mmex");
        assert!(matches!(printable("plain 名前"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn any_split_of_the_stream_gives_the_same_lines(
            mut bytes in prop::collection::vec(
                prop_oneof![6 => Just(b'a'), 2 => Just(b'\n'), 1 => Just(b'\r'), 1 => any::<u8>()], 0..400),
            cuts in prop::collection::vec(0usize..70_000, 0..8),
            long_at in prop::option::of(0usize..400),
            long in MAX_LINE - 2..MAX_LINE + 3,
        ) {
            if let Some(at) = long_at {
                let at = at.min(bytes.len());
                bytes.splice(at..at, std::iter::repeat_n(b'x', long));
            }
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut start = 0;
            for cut in cuts {
                pieces.push(&bytes[start..cut]);
                start = cut;
            }
            pieces.push(&bytes[start..]);
            prop_assert_eq!(decode(&pieces), decode(&[&bytes]));
        }
    }
}
