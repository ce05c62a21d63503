//! What the locks of the transposition table cost: the same bucket of 64 bytes behind different guards.
//!
//! ```sh
//! cargo bench --bench table                          # 256 MiB, 1 and 2 threads
//! cargo bench --bench table -- --mib 1024 1 2 4      # so large, with so many threads
//! cargo bench --bench table -- --mib 1 --count 1000000 bucket   # one design alone, for callgrind
//! ```
//!
//! A step is a look at a random position and a store there, as a node does them. `bucket` is the design of
//! `search/table.rs`: a one-byte lock in each bucket. `own` has no lock and no sharing: a table for each thread, each
//! of the whole size. `lockless` keeps pairs of relaxed atomics, the key mixed with the data so that torn entries are
//! not believed. `stripes` has 1024 padded locks, each with a slice of the buckets. `one` has one lock for all. Times
//! are medians of five rounds that take turns; on a busy machine only their relation says something, and instructions
//! (`valgrind --tool=callgrind`) are the honest measure.

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

/// Four entries of 14 bytes, the rest of their keys, and a byte of marks, as in the engine.
#[derive(Clone, Copy, Default)]
struct Content {
    entries: [[u16; 7]; 4],
    key_high: [u8; 4],
    marks: u8,
}

impl Content {
    fn find(&self, key: u64) -> Option<usize> {
        let (low, next, high) = (key as u16, (key >> 16) as u16, (key >> 32) as u8);
        (0..4).find(|&at| {
            self.entries[at][0] == low && self.entries[at][1] == next && self.key_high[at] == high
        })
    }

    fn probe(&self, key: u64) -> Option<u16> {
        self.find(key).map(|at| self.entries[at][2])
    }

    fn store(&mut self, key: u64, data: u16) {
        let at = self.find(key).unwrap_or((key >> 40) as usize & 3);
        self.entries[at] = [key as u16, (key >> 16) as u16, data, data, data, data, data];
        self.key_high[at] = (key >> 32) as u8;
        self.marks ^= 1 << at;
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Locked(Mutex<Content>);

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Plain(Content);

#[derive(Default)]
#[repr(align(64))]
struct Pairs([AtomicU64; 8]);

#[derive(Default)]
#[repr(align(64))]
struct Stripe(Mutex<Vec<Plain>>);

const _: () = assert!(size_of::<Locked>() == 64 && size_of::<Pairs>() == 64);

/// A table that threads share.
trait Shared: Sync {
    /// One step; what was found before, so that nothing is left out.
    fn step(&self, key: u64) -> u64;
}

struct Bucket(Vec<Locked>);
struct Lockless(Vec<Pairs>);
struct Stripes(Vec<Stripe>);

fn index(key: u64, len: usize) -> usize {
    ((u128::from(key) * len as u128) >> 64) as usize
}

impl Shared for Bucket {
    fn step(&self, key: u64) -> u64 {
        let bucket = &self.0[index(key, self.0.len())].0;
        let found = bucket.lock().probe(key);
        if let Some(mut content) = bucket.try_lock() {
            content.store(key, key as u16);
        }
        u64::from(found.unwrap_or(0))
    }
}

impl Shared for Lockless {
    fn step(&self, key: u64) -> u64 {
        let pairs = &self.0[index(key, self.0.len())].0;
        let read = |at: usize| pairs[at].load(Ordering::Relaxed);
        let found = (0..4).find(|&at| read(2 * at) ^ read(2 * at + 1) == key);
        let at = found.unwrap_or((key >> 40) as usize & 3);
        let data = key & 0xffff;
        pairs[2 * at + 1].store(data, Ordering::Relaxed);
        pairs[2 * at].store(key ^ data, Ordering::Relaxed);
        found.map_or(0, |at| read(2 * at + 1))
    }
}

impl Shared for Stripes {
    fn step(&self, key: u64) -> u64 {
        let stripe = &self.0[index(key, self.0.len())].0;
        let place = |len| index(key.wrapping_mul(self.0.len() as u64), len);
        let found = {
            let buckets = stripe.lock();
            buckets[place(buckets.len())].0.probe(key)
        };
        if let Some(mut buckets) = stripe.try_lock() {
            let at = place(buckets.len());
            buckets[at].0.store(key, key as u16);
        }
        u64::from(found.unwrap_or(0))
    }
}

/// The designs by name.
const DESIGNS: [&str; 5] = ["bucket", "own", "lockless", "stripes", "one"];

/// A table of one design.
enum Table {
    Shared(Box<dyn Shared>),
    /// One for each thread.
    Own(Vec<Vec<Plain>>),
}

fn make(design: &str, buckets: usize, threads: usize) -> Table {
    let stripes = |count: usize| {
        let stripe = || Stripe(Mutex::new(vec![Plain::default(); (buckets / count).max(1)]));
        Table::Shared(Box::new(Stripes((0..count).map(|_| stripe()).collect())))
    };
    match design {
        "own" => Table::Own(vec![vec![Plain::default(); buckets]; threads]),
        "lockless" => {
            Table::Shared(Box::new(Lockless((0..buckets).map(|_| Pairs::default()).collect())))
        }
        "stripes" => stripes(1024),
        "one" => stripes(1),
        _ => Table::Shared(Box::new(Bucket((0..buckets).map(|_| Locked::default()).collect()))),
    }
}

/// The next key of a thread: random, but the same in every run.
fn next_key(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// So many steps in each thread; nanoseconds a step.
fn run(table: &mut Table, threads: usize, steps: u64) -> f64 {
    let begun = Instant::now();
    std::thread::scope(|scope| match table {
        Table::Shared(table) => {
            for thread in 0..threads as u64 {
                let table = &**table;
                scope.spawn(move || {
                    let mut state = thread << 32;
                    let mut sum = 0_u64;
                    for _ in 0..steps {
                        sum = sum.wrapping_add(table.step(next_key(&mut state)));
                    }
                    std::hint::black_box(sum)
                });
            }
        }
        Table::Own(tables) => {
            for (thread, table) in tables.iter_mut().enumerate() {
                scope.spawn(move || {
                    let mut state = (thread as u64) << 32;
                    let mut sum = 0_u64;
                    for _ in 0..steps {
                        let key = next_key(&mut state);
                        let at = index(key, table.len());
                        sum = sum.wrapping_add(u64::from(table[at].0.probe(key).unwrap_or(0)));
                        table[at].0.store(key, key as u16);
                    }
                    std::hint::black_box(sum)
                });
            }
        }
    });
    begun.elapsed().as_secs_f64() * 1e9 / steps as f64
}

fn main() -> ExitCode {
    let (mut mib, mut steps) = (256_usize, 2_000_000_u64);
    let (mut designs, mut threads) = (Vec::new(), Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = |word: Option<String>| word.and_then(|word| word.parse::<usize>().ok());
        let understood = match word.as_str() {
            // What cargo adds.
            "--bench" => true,
            "--mib" => number(words.next()).map(|number| mib = number.max(1)).is_some(),
            "--count" => number(words.next()).map(|number| steps = number as u64).is_some(),
            name if DESIGNS.contains(&name) => {
                designs.push(word);
                true
            }
            _ => number(Some(word)).map(|number| threads.push(number.max(1))).is_some(),
        };
        if !understood {
            println!("usage: table [--mib N] [--count STEPS] [DESIGN]... [THREADS]...");
            println!("designs: {}", DESIGNS.join(", "));
            return ExitCode::from(2);
        }
    }
    let buckets = (mib << 20) / 64;
    if let [design] = &designs[..] {
        let mut table = make(design, buckets, 1);
        println!("{design}: {:.1} ns a step", run(&mut table, 1, steps));
        return ExitCode::SUCCESS;
    }
    if threads.is_empty() {
        threads = vec![1, 2];
    }
    println!("| design | threads | ns a step |\n|---|---:|---:|");
    for &threads in &threads {
        let mut tables: Vec<Table> =
            DESIGNS.iter().map(|design| make(design, buckets, threads)).collect();
        let mut times = vec![Vec::new(); DESIGNS.len()];
        for _ in 0..5 {
            for (table, times) in tables.iter_mut().zip(&mut times) {
                times.push(run(table, threads, steps));
            }
        }
        for (design, times) in DESIGNS.iter().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            println!("| {design} | {threads} | {:.1} |", times[2]);
        }
    }
    ExitCode::SUCCESS
}
