//! The record of one running game, written to disk line by line.
//!
//! ```text
//! NAME.csa.draft   the header is being written  (killed here: nothing was played)
//! NAME.csa.part    locked while the game runs; each push is one write at the end
//! NAME.csa         the finished record, complete with its end time
//! ```
//! Each step from one to the next is one rename. A process that is killed at any moment therefore leaves either a
//! journal with everything it had received, or the finished record. The lock is the operating system's lock on the
//! file. It ends with the process, however the process ends.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use kyomi_record::csa::{read, write, write_comment, write_end, write_header, write_move};
use kyomi_record::{End, Header, Record, RecordMove, RecordTime};
use kyomi_shogi::{Game, Position};

use super::draft::{Draft, Sync};
use super::name::file_stem;
use super::rename::{JOURNAL, RECORD, rename_to_free_name};

/// The record of one running game.
///
/// Each call of [`Journal::push`] is one write that has reached the operating system on return. A journal that is
/// dropped without [`Journal::finish`] stays on disk for [`super::recover`].
#[derive(Debug)]
pub struct Journal {
    /// The locked file.
    file: File,
    dir: PathBuf,
    path: PathBuf,
    record: Record,
    position: Position,
    /// Whether a write failed, so that the file may end in an incomplete line. The record in memory is complete.
    is_torn: bool,
}

impl Journal {
    /// Begins the journal of a game in `dir`, which is created if it does not exist. `template` names the record,
    /// see [`file_stem`].
    ///
    /// # Errors
    /// If the folder cannot be created or written.
    pub fn create(
        dir: &Path,
        template: &str,
        header: &Header,
        start: &Position,
    ) -> Result<Self, JournalError> {
        let fail = |source| JournalError::Folder { dir: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(fail)?;
        let stem = file_stem(template, header);
        let mut draft = Draft::locked(dir, &stem).map_err(fail)?;
        let has_record = |stem: &str| dir.join(format!("{stem}{RECORD}")).exists();
        let created = draft.write_all(write_header(header, start).as_bytes()).and_then(|()| {
            draft.finish(Sync::Later, |draft| {
                rename_to_free_name(draft, dir, &stem, JOURNAL, has_record)
            })
        });
        let record = Record::new(header.clone(), start.clone());
        let (file, path) = created.map_err(fail)?;
        Ok(Self {
            file,
            dir: dir.to_owned(),
            path,
            record,
            position: start.clone(),
            is_torn: false,
        })
    }

    /// Continues the journal of a process that was killed; `None` if a running process holds it, or if it has an end
    /// already. An incomplete last line is dropped.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn reopen(path: &Path) -> Result<Option<Self>, JournalError> {
        let fail = |source| JournalError::Write { path: path.to_owned(), source };
        let Some(mut abandoned) = open_abandoned(path).map_err(fail)? else { return Ok(None) };
        let mut bytes = Vec::new();
        abandoned.read_to_end(&mut bytes).map_err(fail)?;
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        let read = read(&bytes).ok().and_then(|games| games.into_iter().next());
        let Some(record) = read.map(|game| game.record).filter(|record| record.end.is_none())
        else {
            return Ok(None);
        };
        let mut game = Game::new(record.start.clone());
        if record.moves.iter().any(|played| game.push(played.mv).is_err()) {
            return Ok(None);
        }
        let dir = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
        let file = replace(path, &dir, &bytes).map_err(fail)?;
        let position = game.position().clone();
        Ok(Some(Self { file, dir, path: path.to_owned(), record, position, is_torn: false }))
    }

    /// The path of the journal while the game runs.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was recorded so far.
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// Appends a move.
    ///
    /// # Errors
    /// If it is illegal, or cannot be written. In the latter case the record in memory contains the move, and
    /// [`Journal::finish`] writes the whole record.
    pub fn push(&mut self, record_move: &RecordMove) -> Result<(), JournalError> {
        if !self.position.is_legal(record_move.mv) {
            return Err(JournalError::Illegal { ply: self.record.moves.len() + 1 });
        }
        let text = write_move(&self.position, record_move);
        self.position.do_move(record_move.mv);
        self.record.moves.push(record_move.clone());
        self.append(&text)
    }

    /// Appends a comment to the last move, or to the header before the first one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn comment(&mut self, text: &str) -> Result<(), JournalError> {
        let comments = match self.record.moves.last_mut() {
            Some(last) => &mut last.comments,
            None => &mut self.record.header.comments,
        };
        comments.push(text.to_owned());
        self.append(&write_comment(text))
    }

    /// Sets the end time of the game, for the header of the finished record.
    pub const fn set_end_time(&mut self, at: RecordTime) {
        self.record.header.end_time = Some(at);
    }

    /// Ends the journal, which becomes a finished record, and returns its path.
    ///
    /// # Errors
    /// If it cannot be written. The journal is left for [`super::recover`] then.
    pub fn finish(mut self, end: &End) -> Result<PathBuf, JournalError> {
        // If the rest fails, the journal at least has its end. If this fails, the rest writes the whole record.
        if let Err(error) = self.append(&write_end(end)) {
            tracing::debug!(%error, "end not appended");
        }
        self.record.end = Some(end.clone());
        let text = write(&self.record);
        replace(&self.path, &self.dir, text.as_bytes())
            .and_then(|_locked| {
                let stem = stem_of(&self.path);
                rename_to_free_name(&self.path, &self.dir, &stem, RECORD, |_| false)
            })
            .map_err(|source| JournalError::Write { path: self.path.clone(), source })
    }

    fn append(&mut self, text: &str) -> Result<(), JournalError> {
        let written = if self.is_torn {
            Err(io::Error::other("an earlier write failed"))
        } else {
            self.file.write_all(text.as_bytes())
        };
        written.map_err(|source| {
            self.is_torn = true;
            JournalError::Write { path: self.path.clone(), source }
        })
    }
}

/// Replaces a file by a new one with this content in one step. The new file is returned locked, so that no process
/// takes it for an abandoned journal.
pub(super) fn replace(path: &Path, dir: &Path, content: &[u8]) -> io::Result<File> {
    let mut draft = Draft::locked(dir, &stem_of(path))?;
    draft.write_all(content)?;
    draft.replace(path, Sync::Now)
}

/// The file, locked by this process; `None` if a running process holds it or it no longer exists.
pub(super) fn open_abandoned(path: &Path) -> io::Result<Option<File>> {
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
    // Its writer may have renamed or finished it before it was locked.
    Ok(path.exists().then_some(file))
}

/// The name of a journal without its extension.
pub(super) fn stem_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(JOURNAL).unwrap_or(&name).to_owned()
}

/// Why a game cannot be recorded.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The folder cannot be created or written.
    #[error(
        "cannot keep records in {}: {source}; make the folder writable, or choose another one \
         ([records] dir, or [listen] records for the server)",
        dir.display()
    )]
    Folder {
        /// The folder.
        dir: PathBuf,
        /// The system's error. Its text is part of this one's.
        #[source]
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error. Its text is part of this one's.
        #[source]
        source: io::Error,
    },
    /// The thread that writes cannot be started.
    #[error("cannot start the thread that writes the records: {0}")]
    Thread(#[source] io::Error),
    /// An illegal move.
    #[error("ply {ply} is illegal and was not recorded")]
    Illegal {
        /// The ply, counted from 1.
        ply: usize,
    },
}
