//! How much of a file has to be in memory at once.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::spec::{LARGEST_FILE, Pieces};
use super::{Encoding, Format, decode};

/// The longest line of a file that is read line by line: 16 MiB, a game of three million moves.
pub const MOST_LINE_BYTES: usize = 16 << 20;

/// A whole file with its format, as the content or the name tells it; at most as large as the format allows, or
/// 64 MiB. Lists in UTF-16 are given in UTF-8, as their readers want them.
///
/// # Errors
/// What the system says, or [`ErrorKind::FileTooLarge`].
pub fn read_detected(
    name: Option<&Path>,
    mut source: impl Read,
) -> io::Result<(Option<Format>, Vec<u8>)> {
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD as u64).read_to_end(&mut bytes)?;
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

/// A list in UTF-16 in UTF-8; any other as it is.
pub fn in_utf8(bytes: Vec<u8>) -> Vec<u8> {
    if is_utf16(&bytes) { decode(&bytes).text.into_bytes() } else { bytes }
}

/// Whether a text is in UTF-16, with its mark or without.
pub fn is_utf16(bytes: &[u8]) -> bool {
    decode(&bytes[..bytes.len().min(HEAD)]).encoding == Encoding::Utf16
}

/// All that is there, unless it is more than `most` bytes.
///
/// # Errors
/// What the system says, or [`ErrorKind::FileTooLarge`].
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

/// As much of a file is looked at for its format.
pub const HEAD: usize = 1 << 14;
