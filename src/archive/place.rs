//! Puts finished files under names that nothing else has.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Renames `from` to `stem + extension` in `dir`, or, where that name is taken, to
/// `stem_2 + extension` and so on. `taken` says what else makes a stem unusable.
pub(super) fn place(
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
        match place_at(from, &to) {
            Ok(()) => return Ok(to),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Renames `from` to `to`, which must not exist.
///
/// Nothing is overwritten, whatever other processes do meanwhile: the new name is made as a hard
/// link, which fails if it exists; on file systems without links it is reserved by an empty file.
pub(super) fn place_at(from: &Path, to: &Path) -> io::Result<()> {
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

/// A journal while its game runs.
pub(super) const JOURNAL: &str = ".csa.part";

/// A finished record.
pub(super) const RECORD: &str = ".csa";

/// A file in the making, seen by nobody else.
pub(super) const DRAFT: &str = ".csa.draft";

/// A journal that nothing could be made of.
pub(super) const BROKEN: &str = ".csa.broken";
