//! Reports as lines of JSON, in a file or on standard output.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
    thread::{self, JoinHandle},
};

use jiff::Timestamp;

use crate::watch::{Reports, event_json};

/// Writes each report as one line of JSON to a writer, in a thread of its own, until the reports end. The thread ends
/// early, with a warning in the log, if the writer fails.
///
/// # Errors
/// The thread cannot be started.
pub fn write_events(
    mut reports: Reports,
    mut to: impl Write + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("kyomi-events".to_owned()).spawn(move || {
        while let Some(report) = reports.blocking_next() {
            let line = format!("{}\n", event_json(&report, Timestamp::now()));
            // A reader follows the file while the game runs.
            if let Err(error) = to.write_all(line.as_bytes()).and_then(|()| to.flush()) {
                tracing::warn!(%error, "events cannot be written any more");
                return;
            }
        }
    })
}

/// Opens a file for events; later runs append to it.
///
/// # Errors
/// The file cannot be opened.
pub fn open_events(path: &Path) -> io::Result<impl Write + Send + 'static> {
    OpenOptions::new().create(true).append(true).open(path)
}
