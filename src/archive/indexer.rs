//! Adds finished records to the index, in a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel,
};
use std::thread;
use std::time::Duration;

use super::import::{ImportOptions, Sources, import};
use super::index::{Index, IndexError};

/// The handle of the thread that adds finished records to the index.
///
/// [`Indexer::add`] never waits: if the queue is full or a record cannot be added, the next `kyomi games`, which
/// searches the folder, adds it. When the handle is dropped, it waits a short time for the last records.
#[derive(Debug)]
pub struct Indexer {
    records: Option<SyncSender<PathBuf>>,
    ended: Receiver<()>,
}

impl Indexer {
    /// Starts the thread, and adds the folder of the records to those that `kyomi games` searches. If the thread cannot
    /// be started, this is logged and no records are added.
    pub fn start(database: &Path, folder: &Path) -> Self {
        if let Err(error) = Sources::add(database, folder, true) {
            tracing::warn!(%error, "the folder of records is not noted in the list of sources");
        }
        let (records, waiting) = sync_channel::<PathBuf>(QUEUE);
        let (end, ended) = channel();
        let database = database.to_owned();
        let run = move || {
            for record in waiting {
                if let Err(error) = add(&database, &record) {
                    let record = record.display();
                    tracing::warn!(%error, %record, "a record was not added to the database");
                }
            }
            drop(end);
        };
        let started = thread::Builder::new().name("kyomi-index".to_owned()).spawn(run);
        if let Err(error) = &started {
            tracing::warn!(%error, "finished games are not added to the database");
        }
        Self { records: started.is_ok().then_some(records), ended }
    }

    /// Adds a finished record, later.
    pub fn add(&self, record: &Path) {
        let Some(records) = &self.records else { return };
        match records.try_send(record.to_owned()) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                tracing::debug!(record = %record.display(), "left to the next kyomi games");
            }
        }
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.records = None;
        if self.ended.recv_timeout(LAST_WAIT) == Err(RecvTimeoutError::Timeout) {
            tracing::debug!("the last records are left to the next kyomi games");
        }
    }
}

fn add(database: &Path, record: &Path) -> Result<(), IndexError> {
    // Opened for each game: games are minutes apart, and the database may have been rebuilt since.
    let index = Index::open(database)?;
    let path = record.canonicalize().unwrap_or_else(|_| record.to_owned());
    let stop = AtomicBool::new(false);
    let report = import(&index, &[path], ImportOptions { threads: 1 }, &stop, &mut |_| {})?;
    for fault in &report.broken {
        tracing::warn!(file = fault.file, reasons = ?fault.reasons, "a record is broken");
    }
    Ok(())
}

/// The largest number of records that wait.
const QUEUE: usize = 256;

/// How long the end of the program waits for the last records.
const LAST_WAIT: Duration = Duration::from_secs(2);
