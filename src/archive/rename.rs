//! Renames files without overwriting others, and the extensions of records.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Renames `from` to `stem + extension` in `dir`, or, if that name is taken, to `stem_2 + extension` and so on.
/// `taken` reports which stems cannot be used for other reasons.
pub(super) fn rename_to_free_name(
    from: &Path,
    dir: &Path,
    stem: &str,
    extension: &str,
    taken: impl Fn(&str) -> bool,
) -> io::Result<PathBuf> {
    for number in 1..=u32::MAX {
        let stem = if number == 1 { stem.to_owned() } else { format!("{stem}_{number}") };
        if taken(&stem) {
            continue;
        }
        let to = dir.join(format!("{stem}{extension}"));
        match rename_to(from, &to) {
            Ok(()) => return Ok(to),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Renames `from` to `to`, which must not exist.
///
/// No file is overwritten, whatever other processes do at the same time: the new name is created as a hard link,
/// which fails if the name exists. On file systems without links an empty file reserves it.
pub(super) fn rename_to(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => return fs::remove_file(from),
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
            return Err(error);
        }
        Err(_) => {}
    }
    File::create_new(to)?;
    fs::rename(from, to)
}

/// The extension of a journal while its game runs.
pub(super) const JOURNAL: &str = ".csa.part";

/// The extension of a finished record.
pub(super) const RECORD: &str = ".csa";

/// The extension of a file that is being written.
pub(super) const DRAFT: &str = ".csa.draft";

/// The extension of a journal that could not be read.
pub(super) const BROKEN: &str = ".csa.broken";
