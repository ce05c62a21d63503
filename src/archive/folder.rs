//! Prepares the folder of records before the first game.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{JournalError, Recovered, recover};

/// Makes the folder, and writes and removes a file in it, so that an unwritable folder is noticed before a game begins.
///
/// # Errors
/// The folder cannot be made or written.
pub fn check_folder(dir: &Path) -> Result<(), JournalError> {
    let fail = |source| JournalError::Folder { dir: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(fail)?;
    let path: PathBuf = dir.join(format!(".kyomi-{}-{}", std::process::id(), fastrand::u64(..)));
    fs::File::create_new(&path).map_err(fail)?;
    fs::remove_file(&path).map_err(fail)
}

/// Checks the folder and turns the journals of killed processes in it into records, with a warning for each in the
/// log. A journal that cannot be recovered does not prevent games from being played.
///
/// # Errors
/// The folder cannot be made or written.
pub fn open_folder(dir: &Path) -> Result<(), JournalError> {
    check_folder(dir)?;
    match recover(dir) {
        Ok(found) => found.iter().for_each(warn),
        Err(error) => tracing::error!(%error, "journals of an earlier run were not recovered"),
    }
    Ok(())
}

fn warn(recovered: &Recovered) {
    match recovered {
        Recovered::Record { path, moves } => {
            tracing::warn!(path = %path.display(), moves, "interrupted game recovered");
        }
        Recovered::SetAside { path, fault } => {
            tracing::warn!(path = %path.display(), fault, "unreadable journal set aside");
        }
    }
}
