//! Imports new files in the folders of our own records.

use std::{path::PathBuf, sync::atomic::AtomicBool};

use super::{ImportOptions, find_files, import};
use crate::archive::index::{Index, IndexError};

/// Adds the records of these folders that are not in the database yet. Folders that do not exist have none.
///
/// # Errors
/// The database cannot be read or written.
pub fn catch_up(index: &Index, folders: &[PathBuf]) -> Result<(), IndexError> {
    let there: Vec<_> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
    let (files, faults) = find_files(&there);
    for (path, error) in faults {
        tracing::warn!(path = %path.display(), %error, "cannot be read");
    }
    let options = ImportOptions { threads: 1 };
    let stop = AtomicBool::new(false);
    let report = import(index, &files, options, &stop, &mut |_| {})?;
    for fault in &report.broken {
        tracing::warn!(file = fault.file, reasons = ?fault.reasons, "a record is broken");
    }
    if report.counts.games > 0 {
        tracing::debug!(games = report.counts.games, "own games added to the database");
    }
    Ok(())
}
