//! Hashes that identify contents.

use std::{fs::File, io, path::Path};

use kyomi_record::read_bounded;

/// A hash of all added contents (FNV-1a over words; not cryptographic).
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// Of nothing yet.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds contents.
    pub fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        for byte in rest {
            self.mix(u64::from(*byte));
        }
        self.mix(bytes.len() as u64);
    }

    /// The hash.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// The fingerprint of a whole file.
    ///
    /// # Errors
    /// The file cannot be read, or is larger than a program or a network.
    pub fn of_file(path: &Path) -> io::Result<u64> {
        Ok(Self::of(&read_bounded(File::open(path)?, LARGEST_FILE)?))
    }

    /// The fingerprint of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut fingerprint = Self::new();
        fingerprint.add(bytes);
        fingerprint.value()
    }

    const fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
}

/// The size of the largest file that is read, in bytes.
const LARGEST_FILE: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_and_its_boundaries_both_count() {
        let of = |parts: &[&str]| {
            let mut fingerprint = Fingerprint::new();
            for part in parts {
                fingerprint.add(part.as_bytes());
            }
            fingerprint.value()
        };
        assert_eq!(of(&["startpos", "x"]), of(&["startpos", "x"]));
        assert_ne!(of(&["startpos", "x"]), of(&["startposx"]));
        assert_ne!(of(&["12345678a"]), of(&["12345678b"]));
    }
}
