//! Recovers journals left by killed processes.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kyomi_record::csa::{read, write_end};
use kyomi_record::{End, EndKind, ReadRecord};

use super::journal::{JournalError, open_abandoned, replace, stem_of};
use super::rename::{BROKEN, DRAFT, JOURNAL, RECORD, rename_to_free_name};

/// The outcome of recovering a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// It was renamed to a record, and marked as interrupted unless it already had its end; or it was a finished record
    /// that still had its journal name too.
    Record {
        /// The record.
        path: PathBuf,
        /// The number of its moves.
        moves: usize,
    },
    /// It could not be read to its end, and was renamed. Its content is unchanged.
    SetAside {
        /// Its new path.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
}

/// Turns the journals in `dir` that no running process holds into records. An incomplete last line is dropped, and a
/// game without an end is marked as interrupted (`%CHUDAN`, and a comment). A journal with a move that cannot be played
/// gets no end, because it would belong to another position. A folder that does not exist has no journals. A journal that cannot be recovered is left unchanged, with a warning in the log, and does not prevent
/// others from being recovered.
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

/// `None` if a running process holds it.
fn recover_one(path: &Path, dir: &Path) -> io::Result<Option<Recovered>> {
    let Some(mut journal) = open_abandoned(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    journal.read_to_end(&mut bytes)?;
    let stem = stem_of(path);
    // The process was killed between the two steps of the last rename: linking the new name and removing the old one.
    if let Some(record) = finished(dir, &stem, &bytes) {
        fs::remove_file(path)?;
        let games = read(&bytes).unwrap_or_default();
        let moves = games.first().map_or(0, |game| game.record.moves.len());
        return Ok(Some(Recovered::Record { path: record, moves }));
    }
    bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
    let game = match whole_game(&bytes) {
        Ok(game) => game,
        Err(fault) => {
            let path = rename_to_free_name(path, dir, &stem, BROKEN, |_| false)?;
            return Ok(Some(Recovered::SetAside { path, fault }));
        }
    };
    if game.record.end.is_none() {
        let mut end = End::new(EndKind::Interrupted);
        end.comments.push(INTERRUPTED.to_owned());
        bytes.extend_from_slice(write_end(&end).as_bytes());
    }
    let _locked = replace(path, dir, &bytes)?;
    let path = rename_to_free_name(path, dir, &stem, RECORD, |_| false)?;
    Ok(Some(Recovered::Record { path, moves: game.record.moves.len() }))
}

/// The game of a journal, without a fault. Journals have legal moves only, so an illegal one is a damage to the file.
fn whole_game(bytes: &[u8]) -> Result<ReadRecord, String> {
    let games = read(bytes).map_err(|error| error.to_string())?;
    let game = games.into_iter().next().ok_or_else(|| "it has no game".to_owned())?;
    match &game.fault {
        Some(fault) => Err(fault.to_string()),
        None => Ok(game),
    }
}

/// The record with the content of a journal, under one of the names that [`rename_to_free_name`] gives.
fn finished(dir: &Path, stem: &str, journal: &[u8]) -> Option<PathBuf> {
    let mut number = 1;
    loop {
        let stem = if number == 1 { stem.to_owned() } else { format!("{stem}_{number}") };
        let path = dir.join(format!("{stem}{RECORD}"));
        match fs::read(&path) {
            Ok(record) if record == journal => return Some(path),
            Ok(_) => number += 1,
            Err(_) => return None,
        }
    }
}

fn remove_draft(path: &Path) -> io::Result<()> {
    if open_abandoned(path)?.is_some() { fs::remove_file(path) } else { Ok(()) }
}

/// The comment of an interrupted record.
const INTERRUPTED: &str = "interrupted: the program ended before the game did";
