//! Runs an import: several threads read, one writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::budget::{Budget, MOST_PIECES};
use super::fault::Fault;
use super::produce::{Flow, Note, Producer};
use super::unit::{Parsed, Unit};
use crate::archive::index::{Batch, Counts, Index, IndexError, KnownFiles};

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

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Games added, doubles, faults.
    pub counts: Counts,
    /// Files that were read now.
    pub files: usize,
    /// Broken files, in order: those that were read now, then those of earlier imports that have not changed.
    pub broken: Vec<Fault>,
    /// Whether it was stopped before the end. The next import of the same files continues it.
    pub was_stopped: bool,
}

/// Imports these files. Games and the place up to which each file was read are written together, so that an import
/// which is stopped or killed goes on where it was. `progress` is called from time to time in this thread.
///
/// If games are gone with the file that had them, the files whose games were left out as doubles are read again.
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
    let import = Import { index, options, stop };
    let mut report = import.pass(files, progress)?;
    for _ in 0..MOST_PASSES {
        if report.was_stopped {
            break;
        }
        let again = index.read_again()?;
        if again.is_empty() {
            break;
        }
        let again: Vec<_> = again.into_iter().filter(|path| path.is_file()).collect();
        let more = import.pass(&again, &mut |_| {})?;
        report.counts = report.counts.plus(more.counts);
        report.files += more.files;
        report.was_stopped = more.was_stopped;
        let is_new = |fault: &Fault| report.broken.iter().all(|known| known.file != fault.file);
        let new: Vec<_> = more.broken.into_iter().filter(is_new).collect();
        report.broken.extend(new);
        if !report.was_stopped {
            index.have_read_again()?;
        }
    }
    Ok(report)
}

/// What all passes over the files share.
#[derive(Clone, Copy)]
struct Import<'a> {
    index: &'a Index,
    options: ImportOptions,
    stop: &'a AtomicBool,
}

impl Import<'_> {
    /// Reads these files once.
    fn pass(
        self,
        files: &[PathBuf],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, IndexError> {
        let Self { index, options, stop } = self;
        let known = index.known_files(files.iter().map(PathBuf::as_path))?;
        let budget = Budget::default();
        let (work, waiting) = sync_channel::<(u64, Unit)>(MOST_PIECES);
        let (done, parsed) = sync_channel::<(u64, Parsed)>(MOST_PIECES);
        let (note, notes) = channel::<Note>();
        let waiting = Arc::new(Mutex::new(waiting));
        thread::scope(|scope| {
            scope.spawn({
                let (known, budget) = (&known, &budget);
                move || produce(files, known, stop, budget, &work, &note)
            });
            for _ in 0..options.threads.max(1) {
                let (waiting, done) = (Arc::clone(&waiting), done.clone());
                scope.spawn(move || parse(&waiting, &done, stop));
            }
            drop(done);
            let mut writer = Writer::new(index, &parsed, &budget, &notes);
            let written = writer.run(stop, progress);
            // The threads end when the budget and their channels are closed.
            budget.close();
            let Writer { mut report, broken_before, .. } = writer;
            drop(parsed);
            written?;
            report.broken.extend(broken_before);
            report.was_stopped = stop.load(Ordering::Relaxed);
            Ok(report)
        })
    }
}

fn produce(
    files: &[PathBuf],
    known: &KnownFiles,
    stop: &AtomicBool,
    budget: &Budget,
    work: &SyncSender<(u64, Unit)>,
    note: &Sender<Note>,
) {
    let mut number = 0;
    let mut put = |unit: Unit| {
        let may_go_on = !stop.load(Ordering::Relaxed) && budget.take(unit.content.size());
        if !may_go_on || work.send((number, unit)).is_err() {
            return Flow::Break(());
        }
        number += 1;
        Flow::Continue(())
    };
    let mut note = |it| {
        let _ = note.send(it);
    };
    let mut producer = Producer { known, put: &mut put, note: &mut note };
    for file in files {
        if stop.load(Ordering::Relaxed) || producer.file(file).is_break() {
            return;
        }
    }
}

fn parse(
    waiting: &Mutex<Receiver<(u64, Unit)>>,
    done: &SyncSender<(u64, Parsed)>,
    stop: &AtomicBool,
) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, unit)) = next else { return };
        if done.send((number, unit.parse(stop))).is_err() {
            return;
        }
    }
}

struct Writer<'a> {
    index: &'a Index,
    parsed: &'a Receiver<(u64, Parsed)>,
    budget: &'a Budget,
    notes: &'a Receiver<Note>,
    /// Pieces that came before their turn.
    early: BTreeMap<u64, Parsed>,
    next: u64,
    report: Report,
    /// Files that were broken in an earlier import and have not changed.
    broken_before: Vec<Fault>,
    bytes: u64,
}

impl<'a> Writer<'a> {
    fn new(
        index: &'a Index,
        parsed: &'a Receiver<(u64, Parsed)>,
        budget: &'a Budget,
        notes: &'a Receiver<Note>,
    ) -> Self {
        Self {
            index,
            parsed,
            budget,
            notes,
            early: BTreeMap::new(),
            next: 0,
            report: Report::default(),
            broken_before: Vec::new(),
            bytes: 0,
        }
    }

    fn run(
        &mut self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), IndexError> {
        let mut first = self.take();
        while let Some(parsed) = first {
            let batch = self.index.batch()?;
            let began = Instant::now();
            let mut next = Some(parsed);
            while let Some(parsed) = next {
                let is_whole = self.write(&batch, &parsed, stop)?;
                self.budget.give_back(parsed.size);
                if !is_whole {
                    return batch.commit();
                }
                self.take_notes();
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
        self.take_notes();
        progress(Progress { counts: self.report.counts, bytes: self.bytes });
        Ok(())
    }

    fn take_notes(&mut self) {
        for note in self.notes.try_iter() {
            match note {
                Note::Skipped(bytes) => self.bytes += bytes,
                Note::Broken(fault) => self.broken_before.push(fault),
            }
        }
    }

    /// The next piece in order; `None` when all are done.
    fn take(&mut self) -> Option<Parsed> {
        loop {
            if let Some(parsed) = self.early.remove(&self.next) {
                self.next += 1;
                return Some(parsed);
            }
            let (number, parsed) = self.parsed.recv().ok()?;
            self.early.insert(number, parsed);
        }
    }

    /// Writes the games of a piece. Returns whether all were written; else, after a stop, nothing of the piece is.
    fn write(
        &mut self,
        batch: &Batch<'_>,
        parsed: &Parsed,
        stop: &AtomicBool,
    ) -> Result<bool, IndexError> {
        let key = &parsed.file;
        if parsed.is_cut {
            return Ok(false);
        }
        if parsed.is_gone {
            batch.remove(&key.path, &key.member)?;
            return Ok(true);
        }
        let is_large = parsed.games.len() > LARGE;
        if is_large {
            batch.mark()?;
        }
        let file = batch.file(&key.path, &key.member, key.size, key.stamp)?;
        let mut counts = Counts { faults: parsed.fault_count, ..Counts::default() };
        for (number, game) in &parsed.games {
            if is_large && stop.load(Ordering::Relaxed) {
                batch.undo_to_mark()?;
                return Ok(false);
            }
            if batch.add(file.id, *number, game)? {
                counts.games += 1;
            } else {
                counts.doubles += 1;
            }
        }
        let fault = parsed.faults.first().map(String::as_str);
        batch.progress(file.id, parsed.lines, parsed.is_last, counts, fault)?;
        if is_large {
            batch.drop_mark()?;
        }
        self.report.counts = self.report.counts.plus(counts);
        self.report.files += usize::from(parsed.is_last);
        self.bytes += parsed.bytes;
        if parsed.fault_count > 0 {
            self.note(&key.name(), parsed);
        }
        Ok(true)
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

/// How often files are read again because games were removed. Once is enough, unless files change meanwhile.
const MOST_PASSES: usize = 4;

/// With more games than this, writing a piece may be stopped between them.
const LARGE: usize = 1000;

/// The time between two commits: a kill loses at most the work of this time.
const BATCH: Duration = Duration::from_secs(2);

/// The number of reasons that are kept of a file.
const MOST_REASONS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::import::unit::{Content, FileKey};
    use crate::archive::index::Filter;

    #[test]
    fn a_large_piece_whose_writing_is_stopped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(&folder.path().join("a.db")).unwrap();
        let games: Vec<_> =
            (0..=LARGE).map(|number| format!("V2.2\nN+{number}\nPI\n+\n%TORYO\n")).collect();
        let content = Content::Whole(games.join("/\n").into_bytes());
        let key = FileKey { path: "x.csa".to_owned(), member: String::new(), size: 0, stamp: 0 };
        let unit = Unit { file: key.into(), content, lines: 0, is_last: true, bytes: 0 };
        let parsed = unit.parse(&AtomicBool::new(false));
        assert_eq!(parsed.games.len(), LARGE + 1);
        let (_, waiting) = channel();
        let (_, notes) = channel();
        let budget = Budget::default();
        let mut writer = Writer::new(&index, &waiting, &budget, &notes);
        for (is_stopped, count) in [(true, 0), (false, LARGE as u64 + 1)] {
            let batch = index.batch().unwrap();
            let is_whole = writer.write(&batch, &parsed, &AtomicBool::new(is_stopped)).unwrap();
            batch.commit().unwrap();
            assert_eq!(is_whole, !is_stopped);
            assert_eq!(index.count(&Filter::default()).unwrap(), count);
        }
    }
}
