//! Reads a file written by a person.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

/// Reads a whole file.
///
/// # Errors
/// The file cannot be read, or is larger than 1 MiB, as a device may be.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let problem = "it is larger than 1 MiB, so it is another file than you mean";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// The size of the largest file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;
