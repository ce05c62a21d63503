//! Reports as lines of JSON, in a file or on standard output.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::watch::event_json;

use super::account::Account;

/// Writes each report of the accounts as one line of JSON to a writer, in a thread for each account, until the reports end.
/// A thread ends early, with a warning in the log, if the writer fails.
///
/// # Errors
/// A thread cannot be started.
pub fn write_events(
    accounts: &[Account],
    to: impl Write + Send + 'static,
) -> io::Result<Vec<JoinHandle<()>>> {
    let to = Arc::new(Mutex::new(to));
    let start = |account: &Account| {
        let (to, label) = (Arc::clone(&to), account.label.clone());
        let mut reports = account.watchers.subscribe();
        thread::Builder::new().name("kyomi-events".to_owned()).spawn(move || {
            while let Some(report) = reports.blocking_next() {
                let mut event = event_json(&report, Timestamp::now());
                if let (Some(label), Some(fields)) = (&label, event.as_object_mut()) {
                    fields.insert("account".to_owned(), label.as_str().into());
                }
                let line = format!("{event}\n");
                // A reader follows the file while the game runs.
                let mut to = to.lock();
                if let Err(error) = to.write_all(line.as_bytes()).and_then(|()| to.flush()) {
                    tracing::warn!(%error, "events cannot be written any more");
                    return;
                }
            }
        })
    };
    accounts.iter().map(start).collect()
}

/// Opens a file for events; later runs append to it.
///
/// # Errors
/// The file cannot be opened.
pub fn open_events(path: &Path) -> io::Result<impl Write + Send + 'static> {
    OpenOptions::new().create(true).append(true).open(path)
}
