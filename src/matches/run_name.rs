//! The name of a run, under which workers send results.

use std::{fs, path::Path};

use super::StoreError;
use crate::archive::{Sync, write_atomic};
use crate::cluster::subject::{is_token, random_name};
use kyomi_record::read_bounded;

/// Reads the name of a run from a file, or creates the file with a random name. A resumed run keeps its name, since
/// results of workers may be waiting under it.
///
/// # Errors
/// The file cannot be written.
pub fn load_or_create_run_name(path: &Path) -> Result<String, StoreError> {
    let bytes = fs::File::open(path).and_then(|file| read_bounded(file, LARGEST_FILE));
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    if is_token(text.trim()) {
        return Ok(text.trim().to_owned());
    }
    let name = random_name();
    let written = fs::create_dir_all(path.parent().unwrap_or(path))
        .and_then(|()| write_atomic(path, format!("{name}\n").as_bytes(), Sync::Now));
    written.map_err(|source| StoreError::Io { doing: "writing", path: path.to_owned(), source })?;
    Ok(name)
}

/// The size of the largest file that is read, in bytes; a name has a few.
const LARGEST_FILE: usize = 1 << 12;
