//! The file of the weights of learned move probabilities.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `kyomimov` |
//! | 8 to 11 | version, little-endian: 1 |
//! | then | the weights in the order of `layout`, a signed byte each |
//! | last 4 | CRC-32 of all bytes before, little-endian |

use super::layout::WEIGHTS;

const MAGIC: &[u8; 8] = b"kyomimov";
const VERSION: u32 = 1;
const HEADER: usize = 12;
const LENGTH: usize = HEADER + WEIGHTS + 4;

/// The reason that bytes are not the weights of learned move probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LearnedFileError {
    /// They do not begin as such a file.
    #[error("it is no file of learned move probabilities")]
    Foreign,
    /// They have another version.
    #[error("it has version {0} of the format; this program reads version {VERSION}")]
    Version(u32),
    /// Their number is wrong.
    #[error("it has {0} bytes instead of {LENGTH}; it is incomplete or damaged")]
    Length(usize),
    /// Their checksum is wrong.
    #[error("it is damaged: its checksum is wrong")]
    Checksum,
}

#[cfg(feature = "fit")]
/// The bytes of a file with these weights, each rounded to a whole number.
pub fn moves_file(weights: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(weights.iter().map(|weight| weight.round().clamp(-127.0, 127.0) as i8 as u8));
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// The weights in the bytes of a file.
///
/// # Errors
/// The bytes are not a whole file of this version.
pub(super) fn weights_of(bytes: &[u8]) -> Result<&[u8], LearnedFileError> {
    if !bytes.starts_with(MAGIC) {
        return Err(LearnedFileError::Foreign);
    }
    let length = LearnedFileError::Length(bytes.len());
    let (header, rest) = bytes.split_at_checked(HEADER).ok_or(length)?;
    let version = header[MAGIC.len()..].as_array().map_or(0, |word| u32::from_le_bytes(*word));
    if version != VERSION {
        return Err(LearnedFileError::Version(version));
    }
    if bytes.len() != LENGTH {
        return Err(length);
    }
    if crc32fast::hash(&bytes[..LENGTH - 4]).to_le_bytes() != bytes[LENGTH - 4..] {
        return Err(LearnedFileError::Checksum);
    }
    Ok(&rest[..WEIGHTS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_file_of_this_version_is_read() {
        let mut bytes = moves_file(&vec![-2.4; WEIGHTS]);
        assert_eq!(weights_of(&bytes), Ok(&vec![254_u8; WEIGHTS][..]));
        assert_eq!(weights_of(&bytes[1..]), Err(LearnedFileError::Foreign));
        assert_eq!(weights_of(&bytes[..10]), Err(LearnedFileError::Length(10)));
        assert_eq!(weights_of(&bytes[..100]), Err(LearnedFileError::Length(100)));
        bytes[20] ^= 1;
        assert_eq!(weights_of(&bytes), Err(LearnedFileError::Checksum));
        bytes[8] = 2;
        assert_eq!(weights_of(&bytes), Err(LearnedFileError::Version(2)));
    }
}
