//! Detection of a dead connection by the answers to keep-alive lines.

use std::time::{Duration, Instant};

/// Tracks the answers to our keep-alive lines.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// When the first keep-alive line was sent since the server's last line.
    keep_alive_sent_at: Option<Instant>,
    /// The server has answered a keep-alive line with an empty line.
    is_answering: bool,
}

impl Silence {
    /// Records that a line was received. An empty one after a keep-alive line of ours shows that this server
    /// answers them.
    pub(super) fn line_received(&mut self, empty: bool) {
        if self.keep_alive_sent_at.take().is_some() && empty {
            self.is_answering = true;
        }
    }

    /// Records that a keep-alive line was sent.
    pub(super) fn keep_alive_sent(&mut self, now: Instant) {
        self.keep_alive_sent_at.get_or_insert(now);
    }

    /// Whether the server has answered a keep-alive line on this connection.
    pub(super) fn is_answered(&self) -> bool {
        self.is_answering
    }

    /// The time from which the silence means that the connection is dead. A server need not answer keep-alive lines:
    /// `None` if it has not answered one on this connection and its answer is not `guaranteed`.
    pub(super) fn dead_at(&self, guaranteed: bool) -> Option<Instant> {
        let sent_at = self.keep_alive_sent_at.filter(|_| self.is_answering || guaranteed);
        sent_at.map(|sent_at| sent_at + DEAD_AFTER)
    }
}

/// The connection is dead if no line arrives within this time after our empty line.
pub(super) const DEAD_AFTER: Duration = Duration::from_secs(60);
