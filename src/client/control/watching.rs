//! The reports of a running client as a stream of lines for another process (`kyomi watch`).

use std::{io, sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::watch::{MergedReports, Report, attach_json, event_json};

/// The slots for processes that watch a client through its socket.
#[derive(Debug, Clone)]
pub(super) struct WatcherSlots(Arc<Semaphore>);

impl WatcherSlots {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST_WATCHERS)))
    }

    pub(super) fn take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }
}

/// Writes the events until the run ends, or until the watcher is gone. A watcher that does not read is dropped: at most
/// the queue of reports and one line wait for it.
pub(super) async fn stream(
    stream: impl AsyncRead + AsyncWrite,
    labels: Vec<Option<String>>,
    mut reports: MergedReports,
    _place: OwnedSemaphorePermit,
) -> io::Result<()> {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let mut ignored = [0; 64];
    loop {
        let (account, report) = tokio::select! {
            next = reports.next() => match next {
                Some(next) => next,
                None => return writer.shutdown().await,
            },
            read = reader.read(&mut ignored) => match read? {
                0 => return Ok(()),
                _ => continue,
            },
        };
        let at = Timestamp::now();
        let mut events = Vec::new();
        if let Report::Snapshot { snapshot, missed } = &report {
            events.push(attach_json(snapshot, *missed, at));
            events.extend(snapshot.connection_report().map(|report| event_json(&report, at)));
        } else {
            events.push(event_json(&report, at));
        }
        for mut event in events {
            let label = labels.get(account).and_then(Option::as_deref);
            if let (Some(label), Some(fields)) = (label, event.as_object_mut()) {
                fields.insert("account".to_owned(), label.into());
            }
            let line = format!("{event}\n");
            timeout(WRITE_LIMIT, writer.write_all(line.as_bytes())).await??;
        }
    }
}

/// The request.
pub(super) const WATCH: &str = "watch";

const MOST_WATCHERS: usize = 16;

/// A watcher that does not accept a line within this time is dropped.
const WRITE_LIMIT: Duration = Duration::from_secs(5);
