//! From those who report to all who watch.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;
use tokio::sync::mpsc::{self, error::TrySendError};

use super::{Report, Snapshot};

/// Where reports go. Clones speak to the same watchers; when the last one is gone, all reports end.
#[derive(Debug, Clone, Default)]
pub struct Watchers {
    hub: Arc<Hub>,
    /// Speaks for the other side of a local game, of whose reports most would come twice.
    opponent: bool,
}

#[derive(Debug, Default)]
struct Hub {
    subscribers: Mutex<Vec<Subscriber>>,
    /// Locked after `subscribers`, never before it.
    snapshot: Arc<Mutex<Snapshot>>,
}

#[derive(Debug)]
struct Subscriber {
    sender: mpsc::Sender<Report>,
    queue: Arc<Queue>,
}

/// What both ends of a queue know.
#[derive(Debug, Default)]
struct Queue {
    /// Relaxed: the number only limits the queue, nothing is published through it.
    waiting_thoughts: AtomicUsize,
    /// Number of reports lost since the last snapshot. While it is not 0 nothing is queued.
    missed: Mutex<u64>,
}

/// Where reports come out for one watcher, a [`Report::Snapshot`] first.
#[derive(Debug)]
pub struct Reports {
    receiver: mpsc::Receiver<Report>,
    queue: Arc<Queue>,
    snapshot: Arc<Mutex<Snapshot>>,
}

impl Watchers {
    /// Nobody watches yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new watcher, which may be as slow as it likes.
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

    /// What stands.
    pub fn snapshot(&self) -> Snapshot {
        self.hub.snapshot.lock().clone()
    }

    /// Tells all watchers, without ever waiting for one.
    #[expect(clippy::needless_pass_by_value, reason = "a report is made to be given away")]
    pub fn report(&self, report: Report) {
        if self.opponent && !concerns_opponent(&report) {
            return;
        }
        let mut subscribers = self.hub.subscribers.lock();
        let mut snapshot = self.hub.snapshot.lock();
        snapshot.apply(&report);
        // A watcher that has taken a snapshot must not get what was in it already: both locks are held.
        subscribers.retain(|subscriber| subscriber.offer(&report));
    }

    /// The same for a warning, which goes to the log as well.
    pub(crate) fn warn(&self, text: String) {
        tracing::warn!("{text}");
        self.report(Report::Warning(text));
    }

    /// The same watchers for the other side of a local game.
    pub(crate) fn for_opponent(&self) -> Self {
        Self { opponent: true, ..self.clone() }
    }
}

/// Whether a report of the other side of a local game is more than an echo of ours.
fn concerns_opponent(report: &Report) -> bool {
    matches!(
        report,
        Report::Thinking { .. }
            | Report::EngineStarting { .. }
            | Report::EngineReady { .. }
            | Report::Warning(_)
    )
}

impl Subscriber {
    /// Queues a report; `false` when nobody listens any more.
    fn offer(&self, report: &Report) -> bool {
        let mut missed = self.queue.missed.lock();
        if *missed > 0 {
            *missed += 1;
            return !self.sender.is_closed();
        }
        let thoughts = &self.queue.waiting_thoughts;
        let thinking = matches!(report, Report::Thinking { .. });
        if thinking {
            if thoughts.load(Ordering::Relaxed) >= MOST_WAITING_THOUGHTS {
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
    /// The next report; `None` when nobody reports any more. Cancel-safe.
    pub async fn next(&mut self) -> Option<Report> {
        if let Some(report) = self.waiting() {
            return Some(report);
        }
        let report = self.receiver.recv().await;
        self.count_off(report)
    }

    /// The same for a plain thread.
    pub fn blocking_next(&mut self) -> Option<Report> {
        if let Some(report) = self.waiting() {
            return Some(report);
        }
        let report = self.receiver.blocking_recv();
        self.count_off(report)
    }

    /// A report that need not be waited for. Reports are lost only when the queue is full: a watcher that waits on an
    /// empty one has missed nothing.
    fn waiting(&mut self) -> Option<Report> {
        if let Ok(report) = self.receiver.try_recv() {
            return self.count_off(Some(report));
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

    /// The next report if there is one already.
    #[cfg(test)]
    pub(super) fn waiting_for_tests(&mut self) -> Option<Report> {
        self.waiting()
    }

    fn count_off(&self, report: Option<Report>) -> Option<Report> {
        if matches!(report, Some(Report::Thinking { .. })) {
            self.queue.waiting_thoughts.fetch_sub(1, Ordering::Relaxed);
        }
        report
    }
}

/// Reports that may wait for one watcher; a long game has some hundreds.
const QUEUE: usize = 2048;

/// Unread reports of searches beyond this number are left out.
const MOST_WAITING_THOUGHTS: usize = 64;
