//! Reading a file that a person wrote.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

/// A file of ours as a whole.
///
/// # Errors
/// As reading it; and if it is larger than any that somebody wrote, a device for example.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let problem = "it is larger than 1 MiB, so it is another file than you mean";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Largest file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;
