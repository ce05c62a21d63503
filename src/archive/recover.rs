//! Journals left behind by killed processes.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::record::csa::{read, write_end};
use crate::record::{End, EndKind};

use super::journal::{JournalError, replace, stem_of};
use super::place::{BROKEN, DRAFT, JOURNAL, RECORD, place};

/// A journal that was found and dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// It is now a record, marked as interrupted unless it had its end.
    Record {
        /// The record.
        path: PathBuf,
        /// The number of its moves.
        moves: usize,
    },
    /// Nothing could be made of it; it was set aside.
    SetAside {
        /// Where it is now.
        path: PathBuf,
    },
}

/// Turns the journals in `dir` that no living process holds into records: a last line that was
/// torn is dropped, and a game without its end is marked as interrupted (`%CHUDAN`, and a comment).
/// A folder that is not there has none. A journal that cannot be dealt with is left alone with a
/// warning, and does not keep the others back.
///
/// # Errors
/// If the folder cannot be read.
pub fn recover(dir: &Path) -> Result<Vec<Recovered>, JournalError> {
    let fail = |source| JournalError::Folder { dir: dir.to_owned(), source };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(fail)?.path());
    }
    paths.sort();
    let mut recovered = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let outcome = if name.ends_with(JOURNAL) {
            recover_one(&path, dir)
        } else if name.starts_with('.') && name.ends_with(DRAFT) {
            remove_draft(&path).map(|()| None)
        } else {
            continue;
        };
        match outcome {
            Ok(found) => recovered.extend(found),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "journal not recovered");
            }
        }
    }
    Ok(recovered)
}

/// `None` if a living process holds it, or its record is there already.
fn recover_one(path: &Path, dir: &Path) -> io::Result<Option<Recovered>> {
    let Some(mut journal) = open_abandoned(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    journal.read_to_end(&mut bytes)?;
    let stem = stem_of(path);
    // Killed between the two halves of the last rename.
    if fs::read(dir.join(format!("{stem}{RECORD}"))).is_ok_and(|record| record == bytes) {
        fs::remove_file(path)?;
        return Ok(None);
    }
    bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
    let game = read(&bytes).ok().and_then(|games| games.into_iter().next());
    let Some(game) = game else {
        let path = place(path, dir, &stem, BROKEN, |_| false)?;
        return Ok(Some(Recovered::SetAside { path }));
    };
    if game.record.end.is_none() {
        let mut end = End::new(EndKind::Interrupted);
        end.comments.push(INTERRUPTED.to_owned());
        bytes.extend_from_slice(write_end(&end).as_bytes());
    }
    let _locked = replace(path, dir, &bytes)?;
    let path = place(path, dir, &stem, RECORD, |_| false)?;
    Ok(Some(Recovered::Record { path, moves: game.record.moves.len() }))
}

fn remove_draft(path: &Path) -> io::Result<()> {
    if open_abandoned(path)?.is_some() { fs::remove_file(path) } else { Ok(()) }
}

/// The file, locked by us; `None` if a living process holds it or it is gone meanwhile.
fn open_abandoned(path: &Path) -> io::Result<Option<File>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Its writer may have renamed or finished it before we had the lock.
    Ok(path.exists().then_some(file))
}

/// The comment of a record that was cut short.
const INTERRUPTED: &str = "interrupted: the program ended before the game did";
