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
        let has_none = |used: &mut Used| !used.has_room(bytes) && !used.is_closed;
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

impl Used {
    /// Whether a piece of this many bytes has room.
    fn has_room(&self, bytes: usize) -> bool {
        self.pieces < MOST_PIECES
            && (self.pieces == 0 || self.bytes.saturating_add(bytes) <= MOST_BYTES)
    }
}

/// The largest number of pieces in progress.
pub(super) const MOST_PIECES: usize = 16;

/// The largest size of several pieces in progress. The games of a piece take about five times as much.
const MOST_BYTES: usize = 32 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_piece_has_room_alone() {
        let with = |pieces, bytes| Used { pieces, bytes, is_closed: false };
        assert!(with(0, 0).has_room(MOST_BYTES * 2));
        assert!(!with(1, MOST_BYTES * 2).has_room(1));
        assert!(with(1, 1).has_room(MOST_BYTES - 1) && !with(1, 1).has_room(MOST_BYTES));
        assert!(with(MOST_PIECES - 1, 0).has_room(1) && !with(MOST_PIECES, 0).has_room(0));
    }

    #[test]
    fn who_waits_gets_room_when_there_is_some_and_none_after_the_end() {
        let budget = Budget::default();
        assert!(budget.take(MOST_BYTES));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| (budget.take(1), budget.take(MOST_BYTES)));
            budget.give_back(MOST_BYTES);
            // It may have taken its first piece already or not; the second one never has room.
            budget.close();
            let (_, second) = waiting.join().unwrap();
            assert!(!second, "closed");
        });
    }
}
