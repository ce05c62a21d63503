//! The records of watched games: one journal for each, so that no move is lost if the spy is killed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Zoned;

use crate::archive::{Journal, JournalError, open_folder};
use kyomi_record::{End, Record, RecordMove, RecordTime};

/// The journals of the watched games, by game id.
#[derive(Debug)]
pub(super) struct WatchedRecords {
    dir: PathBuf,
    template: String,
    journals: HashMap<String, Journal>,
}

/// A record that was begun or continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenedRecord {
    /// Black's and white's name.
    pub(super) names: [String; 2],
    /// The number of moves so far.
    pub(super) moves: usize,
}

impl WatchedRecords {
    /// Opens the folder, and continues the journals of a killed spy.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub(super) fn open(dir: &Path, template: &str) -> Result<Self, JournalError> {
        let mut journals = HashMap::new();
        // A folder that does not exist has no journals.
        for entry in fs::read_dir(dir).into_iter().flatten().flatten().take(MOST_FILES) {
            let path = entry.path();
            if !path.to_string_lossy().ends_with(".csa.part") {
                continue;
            }
            if let Ok(Some(journal)) = Journal::reopen(&path)
                && let Some(id) = journal.record().header.event.clone()
            {
                journals.insert(id, journal);
            }
        }
        // The other journals become records.
        open_folder(dir)?;
        Ok(Self { dir: dir.to_owned(), template: template.to_owned(), journals })
    }

    /// The ids of the games whose records are not finished.
    pub(super) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.journals.keys().cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// Begins the record of a game, or continues the one of an earlier connection if this is the same game.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(super) fn begin(
        &mut self,
        id: &str,
        mut record: Record,
    ) -> Result<OpenedRecord, JournalError> {
        record.header.event = Some(id.to_owned());
        let names = [&record.header.black, &record.header.white]
            .map(|name| name.clone().unwrap_or_default());
        let begun = OpenedRecord { names, moves: record.moves.len() };
        let mut journal = match self.journals.remove(id) {
            Some(journal) if continues(journal.record(), &record) => journal,
            Some(other) => {
                finish(other, &kyomi_csa::spy::unknown_end("another game has the same id"))?;
                self.create(&record)?
            }
            None => self.create(&record)?,
        };
        for made in &record.moves[journal.record().moves.len()..] {
            journal.push(made)?;
        }
        self.journals.insert(id.to_owned(), journal);
        Ok(begun)
    }

    fn create(&self, record: &Record) -> Result<Journal, JournalError> {
        Journal::create(&self.dir, &self.template, &record.header, &record.start)
    }

    /// Adds a move. Returns its number.
    ///
    /// # Errors
    /// It cannot be written; the record in memory has it.
    pub(super) fn push(&mut self, id: &str, made: &RecordMove) -> Result<usize, JournalError> {
        let Some(journal) = self.journals.get_mut(id) else { return Ok(0) };
        journal.push(made)?;
        Ok(journal.record().moves.len())
    }

    /// Finishes the record of a game. Returns its path and the number of moves.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn finish(
        &mut self,
        id: &str,
        end: &End,
    ) -> Result<Option<(PathBuf, usize)>, JournalError> {
        let Some(journal) = self.journals.remove(id) else { return Ok(None) };
        let moves = journal.record().moves.len();
        Ok(Some((finish(journal, end)?, moves)))
    }
}

/// Whether a record has all moves of another one, from the same position.
fn continues(old: &Record, new: &Record) -> bool {
    let played = |record: &Record| record.moves.iter().map(|it| it.mv).collect::<Vec<_>>();
    old.start == new.start && played(new).starts_with(&played(old))
}

fn finish(mut journal: Journal, end: &End) -> Result<PathBuf, JournalError> {
    journal.set_end_time(RecordTime::from_zoned(&Zoned::now()));
    journal.finish(end)
}

/// The largest number of files looked at when the folder is opened.
const MOST_FILES: usize = 1_000_000;
