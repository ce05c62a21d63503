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

/// Writes each report of the accounts as one line of JSON to a writer, in a thread for each account, until the reports
/// end. If the writer fails, there is one warning, and the following events are tried again.
///
/// # Errors
/// A thread cannot be started.
pub fn write_events(
    accounts: &[Account],
    to: impl Write + Send + 'static,
) -> io::Result<Vec<JoinHandle<()>>> {
    let to = Arc::new(Mutex::new(EventWriter::new(to)));
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
                to.lock().write_line(&line);
            }
        })
    };
    accounts.iter().map(start).collect()
}

/// Writes lines, of which some are lost while the writer fails.
struct EventWriter<W> {
    to: W,
    /// Whether the last line could not be written.
    failing: bool,
    /// Whether it was written in part.
    is_torn: bool,
}

impl<W: Write> EventWriter<W> {
    fn new(to: W) -> Self {
        Self { to, failing: false, is_torn: false }
    }

    fn write_line(&mut self, line: &str) {
        let done = self.try_line(line.as_bytes());
        match &done {
            Ok(()) if self.failing => tracing::info!("events are written again"),
            Err(error) if !self.failing => {
                tracing::warn!(%error, "events cannot be written now, and are lost until it is possible again");
            }
            Ok(()) | Err(_) => {}
        }
        self.failing = done.is_err();
    }

    fn try_line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.to.write_all(b"\n")?;
            self.is_torn = false;
        }
        let mut rest = line;
        while !rest.is_empty() {
            match self.to.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = rest.get(written..).unwrap_or_default();
                    self.is_torn = !rest.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.to.flush()
    }
}

/// Opens a file for events; later runs append to it.
///
/// # Errors
/// The file cannot be opened.
pub fn open_events(path: &Path) -> io::Result<impl Write + Send + 'static> {
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with this much room.
    struct Disk {
        room: usize,
        text: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = bytes.len().min(self.room);
            if written == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= written;
            self.text.extend(&bytes[..written]);
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn events_are_written_again_after_the_disk_was_full() {
        let mut writer = EventWriter::new(Disk { room: 10, text: Vec::new() });
        for line in ["{\"a\":1}\n", "{\"a\":2}\n", "{\"a\":3}\n"] {
            writer.write_line(line);
        }
        assert!(writer.failing);
        writer.to.room = 100;
        writer.write_line("{\"a\":4}\n");
        assert!(!writer.failing);
        assert_eq!(writer.to.text, b"{\"a\":1}\n{\"\n{\"a\":4}\n");
    }
}
