//! A server without a port, for tests in simulated time: players come over streams within the process.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use tokio::io::DuplexStream;

use super::*;
use crate::watch::WallClock;

/// A running server without a port.
pub(crate) struct MemoryServer {
    acceptor: Acceptor,
    running: tokio::task::JoinHandle<()>,
    records: Option<PathBuf>,
    /// Ends with the server, and cuts all connections.
    pub(crate) life: CancellationToken,
}

impl MemoryServer {
    /// Starts a server, which goes on with the games of a killed one in its folder of records.
    pub(crate) async fn start(
        settings: ServerSettings,
        watchers: Watchers,
        clock: WallClock,
    ) -> Self {
        let start = settings.check().unwrap();
        let (own, resume_time) = (settings.address, settings.resume_time);
        let records = settings.records.clone();
        let mut held = Vec::new();
        if let Some(dir) = &records {
            held = HeldGame::find(dir, own, resume_time);
            recover_others(dir, own, resume_time).unwrap();
        }
        let ServerParts { mut hub, acceptor } =
            ServerParts::new(settings, start, Some(watchers)).unwrap();
        hub.simulate(clock);
        let refused = hub.restore(held).await;
        if let (false, Some(dir)) = (refused.is_empty(), &records) {
            drop(refused);
            recover_others(dir, own, resume_time).unwrap();
        }
        let running = tokio::spawn(hub.run(Shutdown::default()));
        Self { acceptor, running, records, life: CancellationToken::new() }
    }

    /// A new connection. The caller closes it when the server's life ends.
    pub(crate) fn connect(&mut self) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        self.acceptor.admit(None, tokio::io::split(ours), |_| {}, ());
        theirs
    }

    /// Kills it: nothing more is written or sent.
    pub(crate) async fn kill(self) {
        self.running.abort();
        self.life.cancel();
        let _ = self.running.await;
        self.records.iter().for_each(|dir| wait_until_unlocked(dir));
    }
}

/// Waits, while the simulated time stands, until the threads of a killed process have let go of all journals in this
/// folder. They belong to the process, and a real one ends with them.
pub(crate) fn wait_until_unlocked(dir: &Path) {
    while unfinished(dir).iter().any(|path| is_held(path)) {
        std::thread::yield_now();
    }
}

/// The journals, and those whose headers are being written.
fn unfinished(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_journal = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "part" || extension == "draft")
    };
    entries.filter(is_journal).collect()
}

/// Whether a thread holds this file, or has renamed it since it was found.
fn is_held(path: &Path) -> bool {
    match File::open(path).map(|file| file.try_lock()) {
        Ok(locked) => matches!(locked, Err(TryLockError::WouldBlock)),
        Err(_) => true,
    }
}
