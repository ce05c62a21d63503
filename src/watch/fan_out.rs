//! Distributes reports to all watchers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use parking_lot::Mutex;
use tokio::sync::mpsc::{self, error::TrySendError};

use super::{Report, Snapshot};

/// The sending side of the reports. Clones report to the same watchers; when the last one is dropped, all reports end.
#[derive(Debug, Clone, Default)]
pub struct Watchers {
    hub: Arc<Hub>,
    /// Whether the reports are those of the opponent in a local game. Most of them are dropped, since they are
    /// duplicates.
    opponent: bool,
}

#[derive(Debug, Default)]
struct Hub {
    subscribers: Mutex<Vec<Subscriber>>,
    /// Locked only after `subscribers`, never before it.
    snapshot: Arc<Mutex<Snapshot>>,
}

#[derive(Debug)]
struct Subscriber {
    sender: mpsc::Sender<Report>,
    queue: Arc<Queue>,
}

/// The state shared by both ends of a queue.
#[derive(Debug, Default)]
struct Queue {
    /// Relaxed: the number only limits the queue and synchronizes no other data.
    waiting_search_reports: AtomicUsize,
    /// Number of reports lost since the last snapshot. While it is not 0, no report is queued.
    missed: Mutex<u64>,
}

/// The receiving side for one watcher. The first report is a [`Report::Snapshot`].
#[derive(Debug)]
pub struct Reports {
    receiver: mpsc::Receiver<Report>,
    queue: Arc<Queue>,
    snapshot: Arc<Mutex<Snapshot>>,
}

impl Watchers {
    /// Creates a sender without watchers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a watcher, which may read slowly.
    pub fn subscribe(&self) -> Reports {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let queue = Arc::new(Queue::default());
        let mut subscribers = self.hub.subscribers.lock();
        let snapshot = Box::new(self.hub.snapshot.lock().clone());
        // The queue is empty and open.
        let _ = sender.try_send(Report::Snapshot { snapshot, missed: 0 });
        subscribers.push(Subscriber { sender, queue: Arc::clone(&queue) });
        Reports { receiver, queue, snapshot: Arc::clone(&self.hub.snapshot) }
    }

    /// The current state.
    pub fn snapshot(&self) -> Snapshot {
        self.hub.snapshot.lock().clone()
    }

    /// Sends a report to all watchers. Never blocks.
    #[expect(clippy::needless_pass_by_value, reason = "callers create a report only to send it")]
    pub fn report(&self, report: Report) {
        if self.opponent && !concerns_opponent(&report) {
            return;
        }
        let mut subscribers = self.hub.subscribers.lock();
        let mut snapshot = self.hub.snapshot.lock();
        snapshot.apply(&report);
        // Both locks are held, so that no watcher receives a report that its snapshot already contains.
        subscribers.retain(|subscriber| subscriber.offer(&report));
    }

    /// Notes in the snapshot that the client has agreed to the game with this id, or that this game came to nothing.
    pub(crate) fn agreed(&self, game_id: Option<&str>) {
        if !self.opponent {
            let agreed = game_id.map(|id| (id.to_owned(), Instant::now()));
            self.hub.snapshot.lock().agreed = agreed;
        }
    }

    /// Reports a warning, and logs it.
    pub(crate) fn warn(&self, text: String) {
        tracing::warn!("{text}");
        self.report(Report::Warning(text));
    }

    /// The same watchers, for the opponent in a local game.
    pub(crate) fn for_opponent(&self) -> Self {
        Self { opponent: true, ..self.clone() }
    }
}

/// Whether a report of the opponent in a local game is not a duplicate of ours.
fn concerns_opponent(report: &Report) -> bool {
    matches!(
        report,
        Report::Thinking { .. }
            | Report::EngineStarting { .. }
            | Report::EngineReady { .. }
            | Report::EngineFailed { .. }
            | Report::Warning(_)
    )
}

impl Subscriber {
    /// Queues a report. Returns `false` if the receiver is gone.
    fn offer(&self, report: &Report) -> bool {
        let mut missed = self.queue.missed.lock();
        if *missed > 0 {
            *missed += 1;
            return !self.sender.is_closed();
        }
        let thoughts = &self.queue.waiting_search_reports;
        let thinking = matches!(report, Report::Thinking { .. });
        if thinking {
            if thoughts.load(Ordering::Relaxed) >= MAX_WAITING_SEARCH_REPORTS {
                return true;
            }
            thoughts.fetch_add(1, Ordering::Relaxed);
        }
        match self.sender.try_send(report.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                if thinking {
                    thoughts.fetch_sub(1, Ordering::Relaxed);
                }
                *missed += 1;
                true
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }
}

impl Reports {
    /// Waits for the next report; `None` when all senders are gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<Report> {
        if let Some(report) = self.waiting() {
            return Some(report);
        }
        let report = self.receiver.recv().await;
        self.count_taken(report)
    }

    /// Like [`Reports::next`], but blocks the thread.
    pub fn blocking_next(&mut self) -> Option<Report> {
        if let Some(report) = self.waiting() {
            return Some(report);
        }
        let report = self.receiver.blocking_recv();
        self.count_taken(report)
    }

    /// A report that is already available. Reports are lost only when the queue is full, so a watcher that waits on an
    /// empty one has missed nothing.
    fn waiting(&mut self) -> Option<Report> {
        if let Ok(report) = self.receiver.try_recv() {
            return self.count_taken(Some(report));
        }
        // In the order of `Watchers::report`: the snapshot, then the queue.
        let snapshot = self.snapshot.lock();
        let mut missed = self.queue.missed.lock();
        if *missed == 0 {
            return None;
        }
        let missed = std::mem::take(&mut *missed);
        Some(Report::Snapshot { snapshot: Box::new(snapshot.clone()), missed })
    }

    /// The next report if it is already available.
    pub(crate) fn try_next(&mut self) -> Option<Report> {
        self.waiting()
    }

    fn count_taken(&self, report: Option<Report>) -> Option<Report> {
        if matches!(report, Some(Report::Thinking { .. })) {
            self.queue.waiting_search_reports.fetch_sub(1, Ordering::Relaxed);
        }
        report
    }
}

/// Maximum number of reports that wait for one watcher. A long game has some hundreds.
const QUEUE: usize = 2048;

/// Search reports are dropped while this number of them is unread.
const MAX_WAITING_SEARCH_REPORTS: usize = 64;
