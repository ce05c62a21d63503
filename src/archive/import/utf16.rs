//! Reads UTF-16 as UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};

/// Converts UTF-16 to UTF-8 piece by piece. Invalid units become replacement characters; a byte order mark is left out.
pub(super) struct Utf16Reader<R> {
    source: R,
    decoder: Decoder,
    /// Converted text, given out up to `given`.
    text: String,
    given: usize,
    is_over: bool,
}

impl<R: Read> Utf16Reader<R> {
    pub(super) fn new(source: R, is_big_endian: bool) -> Self {
        let encoding = if is_big_endian { UTF_16BE } else { UTF_16LE };
        let decoder = encoding.new_decoder_with_bom_removal();
        Self { source, decoder, text: String::new(), given: 0, is_over: false }
    }

    /// Converts the next piece.
    fn convert(&mut self) -> io::Result<()> {
        let mut bytes = [0; PIECE];
        let read = self.source.read(&mut bytes)?;
        self.is_over = read == 0;
        self.text.clear();
        self.given = 0;
        let bytes = bytes.get(..read).unwrap_or_default();
        let most = self.decoder.max_utf8_buffer_length(read);
        self.text.reserve(most.ok_or_else(|| io::Error::other("too long"))?);
        let _ = self.decoder.decode_to_string(bytes, &mut self.text, self.is_over);
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.is_over {
            self.convert()?;
        }
        let mut rest = self.text.as_bytes().get(self.given..).unwrap_or_default();
        let count = rest.read(out)?;
        self.given += count;
        Ok(count)
    }
}

/// The bytes that are read at once.
const PIECE: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn both_byte_orders_are_converted_across_pieces() {
        let text = "startpos moves 7g7f\t羽生𠮷\n".repeat(3000);
        for is_big_endian in [false, true] {
            let mut bytes = Vec::new();
            for unit in std::iter::once(0xFEFF).chain(text.encode_utf16()) {
                bytes.extend(if is_big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() });
            }
            let mut read = String::new();
            let reader = Utf16Reader::new(bytes.as_slice(), is_big_endian);
            BufReader::new(reader).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }
}
