//! The transposition table: buckets of one cache line, each with its own one-byte lock.
//!
//! Since every bucket has its own lock, two threads rarely wait for each other. All of it is safe code except one
//! prefetch hint and the request for huge pages. Entries are copied under the lock; nothing is searched while it is
//! held. A store that finds the lock taken is skipped and counted.
//!
//! The replacement rule has two parts: `put` decides whether an entry of the same position is replaced, `victim`
//! chooses the entry that another position replaces.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    thread::ScopedJoinHandle,
};

use parking_lot::Mutex;

use super::cost::{Budgets, nominal_plies};
use super::value::{MATE_BOUND, is_lost, is_mate, is_won, mate_from_ply};
use super::{
    ram,
    shared_entries::{SharedEntries, SharedEntry},
};
use kyomi_shogi::Move;

/// How a stored score relates to the true score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryBound {
    /// The entry has no score, only a move and a static evaluation.
    None,
    /// The true score is at most this.
    Upper,
    /// The true score is at least this.
    Lower,
    /// The true score is this.
    Exact,
}

/// An entry as a probe returns it, with the score adapted to the ply of the probing node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableHit {
    /// The best move. Check it with [`kyomi_shogi::Position::is_legal`] before using it.
    pub(crate) mv: Option<Move>,
    /// The score for the side to move. Mates are counted from the root.
    pub(crate) score: i32,
    /// The static evaluation; `None` in check.
    pub(crate) eval: Option<i32>,
    /// Whether the score is exact or a bound.
    pub(crate) bound: EntryBound,
    /// The budgets it was searched with, in steps of the table.
    pub(crate) budgets: StoredBudgets,
    /// The cost of the best move.
    pub(crate) cost: i32,
    /// Whether the node was on the principal variation.
    pub(crate) pv: bool,
    /// Whether the score depends on the line that led to the position.
    pub(crate) path_dependent: bool,
}

impl TableHit {
    /// Whether the score may end a node with this window and these budgets. `tolerance` is that of
    /// [`covers`](StoredBudgets::covers).
    pub(crate) fn cuts(
        &self,
        wanted: StoredBudgets,
        alpha: i32,
        beta: i32,
        tolerance: i32,
    ) -> bool {
        let fits = match self.bound {
            EntryBound::None => false,
            EntryBound::Exact => true,
            EntryBound::Lower => self.score >= beta,
            EntryBound::Upper => self.score <= alpha,
        };
        fits && !self.path_dependent && (self.budgets.covers(wanted, tolerance) || self.is_proven())
    }

    /// Whether the score is a mate that is valid whatever the budgets were.
    pub(crate) fn is_proven(&self) -> bool {
        match self.bound {
            EntryBound::None => false,
            EntryBound::Exact => is_mate(self.score),
            EntryBound::Lower => is_won(self.score),
            EntryBound::Upper => is_lost(self.score),
        }
    }

    /// The static evaluation, replaced by the stored score where its bound allows that.
    pub(crate) fn improve(&self, eval: i32) -> i32 {
        let better = match self.bound {
            EntryBound::None => false,
            EntryBound::Exact => true,
            EntryBound::Lower => self.score > eval,
            EntryBound::Upper => self.score < eval,
        };
        if better && !is_mate(self.score) { self.score } else { eval }
    }
}

/// A new entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewEntry {
    pub(crate) mv: Option<Move>,
    pub(crate) score: i32,
    pub(crate) eval: Option<i32>,
    pub(crate) bound: EntryBound,
    pub(crate) budgets: StoredBudgets,
    pub(crate) cost: i32,
    pub(crate) pv: bool,
    pub(crate) path_dependent: bool,
}

/// Both budgets as the table stores them: in steps of 16 from 0 to 4080.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredBudgets {
    us: u8,
    them: u8,
}

impl StoredBudgets {
    /// The budgets that quiescence stores.
    pub(crate) const NOTHING: Self = Self { us: 0, them: 0 };

    /// In check, budgets begin at -600. The position determines which scale applies.
    pub(crate) fn new(budgets: Budgets, in_check: bool) -> Self {
        let step = |budget: i32| {
            let raised = if in_check { budget + 600 } else { budget };
            (raised.clamp(0, 4080) / 16) as u8
        };
        Self { us: step(budgets.us), them: step(budgets.them) }
    }

    /// Whether a search with these budgets may replace one with the `wanted` budgets, give or take one step. A surplus
    /// of one side makes up for a lack of the other of at most `tolerance` units.
    pub(crate) fn covers(self, wanted: Self, tolerance: i32) -> bool {
        let us = i32::from(wanted.us) - i32::from(self.us);
        let them = i32::from(wanted.them) - i32::from(self.them);
        let most = us.max(them);
        most <= 1 || 16 * most <= tolerance && us + them <= 1
    }

    /// The depth in plies of a search whose sides have the same budget, in which a ply takes 100 units of both.
    pub(crate) fn plies(self) -> i32 {
        (16 * i32::from(self.us) + 50) / 100
    }

    /// The remaining depth, rounded down.
    pub(crate) fn depth(self) -> i32 {
        nominal_plies(16 * (i32::from(self.us) + i32::from(self.them)))
    }
}

/// One entry of 14 bytes. Four entries, the lock, the flags of path-dependent scores and the rest of the keys fill a
/// cache line.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// Bits 0 to 15 and 16 to 31 of the key.
    key: [u16; 2],
    /// 0 for none.
    mv: u16,
    score: i16,
    /// [`NO_EVAL`] for none.
    eval: i16,
    us: u8,
    them: u8,
    /// Half the cost of the best move.
    cost: u8,
    /// Bound (2 bits), whether it was on the principal variation (1 bit), generation (5 bits).
    flags: u8,
}

const NO_EVAL: i16 = i16::MIN;

impl Entry {
    fn bound(self) -> EntryBound {
        [EntryBound::None, EntryBound::Upper, EntryBound::Lower, EntryBound::Exact]
            [usize::from(self.flags & 3)]
    }

    fn generation(self) -> u8 {
        self.flags >> 3
    }

    fn is_empty(self) -> bool {
        self.bound() == EntryBound::None && self.mv == 0 && self.eval == 0 && self.key == [0, 0]
    }

    fn depth(self) -> i32 {
        StoredBudgets { us: self.us, them: self.them }.depth()
    }

    /// The entry of a position with this key as other machines get it.
    fn as_shared(self, key: u64) -> SharedEntry {
        let Self { mv, score, eval, us, them, cost, .. } = self;
        SharedEntry { key, mv, score, eval, us, them, cost, bound: self.bound() as u8 }
    }

    /// An entry that another machine has sent.
    fn of_shared(entry: SharedEntry, generation: u8) -> Self {
        let SharedEntry { key, mv, score, eval, us, them, cost, bound } = entry;
        let flags = bound & 3 | generation << 3;
        Self { key: [key as u16, (key >> 16) as u16], mv, score, eval, us, them, cost, flags }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Content {
    entries: [Entry; 4],
    /// Bits 32 to 39 of the keys.
    key_high: [u8; 4],
    /// One bit for each entry.
    path_dependent: u8,
}

impl Content {
    fn find(&self, key: u64) -> Option<usize> {
        let low = [key as u16, (key >> 16) as u16];
        let high = (key >> 32) as u8;
        (0..4).find(|&i| self.entries[i].key == low && self.key_high[i] == high)
    }
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket(Mutex<Content>);

const _: () = assert!(size_of::<Entry>() == 14 && align_of::<Entry>() == 2);
const _: () = assert!(size_of::<Content>() == 62);
const _: () = assert!(size_of::<Bucket>() == 64 && align_of::<Bucket>() == 64);

/// The table that all search threads share.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    /// Slices of equal length. Each is allocated and first written by its own thread.
    slices: Vec<Box<[Bucket]>>,
    /// Relaxed: it is only compared with the generations of entries.
    generation: AtomicU8,
    /// The exchange of entries with other machines; `None` if there cannot be any.
    shared: Option<Arc<SharedEntries>>,
    skipped: Skipped,
}

/// Number of stores skipped. It has its own cache line, since every node reads the other fields of the table. Relaxed:
/// it is a statistic.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Skipped(AtomicU64);

impl TranspositionTable {
    /// Creates a table of about `bytes` bytes, with at least one bucket for each slice, using `threads` threads. The
    /// table is smaller if the system has less memory left, and is halved until it can be allocated.
    pub(crate) fn new(bytes: u64, threads: usize) -> Self {
        Self::sharing(bytes, threads, None)
    }

    /// The same, and entries are exchanged with other machines.
    pub(crate) fn sharing(bytes: u64, threads: usize, shared: Option<Arc<SharedEntries>>) -> Self {
        // Tables are created one after the other, so that each sees the memory that the others have left.
        let _creating = CREATION.lock();
        let bytes = affordable(bytes, ram::available());
        let threads = threads.clamp(1, 64);
        let wanted = usize::try_from(bytes / 64).unwrap_or(usize::MAX);
        let mut per_slice = (wanted / threads).max(1);
        loop {
            if let Some(slices) = allocate(threads, per_slice) {
                let (generation, skipped) = (AtomicU8::new(0), Skipped::default());
                return Self { slices, generation, shared, skipped };
            }
            tracing::warn!(
                bytes = per_slice * threads * 64,
                "no memory for the hash table; trying half"
            );
            per_slice = (per_slice / 2).max(1);
        }
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slices.iter().map(|slice| slice.len() as u64 * 64).sum()
    }

    /// Clears the table, each slice in its own thread.
    pub(crate) fn clear(&self) {
        let clear = |slice: &[Bucket]| {
            for bucket in slice {
                *bucket.0.lock() = Content::default();
            }
        };
        // A small table is often cleared: this thread takes a slice too, so that a single one needs no other thread.
        let Some((own, others)) = self.slices.split_first() else { return };
        std::thread::scope(|scope| {
            for slice in others {
                scope.spawn(move || clear(slice));
            }
            clear(own);
        });
        self.generation.store(0, Ordering::Relaxed);
        self.skipped.0.store(0, Ordering::Relaxed);
    }

    /// Begins a new search: all present entries become one generation older.
    pub(crate) fn next_generation(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) & 31;
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Number of stores skipped because another thread held the lock of the bucket.
    pub(crate) fn skipped_stores(&self) -> u64 {
        self.skipped.0.load(Ordering::Relaxed)
    }

    /// Probes a position at a node `ply` plies from the root.
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<TableHit> {
        let bucket = self.bucket(key);
        let (entry, path_dependent) = {
            let content = bucket.0.lock();
            let i = content.find(key)?;
            (content.entries[i], content.path_dependent >> i & 1 != 0)
        };
        if entry.is_empty() {
            return None;
        }
        Some(TableHit {
            mv: Move::from_bits(entry.mv),
            score: from_stored(i32::from(entry.score), ply),
            eval: (entry.eval != NO_EVAL).then_some(i32::from(entry.eval)),
            bound: entry.bound(),
            budgets: StoredBudgets { us: entry.us, them: entry.them },
            cost: 2 * i32::from(entry.cost),
            pv: entry.flags & 4 != 0,
            path_dependent,
        })
    }

    /// Stores the result of a node `ply` plies from the root.
    pub(crate) fn store(&self, key: u64, ply: usize, store: NewEntry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let entry = Entry {
            key: [key as u16, (key >> 16) as u16],
            mv: store.mv.map_or(0, Move::to_bits),
            score: mate_from_ply(store.score, ply) as i16,
            eval: store.eval.map_or(NO_EVAL, |eval| eval as i16),
            us: store.budgets.us,
            them: store.budgets.them,
            cost: (store.cost / 2).clamp(0, 255) as u8,
            flags: store.bound as u8 | u8::from(store.pv) << 2 | generation << 3,
        };
        if let Some(shared) = &self.shared
            && !store.path_dependent
        {
            shared.offer(entry.as_shared(key));
        }
        self.put(key, entry, store.path_dependent);
    }

    /// Takes the entries of other machines into the table.
    pub(crate) fn take_shared(&self) {
        let Some(shared) = self.shared.as_ref().filter(|shared| shared.has_received()) else {
            return;
        };
        let generation = self.generation.load(Ordering::Relaxed);
        for entry in shared.take_received() {
            self.put(entry.key, Entry::of_shared(entry, generation), false);
        }
    }

    /// The number of the first thread of this machine, if the threads of all machines are numbered.
    pub(crate) fn first_thread(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.first_thread() as usize)
    }

    /// Puts an entry of the current generation into its bucket, unless that has a better one of the position.
    fn put(&self, key: u64, mut entry: Entry, path_dependent: bool) {
        let Some(mut content) = self.bucket(key).0.try_lock() else {
            self.skipped.0.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let generation = entry.generation();
        let slot = match content.find(key) {
            Some(slot) => {
                let old = content.entries[slot];
                if old.generation() == generation
                    && old.depth() >= entry.depth() + 2
                    && entry.bound() != EntryBound::Exact
                    && !old.is_empty()
                {
                    return;
                }
                if entry.mv == 0 {
                    entry.mv = old.mv;
                    entry.cost = old.cost;
                }
                slot
            }
            None => content.victim(generation),
        };
        content.entries[slot] = entry;
        content.key_high[slot] = (key >> 32) as u8;
        content.path_dependent =
            content.path_dependent & !(1 << slot) | u8::from(path_dependent) << slot;
    }

    /// The used part of the table in permille: entries of the current generation among the first 250 buckets.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let (mut used, mut seen) = (0u32, 0u32);
        for bucket in self.slices.iter().flatten().take(250) {
            seen += 4;
            used += match bucket.0.try_lock() {
                Some(content) => content
                    .entries
                    .iter()
                    .filter(|entry| !entry.is_empty() && entry.generation() == generation)
                    .count() as u32,
                None => 4,
            };
        }
        used * 1000 / seen.max(1)
    }

    /// Prefetches the bucket of a position that will be probed soon.
    #[inline]
    #[cfg(target_arch = "x86_64")]
    #[allow(
        unsafe_code,
        reason = "a prefetch hint has no safe form; with it `kyomi bench` searched 1.5 % more nodes in a second of \
                  processor time, with `--depth 15` 2.5 % (release builds in turn, best of five)"
    )]
    pub(crate) fn prefetch(&self, key: u64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bucket: *const Bucket = self.bucket(key);
        // SAFETY: a prefetch is only a hint; it neither reads nor writes and never faults. SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) }
    }

    /// Prefetches the bucket of a position that will be probed soon: reading the lock byte loads its cache line.
    #[inline]
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn prefetch(&self, key: u64) {
        std::hint::black_box(self.bucket(key).0.is_locked());
    }

    /// The bucket of a key, chosen by the high bits of the key. Sizes need not be powers of two.
    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let product = u128::from(key) * self.slices.len() as u128;
        let slice = &self.slices[(product >> 64) as usize];
        let within = u128::from(product as u64) * slice.len() as u128;
        &slice[(within >> 64) as usize]
    }
}

impl Content {
    /// The entry to replace: an empty one, or the one with the least depth after a deduction for its age.
    fn victim(&self, generation: u8) -> usize {
        let worth = |entry: Entry| {
            let age = i32::from(generation.wrapping_sub(entry.generation()) & 31);
            if entry.is_empty() { i32::MIN } else { entry.depth() - 4 * age }
        };
        (0..4).min_by_key(|&i| worth(self.entries[i])).unwrap_or(0)
    }
}

static CREATION: Mutex<()> = Mutex::new(());

/// At most four fifths of the memory that is left, if that is known. With a larger table the system would kill the
/// program when the table fills.
fn affordable(bytes: u64, left: Option<u64>) -> u64 {
    let most = left.map_or(u64::MAX, |left| (left / 5 * 4).max(LEAST_BYTES));
    if bytes > most {
        let (wanted, got) = (bytes >> 20, most >> 20);
        tracing::warn!("a hash table of {wanted} MiB does not fit into memory; {got} MiB are used");
    }
    bytes.min(most)
}

/// A table of this size is created whatever memory is left.
const LEAST_BYTES: u64 = 1 << 20;

fn allocate(slices: usize, per_slice: usize) -> Option<Vec<Box<[Bucket]>>> {
    let make = || {
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(per_slice).ok()?;
        ram::ask_for_huge_pages(buckets.spare_capacity_mut());
        buckets.resize_with(per_slice, Bucket::default);
        Some(buckets.into_boxed_slice())
    };
    std::thread::scope(|scope| {
        // If no thread can be started for a slice, this thread allocates it.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, make).map_err(|_| make());
        let makers: Vec<_> = (0..slices).map(start).collect();
        let finish = |maker: Result<ScopedJoinHandle<'_, _>, _>| match maker {
            Ok(maker) => maker.join().ok().flatten(),
            Err(made) => made,
        };
        makers.into_iter().map(finish).collect()
    })
}

/// Converts a stored score, so that a mate counts from the root instead of from this ply. A mate too far from the root
/// becomes the largest score that is no mate, with its sign.
pub(crate) fn from_stored(score: i32, ply: usize) -> i32 {
    if is_won(score) {
        (score - ply as i32).max(MATE_BOUND - 1)
    } else if is_lost(score) {
        (score + ply as i32).min(1 - MATE_BOUND)
    } else {
        score
    }
}

#[cfg(test)]
mod tests;
