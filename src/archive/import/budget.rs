//! Bounds the memory of the pieces in progress.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The pieces in progress, by number and size. A piece that is larger than the limit is worked on alone.
#[derive(Debug, Default)]
pub(super) struct Budget {
    used: Mutex<Used>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Used {
    pieces: usize,
    bytes: usize,
    is_closed: bool,
}

impl Budget {
    /// Waits until a piece of this many bytes has room. Returns whether it may be worked on; not after [`Self::close`].
    pub(super) fn take(&self, bytes: usize) -> bool {
        let has_none = |used: &mut Used| {
            let is_full = used.pieces >= MOST_PIECES
                || used.pieces > 0 && used.bytes.saturating_add(bytes) > MOST_BYTES;
            is_full && !used.is_closed
        };
        let waited = self.changed.wait_while(self.used(), has_none);
        let mut used = waited.unwrap_or_else(PoisonError::into_inner);
        used.pieces += 1;
        used.bytes = used.bytes.saturating_add(bytes);
        !used.is_closed
    }

    /// A piece is done.
    pub(super) fn give_back(&self, bytes: usize) {
        let mut used = self.used();
        used.pieces = used.pieces.saturating_sub(1);
        used.bytes = used.bytes.saturating_sub(bytes);
        drop(used);
        self.changed.notify_all();
    }

    /// Lets nobody wait any more.
    pub(super) fn close(&self) {
        self.used().is_closed = true;
        self.changed.notify_all();
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The largest number of pieces in progress.
pub(super) const MOST_PIECES: usize = 16;

/// The largest size of several pieces in progress. The games of a piece take about five times as much.
const MOST_BYTES: usize = 32 << 20;

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_large_piece_waits_until_it_is_alone() {
        let budget = Budget::default();
        assert!(budget.take(MOST_BYTES * 2), "alone");
        std::thread::scope(|scope| {
            let (sender, entered) = channel();
            let budget = &budget;
            scope.spawn(move || {
                let _ = sender.send(budget.take(1));
                let _ = sender.send(budget.take(MOST_BYTES));
            });
            assert!(entered.recv_timeout(Duration::from_millis(50)).is_err());
            budget.give_back(MOST_BYTES * 2);
            assert!(entered.recv().unwrap());
            assert!(entered.recv_timeout(Duration::from_millis(50)).is_err());
            budget.close();
            assert!(!entered.recv().unwrap(), "closed");
        });
    }
}
