//! What must not grow: memory, descriptors, tasks, files, what waits for the index, and the log.

use std::{
    collections::HashSet,
    fmt, fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tracing_subscriber::fmt as log_format;

use crate::service::LogFiles;

use super::world::World;

/// The figures of a moment without games.
#[derive(Debug)]
pub(super) struct Gauges {
    tasks: usize,
    /// Open files of this week.
    descriptors: usize,
    /// Resident memory in KiB.
    memory: u64,
    /// Journals and what belongs to them.
    unfinished: Vec<PathBuf>,
    /// Finished records that are not in the index.
    waiting: Vec<PathBuf>,
}

impl Gauges {
    /// Measures, when the index has caught up.
    pub(super) fn measure(world: &World) -> Self {
        let waiting = await_index(world);
        let games = fs::read_dir(world.folder.join("games")).unwrap();
        let paths = games.map(|entry| entry.unwrap().path());
        Self {
            tasks: tokio::runtime::Handle::current().metrics().num_alive_tasks(),
            descriptors: descriptors(&world.folder),
            memory: memory(),
            unfinished: paths.filter(|path| !is_record(path)).collect(),
            waiting,
        }
    }

    /// Compares them with those of the first day.
    pub(super) fn check(&self, first: Option<&Self>, world: &World) {
        if !self.unfinished.is_empty() {
            world.wrong(format!("unfinished at the end of a day: {:?}", self.unfinished));
        }
        if !self.waiting.is_empty() {
            world.wrong(format!("records are not in the index: {:?}", self.waiting));
        }
        let Some(first) = first else { return };
        let is_flat = self.tasks <= first.tasks + 4
            && self.descriptors <= first.descriptors
            && self.memory <= first.memory + MOST_MORE_KIB;
        if !is_flat {
            world.wrong(format!("more than on the first day ({first}): {self}"));
        }
    }
}

impl fmt::Display for Gauges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tasks, descriptors, memory, unfinished, waiting } = self;
        let [unfinished, waiting] = [unfinished, waiting].map(Vec::len);
        write!(
            f,
            "{tasks} tasks, {descriptors} descriptors, {memory} KiB, {unfinished} unfinished, {waiting} waiting"
        )
    }
}

fn is_record(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "csa")
}

/// Waits, while the simulated time stands, until the index has all finished records, or has added none for long.
/// Returns those that are missing.
fn await_index(world: &World) -> Vec<PathBuf> {
    let database = rusqlite::Connection::open(world.folder.join("games.db")).unwrap();
    let (mut last, mut since) = (0, std::time::Instant::now());
    loop {
        let missing = world.ledger.finished_records(&indexed(&database));
        if missing.is_empty() || since.elapsed() > STANDSTILL {
            return missing;
        }
        if missing.len() != last {
            (last, since) = (missing.len(), std::time::Instant::now());
        }
        std::thread::yield_now();
    }
}

/// The records in the index.
fn indexed(database: &rusqlite::Connection) -> HashSet<PathBuf> {
    let mut files = database.prepare("SELECT path FROM files").unwrap();
    let paths = files.query_map([], |row| row.get::<_, String>(0)).unwrap();
    paths.filter_map(Result::ok).map(PathBuf::from).collect()
}

/// An index that adds nothing for so long, by the clock of the machine, adds nothing any more.
const STANDSTILL: std::time::Duration = std::time::Duration::from_secs(10);

/// The number of open files below this folder.
fn descriptors(folder: &Path) -> usize {
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let targets = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    targets.filter(|target| target.starts_with(folder)).count()
}

/// The memory of this process in KiB, without mapped files such as the database; 0 where the system does not tell it.
fn memory() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Vec<u64> = text.split(' ').filter_map(|it| it.parse().ok()).collect();
    pages.get(1).zip(pages.get(2)).map_or(0, |(resident, shared)| (resident - shared) * 4)
}

/// The log of a week, with the writer of the program.
pub(super) struct Log {
    folder: PathBuf,
    lines: Arc<Lines>,
}

#[derive(Default)]
struct Lines {
    all: AtomicU64,
    warnings: AtomicU64,
    /// The lines of errors.
    errors: Mutex<Vec<String>>,
}

/// Counts the lines that it passes on.
struct Counted(LogFiles, Arc<Lines>);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Counts order no other memory.
        self.1.all.fetch_add(1, Ordering::Relaxed);
        if bytes.windows(6).any(|it| it == b" WARN ") {
            self.1.warnings.fetch_add(1, Ordering::Relaxed);
        }
        if bytes.windows(7).any(|it| it == b" ERROR ") {
            self.1.errors.lock().unwrap().push(String::from_utf8_lossy(bytes).into_owned());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl Log {
    pub(super) fn start(folder: &Path) -> Self {
        Self { folder: folder.join("log"), lines: Arc::default() }
    }

    /// Runs with this log.
    pub(super) fn during<T>(&self, run: impl FnOnce() -> T) -> T {
        let files = LogFiles::open(&self.folder, 30, LOG_LIMIT).unwrap();
        let writer = Mutex::new(Counted(files, Arc::clone(&self.lines)));
        let log = log_format()
            .with_writer(writer)
            .with_ansi(false)
            .with_max_level(tracing::Level::INFO)
            .finish();
        tracing::subscriber::with_default(log, run)
    }

    /// Checks its size and that it has no errors, and says its figures.
    pub(super) fn text(&self) -> String {
        let files = fs::read_dir(&self.folder).unwrap();
        let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= LOG_LIMIT, "the log has {bytes} bytes");
        let Lines { all, warnings, errors } = &*self.lines;
        let errors = errors.lock().unwrap();
        assert!(errors.is_empty(), "errors in the log: {errors:#?}");
        let [all, warnings] = [all, warnings].map(|it| it.load(Ordering::Relaxed));
        format!("log {all} lines, {warnings} warnings, {bytes} bytes kept")
    }
}

/// The size that the log may have.
const LOG_LIMIT: u64 = 1 << 20;

/// By how much the memory may grow after the first day.
const MOST_MORE_KIB: u64 = 16 << 10;
