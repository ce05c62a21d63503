//! The record of one running game, on disk line by line.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::record::csa::{write_end, write_header, write_move};
use crate::record::{End, Header, Record, RecordMove};
use crate::shogi::Position;

use super::name::file_stem;

/// The record of one running game.
///
/// Each call of [`Journal::push`] is one write that has reached the operating system on return.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    record: Record,
    position: Position,
}

impl Journal {
    /// Begins the journal of a game in `dir`, which is made if it is not there. `template` names
    /// the record, see [`file_stem`].
    ///
    /// # Errors
    /// If the folder cannot be made or written.
    pub fn create(
        dir: &Path,
        template: &str,
        header: &Header,
        start: &Position,
    ) -> Result<Self, JournalError> {
        let fail = |source| JournalError::Folder { dir: dir.to_owned(), source };
        std::fs::create_dir_all(dir).map_err(fail)?;
        let path = dir.join(format!("{}.csa.part", file_stem(template, header)));
        let mut file = File::create_new(&path).map_err(fail)?;
        file.write_all(write_header(header, start).as_bytes()).map_err(fail)?;
        let record = Record::new(header.clone(), start.clone());
        Ok(Self { file, path, record, position: start.clone() })
    }

    /// Where the journal is written while the game runs.
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
    /// If it is illegal here, or cannot be written.
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
        self.append(&format!("'{text}\n"))
    }

    /// Ends the journal: it becomes a finished record, whose path is returned.
    ///
    /// # Errors
    /// If it cannot be written; the journal is then left for [`super::recover`].
    pub fn finish(mut self, end: &End) -> Result<PathBuf, JournalError> {
        self.append(&write_end(end))?;
        let path = self.path.with_extension("");
        std::fs::rename(&self.path, &path)
            .map_err(|source| JournalError::Write { path: self.path.clone(), source })?;
        Ok(path)
    }

    fn append(&mut self, text: &str) -> Result<(), JournalError> {
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| JournalError::Write { path: self.path.clone(), source })
    }
}

/// Why a game cannot be kept.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The folder cannot be made or written.
    #[error("cannot keep records in {}: {source}; make the folder writable or set [records] dir", dir.display())]
    Folder {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A move that is illegal where it stands.
    #[error("ply {ply} is illegal and was not recorded")]
    Illegal {
        /// The ply, counted from 1.
        ply: usize,
    },
}
