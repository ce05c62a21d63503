//! Runs an import: several threads read, one writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::produce::{Flow, Known, Producer};
use super::unit::{Parsed, Unit};
use crate::archive::index::{Counts, Index, IndexError};

/// How to import.
#[derive(Debug, Clone, Copy)]
pub struct ImportOptions {
    /// Threads that read games, beside the one that writes.
    pub threads: usize,
}

/// The progress of an import.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Games and faults so far.
    pub counts: Counts,
    /// Bytes of the files that are done.
    pub bytes: u64,
}

/// A file that is broken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, with the member of an archive.
    pub file: String,
    /// The first errors in it.
    pub reasons: Vec<String>,
    /// The total number of errors in it.
    pub count: usize,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Games added, doubles, faults.
    pub counts: Counts,
    /// Files that were read now.
    pub files: usize,
    /// Broken files, in order.
    pub broken: Vec<Fault>,
    /// Whether it was stopped before the end. The next import of the same files continues it.
    pub was_stopped: bool,
}

/// Imports these files. Games and the place up to which each file was read are written together, so that an import
/// which is stopped or killed goes on where it was. `progress` is called from time to time in this thread.
///
/// # Errors
/// The database cannot be written.
pub fn import(
    index: &Index,
    files: &[PathBuf],
    options: ImportOptions,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, IndexError> {
    let known = index.known_files(files.iter().map(PathBuf::as_path))?;
    // Each piece in progress needs a permit, which bounds the memory however long one piece takes.
    let (permit, permits) = sync_channel::<()>(MOST_PIECES);
    let (work, waiting) = sync_channel::<(u64, Unit)>(MOST_PIECES);
    let (done, parsed) = sync_channel::<(u64, Parsed)>(MOST_PIECES);
    let (skip, skipped) = std::sync::mpsc::channel::<u64>();
    let waiting = Arc::new(Mutex::new(waiting));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn({
            let (known, is_over) = (&known, &is_over);
            move || produce(files, known, stop, is_over, &permit, &work, &skip)
        });
        for _ in 0..options.threads.max(1) {
            let (waiting, done) = (Arc::clone(&waiting), done.clone());
            scope.spawn(move || parse(&waiting, &done));
        }
        drop(done);
        let mut writer = Writer {
            index,
            parsed: &parsed,
            permits: &permits,
            early: BTreeMap::new(),
            next: 0,
            report: Report::default(),
            bytes: 0,
        };
        let written = writer.run(stop, &skipped, progress);
        // The threads end when their channels are closed.
        is_over.store(true, Ordering::Relaxed);
        let report = writer.report;
        drop(permits);
        drop(parsed);
        written.map(|()| Report { was_stopped: stop.load(Ordering::Relaxed), ..report })
    })
}

fn produce(
    files: &[PathBuf],
    known: &Known,
    stop: &AtomicBool,
    is_over: &AtomicBool,
    permit: &SyncSender<()>,
    work: &SyncSender<(u64, Unit)>,
    skip: &std::sync::mpsc::Sender<u64>,
) {
    let mut number = 0;
    let mut put = |unit: Unit| {
        let ended = || stop.load(Ordering::Relaxed) || is_over.load(Ordering::Relaxed);
        if ended() || permit.send(()).is_err() || work.send((number, unit)).is_err() {
            return Flow::Break(());
        }
        number += 1;
        Flow::Continue(())
    };
    let mut skip = |bytes| {
        let _ = skip.send(bytes);
    };
    let mut producer = Producer { known, put: &mut put, skip: &mut skip };
    for file in files {
        if stop.load(Ordering::Relaxed) || producer.file(file).is_break() {
            return;
        }
    }
}

fn parse(waiting: &Mutex<Receiver<(u64, Unit)>>, done: &SyncSender<(u64, Parsed)>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, unit)) = next else { return };
        if done.send((number, unit.parse())).is_err() {
            return;
        }
    }
}

struct Writer<'a> {
    index: &'a Index,
    parsed: &'a Receiver<(u64, Parsed)>,
    permits: &'a Receiver<()>,
    /// Pieces that came before their turn.
    early: BTreeMap<u64, Parsed>,
    next: u64,
    report: Report,
    bytes: u64,
}

impl Writer<'_> {
    fn run(
        &mut self,
        stop: &AtomicBool,
        skipped: &Receiver<u64>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), IndexError> {
        let mut first = self.take();
        while let Some(parsed) = first {
            let batch = self.index.batch()?;
            let began = Instant::now();
            let mut next = Some(parsed);
            while let Some(parsed) = next {
                self.write(&batch, &parsed)?;
                self.bytes += skipped.try_iter().sum::<u64>();
                progress(Progress { counts: self.report.counts, bytes: self.bytes });
                let is_full = began.elapsed() >= BATCH || stop.load(Ordering::Relaxed);
                next = if is_full { None } else { self.take() };
            }
            batch.commit()?;
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            first = self.take();
        }
        self.bytes += skipped.try_iter().sum::<u64>();
        progress(Progress { counts: self.report.counts, bytes: self.bytes });
        Ok(())
    }

    /// The next piece in order; `None` when all are done.
    fn take(&mut self) -> Option<Parsed> {
        loop {
            if let Some(parsed) = self.early.remove(&self.next) {
                self.next += 1;
                let _ = self.permits.recv();
                return Some(parsed);
            }
            let (number, parsed) = self.parsed.recv().ok()?;
            self.early.insert(number, parsed);
        }
    }

    fn write(
        &mut self,
        batch: &crate::archive::index::Batch<'_>,
        parsed: &Parsed,
    ) -> Result<(), IndexError> {
        let key = &parsed.file;
        let file = batch.file(&key.path, &key.member, key.size, key.stamp)?;
        let mut counts = Counts { faults: parsed.fault_count, ..Counts::default() };
        for (number, game) in &parsed.games {
            if batch.add(file.id, *number, game)? {
                counts.games += 1;
            } else {
                counts.doubles += 1;
            }
        }
        let fault = parsed.faults.first().map(String::as_str);
        batch.progress(file.id, parsed.lines, parsed.is_last, counts, fault)?;
        self.report.counts = self.report.counts.plus(counts);
        self.report.files += usize::from(parsed.is_last);
        self.bytes += parsed.bytes;
        if parsed.fault_count > 0 {
            self.note(&key.name(), parsed);
        }
        Ok(())
    }

    fn note(&mut self, name: &str, parsed: &Parsed) {
        match self.report.broken.last_mut().filter(|last| last.file == name) {
            Some(last) => {
                last.count += parsed.fault_count;
                let room = MOST_REASONS.saturating_sub(last.reasons.len());
                last.reasons.extend(parsed.faults.iter().take(room).cloned());
            }
            None => self.report.broken.push(Fault {
                file: name.to_owned(),
                reasons: parsed.faults.iter().take(MOST_REASONS).cloned().collect(),
                count: parsed.fault_count,
            }),
        }
    }
}

/// The largest number of pieces in progress.
const MOST_PIECES: usize = 16;

/// The time between two commits: a kill loses at most the work of this time.
const BATCH: Duration = Duration::from_secs(2);

/// The number of reasons that are kept of a file.
const MOST_REASONS: usize = 20;
