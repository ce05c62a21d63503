//! Entries of the transposition table that machines with the same search exchange.
//!
//! A search offers the deepest of its new entries, and takes those of other machines into its table. Scores that
//! depend on the line and mates are not exchanged.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use parking_lot::Mutex;

use super::value::MATE_BOUND;

/// An entry of the transposition table, as one machine sends it to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedEntry {
    /// The key of the position.
    pub(super) key: u64,
    /// The code of the best move; 0 for none.
    pub(super) mv: u16,
    /// Centipawns for the side to move.
    pub(super) score: i16,
    /// The static evaluation in centipawns; the smallest number for none.
    pub(super) eval: i16,
    /// The budgets in steps of the table.
    pub(super) us: u8,
    pub(super) them: u8,
    /// Half the cost of the best move.
    pub(super) cost: u8,
    /// 1: upper bound, 2: lower bound, 3: exact.
    pub(super) bound: u8,
}

impl SharedEntry {
    /// The length of an entry in a message, in bytes.
    pub const BYTES: usize = 18;

    /// The bytes of a message.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.mv.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.score.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.eval.to_le_bytes());
        bytes[14..].copy_from_slice(&[self.us, self.them, self.cost, self.bound]);
        bytes
    }

    /// Reads the bytes of a message. `None` if no search offers such an entry. Whether the move is legal is only known
    /// at the position.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Option<Self> {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, s0, s1, e0, e1, us, them, cost, bound] = bytes;
        let entry = Self {
            key: u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
            mv: u16::from_le_bytes([m0, m1]),
            score: i16::from_le_bytes([s0, s1]),
            eval: i16::from_le_bytes([e0, e1]),
            us,
            them,
            cost,
            bound,
        };
        entry.is_shared().then_some(entry)
    }

    /// Whether a search offers such an entry: one with a score other than a mate.
    pub(super) fn is_shared(self) -> bool {
        let within = |value: i16| i32::from(value).abs() < MATE_BOUND;
        let eval = self.eval == i16::MIN || within(self.eval);
        (1..=3).contains(&self.bound) && within(self.score) && eval
    }

    /// Both budgets together, in steps of the table.
    fn depth(self) -> i32 {
        i32::from(self.us) + i32::from(self.them)
    }
}

/// The entries that a search offers to other machines, and those that it was sent.
#[derive(Debug, Default)]
pub struct SharedEntries {
    /// Whether other machines take part. Relaxed, as all of these: they publish no other data.
    is_on: AtomicBool,
    /// The number of the first thread of this machine.
    first_thread: AtomicU32,
    /// Entries of less depth are not offered.
    least_depth: AtomicI32,
    offered: Mutex<Vec<SharedEntry>>,
    has_received: AtomicBool,
    received: Mutex<Vec<SharedEntry>>,
}

impl SharedEntries {
    /// Gives entries of other machines to the search, which takes them at its next look at the clock. `first_thread` is
    /// the number of its first thread among those of all machines, from 0; threads with different numbers search a
    /// position in different orders. From the first call on the search offers entries.
    pub fn give(&self, first_thread: u32, entries: Vec<SharedEntry>) {
        self.first_thread.store(first_thread, Ordering::Relaxed);
        if !self.is_on.swap(true, Ordering::Relaxed) {
            self.least_depth.store(LEAST_DEPTH, Ordering::Relaxed);
        }
        if entries.is_empty() {
            return;
        }
        let mut received = self.received.lock();
        let room = MOST_RECEIVED.saturating_sub(received.len());
        received.extend(entries.into_iter().take(room));
        self.has_received.store(true, Ordering::Relaxed);
    }

    /// Takes the entries that the search has offered since the last call: at most [`MOST_OFFERED`], the deepest ones.
    pub fn take_offered(&self) -> Vec<SharedEntry> {
        let mut offered = self.offered.lock();
        self.least_depth.store(LEAST_DEPTH, Ordering::Relaxed);
        std::mem::take(&mut *offered)
    }

    /// Forgets all entries, since a new game begins.
    pub fn clear(&self) {
        self.take_offered();
        self.take_received();
    }

    /// The number of the first thread of this machine.
    pub(super) fn first_thread(&self) -> u32 {
        self.first_thread.load(Ordering::Relaxed)
    }

    /// Offers a new entry of the table to other machines.
    #[inline]
    pub(super) fn offer(&self, entry: SharedEntry) {
        if self.is_on.load(Ordering::Relaxed)
            && entry.depth() >= self.least_depth.load(Ordering::Relaxed)
            && entry.is_shared()
        {
            self.add_offered(entry);
        }
    }

    #[cold]
    fn add_offered(&self, entry: SharedEntry) {
        // Another thread offers an entry: this one is left out.
        let Some(mut offered) = self.offered.try_lock() else { return };
        if let Some(known) = offered.iter_mut().find(|known| known.key == entry.key) {
            if known.depth() <= entry.depth() {
                *known = entry;
            }
            return;
        }
        if offered.len() < MOST_OFFERED {
            offered.push(entry);
            return;
        }
        let least = offered.iter_mut().min_by_key(|known| known.depth());
        if let Some(least) = least.filter(|least| least.depth() < entry.depth()) {
            *least = entry;
        }
        let least = offered.iter().map(|known| known.depth()).min().unwrap_or(0);
        self.least_depth.store(least + 1, Ordering::Relaxed);
    }

    /// Whether entries of other machines wait for the search.
    #[inline]
    pub(super) fn has_received(&self) -> bool {
        self.has_received.load(Ordering::Relaxed)
    }

    /// Takes the entries of other machines.
    pub(super) fn take_received(&self) -> Vec<SharedEntry> {
        let mut received = self.received.lock();
        self.has_received.store(false, Ordering::Relaxed);
        std::mem::take(&mut *received)
    }
}

/// The largest number of entries that a search offers between two calls of [`SharedEntries::take_offered`].
pub const MOST_OFFERED: usize = 128;
/// The largest number of entries that wait for the search.
const MOST_RECEIVED: usize = 8192;
/// Entries with less than this in both budgets together, in steps of the table, are never offered: 400 units.
const LEAST_DEPTH: i32 = 25;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(key: u64, us: u8) -> SharedEntry {
        SharedEntry { key, mv: 3, score: -40, eval: 12, us, them: 20, cost: 45, bound: 2 }
    }

    #[test]
    fn the_deepest_entries_are_offered_once() {
        let shared = SharedEntries::default();
        shared.offer(entry(1, 100));
        assert!(shared.take_offered().is_empty(), "no other machine takes part");
        shared.give(0, Vec::new());
        shared.offer(entry(1, 4));
        for key in 0..3 * MOST_OFFERED as u64 {
            shared.offer(entry(key, (key % 200 + 10) as u8));
        }
        let offered = shared.take_offered();
        assert_eq!(offered.len(), MOST_OFFERED);
        let least = offered.iter().map(|entry| entry.us).min().unwrap();
        assert!(least > 100, "{least}");
        assert!(shared.take_offered().is_empty());
        shared.offer(entry(7, 10));
        shared.offer(entry(7, 12));
        assert_eq!(shared.take_offered(), [entry(7, 12)]);
        shared.offer(SharedEntry { score: 31_990, ..entry(8, 90) });
        assert!(shared.take_offered().is_empty(), "a mate is not exchanged");
    }

    #[test]
    fn what_is_given_waits_for_the_search() {
        let shared = SharedEntries::default();
        assert!(!shared.has_received());
        shared.give(3, vec![entry(1, 50)]);
        shared.give(3, vec![entry(2, 50); 2 * MOST_RECEIVED]);
        assert!(shared.has_received() && shared.first_thread() == 3);
        let received = shared.take_received();
        assert_eq!((received.len(), received[0]), (MOST_RECEIVED, entry(1, 50)));
        assert!(!shared.has_received());
    }

    proptest! {
        #[test]
        fn bytes_are_an_entry_that_gives_the_same_bytes_or_none(bytes: [u8; SharedEntry::BYTES]) {
            if let Some(entry) = SharedEntry::from_bytes(bytes) {
                prop_assert_eq!(entry.to_bytes(), bytes);
                prop_assert!(i32::from(entry.score).abs() < MATE_BOUND);
            }
        }
    }
}
