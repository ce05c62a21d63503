//! An output whose lines begin with a label, for the games of several accounts.

use std::io::{self, Write};

/// Writes whole lines, each with a label before it.
#[derive(Debug)]
pub struct Labelled<W> {
    out: W,
    label: Option<String>,
    /// The line that is not complete yet.
    line: Vec<u8>,
}

impl<W: Write> Labelled<W> {
    /// Lines with this label before them; without a label nothing is changed.
    pub fn new(out: W, label: Option<&str>) -> Self {
        Self { out, label: label.map(|label| format!("{label} ")), line: Vec::new() }
    }
}

impl<W: Write> Write for Labelled<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(label) = &self.label else { return self.out.write(bytes) };
        self.line.extend_from_slice(bytes);
        let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n') else {
            return Ok(bytes.len());
        };
        let rest = self.line.split_off(end + 1);
        let mut text = Vec::new();
        for line in self.line.split_inclusive(|byte| *byte == b'\n') {
            text.extend_from_slice(label.as_bytes());
            text.extend_from_slice(line);
        }
        self.line = rest;
        // One write, so that the lines of several writers do not mix.
        self.out.write_all(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_label() {
        let mut out = Labelled::new(Vec::new(), Some("a"));
        for part in ["1 +77", "76FU\n2 -3334FU\nresu", "lt: black\n", "cut"] {
            out.write_all(part.as_bytes()).unwrap();
        }
        assert_eq!(out.out, b"a 1 +7776FU\na 2 -3334FU\na result: black\n");
        let mut out = Labelled::new(Vec::new(), None);
        out.write_all(b"1 +77").unwrap();
        assert_eq!(out.out, b"1 +77");
    }
}
