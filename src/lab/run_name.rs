//! The name under which workers send results.

use std::{fs, path::Path};

use super::StoreError;
use crate::cluster::subject::{is_token, random_name};

/// The name in this file, which a resumed run keeps, since results may wait for it. Without one the file is written.
///
/// # Errors
/// The file cannot be written.
pub(super) fn kept_run_name(path: &Path) -> Result<String, StoreError> {
    let old = fs::read_to_string(path).unwrap_or_default();
    if is_token(old.trim()) {
        return Ok(old.trim().to_owned());
    }
    let name = random_name();
    let draft = path.with_extension("draft");
    let written = fs::create_dir_all(path.parent().unwrap_or(path))
        .and_then(|()| fs::write(&draft, format!("{name}\n")))
        .and_then(|()| fs::rename(&draft, path));
    written.map_err(|source| StoreError::Io { doing: "writing", path: path.to_owned(), source })?;
    Ok(name)
}
