//! Reads whole files, with the format and the size checked.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::spec::{LARGEST_FILE, Pieces};
use super::{Encoding, Format, decode};

/// The longest line of a file that is read line by line: 16 MiB, a game of three million moves.
pub const LONGEST_LINE: usize = 16 << 20;

/// Reads a whole file and detects its format by its content and its name. The file may have the size that the format
/// allows, or 64 MiB. Lists in UTF-16 are returned in UTF-8, which their readers expect.
///
/// # Errors
/// The system's error, or [`ErrorKind::FileTooLarge`].
pub fn read_detected(
    name: Option<&Path>,
    mut source: impl Read,
) -> io::Result<(Option<Format>, Vec<u8>)> {
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    let format = Format::detect(name, &bytes);
    let most = format.and_then(Format::largest_file).unwrap_or(LARGEST_FILE);
    let rest = read_bounded(source, most.saturating_sub(bytes.len())).map_err(|error| {
        if error.kind() == ErrorKind::FileTooLarge { too_large(most) } else { error }
    })?;
    bytes.extend_from_slice(&rest);
    let bytes = match format {
        Some(format) if format.pieces() == Pieces::Lines => in_utf8(bytes),
        _ => bytes,
    };
    Ok((format, bytes))
}

/// Converts a list in UTF-16 to UTF-8; returns any other as it is.
pub fn in_utf8(bytes: Vec<u8>) -> Vec<u8> {
    if is_utf16(&bytes) { decode(&bytes).text.into_bytes() } else { bytes }
}

/// Whether a text is in UTF-16, with a byte order mark or without.
pub fn is_utf16(bytes: &[u8]) -> bool {
    decode(&bytes[..bytes.len().min(HEAD_BYTES)]).encoding == Encoding::Utf16
}

/// Reads everything, unless it is more than `most` bytes.
///
/// # Errors
/// The system's error, or [`ErrorKind::FileTooLarge`].
pub fn read_bounded(source: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

fn too_large(most: usize) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("larger than {} MiB", most >> 20))
}

/// How many bytes of a file are read to detect its format.
pub const HEAD_BYTES: usize = 1 << 14;
