//! One run of the program, and what must be true of it whatever happens.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use kyomi_csa::text::printable;
use kyomi_record::csa;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    common::connection::{Desk, PATIENCE, Peer},
    common::folder::Folder,
    support::Finished,
};

/// The random player as the engine.
pub(crate) const RANDOM: &str = "kind = \"random\"";

/// The file in which scripted engines write their process ids.
pub(crate) const PIDS: &str = "pids.mark";

/// A folder deep inside another one, so that a path like `../../../x` is seen.
pub(crate) struct Trial {
    root: Folder,
    pub(crate) work: Folder,
    most_memory: u64,
    is_busy: bool,
}

impl Trial {
    pub(crate) fn new() -> Self {
        let root = Folder::new();
        let work = root.inner("1/2/3/4/work");
        Self { root, work, most_memory: MOST_MEMORY, is_busy: false }
    }

    /// A trial of some games with this engine on the server of the test, where the program logs in.
    pub(crate) fn logging_in(games: u32, engine: &str) -> (Self, Client, Peer) {
        let (trial, desk) = (Self::new(), Desk::open());
        let mut client = trial.play(&desk.config(games, engine));
        let mut peer = desk.accept();
        assert_eq!(peer.line(), "LOGIN kyomi secret");
        client.desk = Some(desk);
        (trial, client, peer)
    }

    /// The same, when the program has logged in.
    pub(crate) fn logged_in(games: u32, engine: &str) -> (Self, Client, Peer) {
        let (trial, client, mut peer) = Self::logging_in(games, engine);
        peer.send("LOGIN:kyomi OK");
        (trial, client, peer)
    }

    /// A trial in which the program has much to read, so that it may use the processor.
    pub(crate) fn of_a_flood() -> Self {
        Self { is_busy: true, ..Self::new() }
    }

    /// A file that an engine creates. The names of such files end with `.mark`.
    pub(crate) fn mark(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    /// Waits until the engine has created the file.
    pub(crate) fn await_mark(&self, name: &str) {
        let since = Instant::now();
        while !self.mark(name).exists() {
            assert!(since.elapsed() < PATIENCE, "{name} never appears");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Starts `kyomi play` with this configuration, and lets it write its events.
    pub(crate) fn play(&self, config: &str) -> Client {
        self.work.write("kyomi.toml", config);
        let mut command =
            self.work.kyomi(&["play", "--config", "kyomi.toml", "--events", "events.mark"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_child(&child);
        let has_ended = Arc::new(AtomicBool::new(false));
        let watched = Arc::clone(&has_ended);
        let usage = thread::spawn(move || watch(pid, &watched));
        let output = thread::spawn(move || child.wait_with_output().unwrap());
        Client {
            pid,
            output: Some(output),
            usage: Some(usage),
            has_ended,
            since: Instant::now(),
            desk: None,
        }
    }

    /// Checks the folder, the log and the records of a program that has ended. Returns the number of records.
    fn check_files(&self) -> usize {
        let mut records = 0;
        for path in files(self.root.path()) {
            let Ok(inside) = path.strip_prefix(self.work.path()) else {
                panic!("written outside the folder: {}", path.display());
            };
            let name = inside.display().to_string();
            let folder = inside.parent().and_then(Path::to_str);
            match (folder, inside.extension().and_then(OsStr::to_str)) {
                (Some("logs/games"), Some("csa")) => {
                    check_record(&path);
                    records += 1;
                }
                (Some("logs"), Some("log")) => {
                    check_text(&name, &fs::read_to_string(&path).unwrap());
                }
                // The database of games with its log.
                (Some(""), Some("mark"))
                | (Some("logs"), Some("db" | "db-wal" | "db-shm" | "sources")) => {}
                _ => assert_eq!(name, "kyomi.toml", "an unknown file"),
            }
        }
        records
    }

    /// Checks that each event is a line of JSON. Returns the number of games that ended.
    fn check_events(&self) -> usize {
        let text = fs::read_to_string(self.mark("events.mark")).unwrap();
        check_text("events", &text);
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
        events.filter(|event: &serde_json::Value| event["event"] == "game_ended").count()
    }

    /// Waits until the engines and their children are gone.
    fn check_processes(&self) {
        let pids = fs::read_to_string(self.mark(PIDS)).unwrap_or_default();
        for pid in pids.split_whitespace() {
            let since = Instant::now();
            while is_alive(pid) {
                assert!(since.elapsed() < PATIENCE, "the process {pid} is left behind");
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// A running `kyomi play`, killed with the test.
pub(crate) struct Client {
    pid: Pid,
    output: Option<JoinHandle<Output>>,
    usage: Option<JoinHandle<Usage>>,
    has_ended: Arc<AtomicBool>,
    since: Instant,
    /// The server of the test, which stays open as long as the program runs.
    desk: Option<Desk>,
}

impl Client {
    /// Waits for the end of the program and checks everything that must be true of any run.
    #[track_caller]
    pub(crate) fn end(mut self, trial: &Trial, code: i32) -> Finished {
        let output = self.output.take().unwrap().join().unwrap();
        self.has_ended.store(true, Ordering::Relaxed);
        let usage = self.usage.take().unwrap().join().unwrap();
        let finished = Finished::new(&output).exited(code);
        check_text("standard output", &finished.stdout);
        check_text("standard error", &finished.stderr);
        let records = trial.check_files();
        assert_eq!(records, finished.all("record").len(), "{}", finished.stdout);
        let ended = trial.check_events();
        assert!(trial.is_busy || records == ended, "{ended} games in the events");
        trial.check_processes();
        let most = trial.most_memory;
        assert!(usage.memory <= most, "{} KiB of memory, more than {most}", usage.memory);
        let allowed = ALWAYS_ALLOWED + self.since.elapsed() / 4;
        assert!(trial.is_busy || usage.cpu <= allowed, "{:?} of {allowed:?} used", usage.cpu);
        finished
    }

    /// The memory that the program has used so far, in KiB.
    pub(crate) fn memory(&self) -> u64 {
        usage_of(self.pid).map_or(0, |usage| usage.memory)
    }

    /// Checks that the program does nothing while nothing happens.
    #[track_caller]
    pub(crate) fn is_idle(&self) {
        // The last event may still be on its way.
        let is_quiet = || {
            let before = self.cpu();
            thread::sleep(Duration::from_millis(100));
            self.cpu().saturating_sub(before) < Duration::from_millis(50)
        };
        assert!((0..100).any(|_| is_quiet()), "it spins");
        let before = self.cpu();
        thread::sleep(Duration::from_millis(600));
        let used = self.cpu().saturating_sub(before);
        assert!(used < Duration::from_millis(300), "it spins: {used:?}");
    }

    fn cpu(&self) -> Duration {
        usage_of(self.pid).map_or(Duration::ZERO, |usage| usage.cpu)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.output.as_ref().is_some_and(|output| !output.is_finished()) {
            let _ = kill_process(self.pid, Signal::KILL);
        }
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

/// What a process has used so far.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    /// The most memory at one time, in KiB.
    memory: u64,
    cpu: Duration,
}

/// Follows a process until it has ended. One that does not end is killed.
fn watch(pid: Pid, has_ended: &AtomicBool) -> Usage {
    let (since, mut last) = (Instant::now(), Usage::default());
    while !has_ended.load(Ordering::Relaxed) {
        last = usage_of(pid).unwrap_or(last);
        if since.elapsed() > PATIENCE {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(5));
    }
    last
}

/// `None` after the end of the process, and on systems without `/proc`.
fn usage_of(pid: Pid) -> Option<Usage> {
    let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let memory = memory.trim().trim_end_matches(" kB").parse().ok()?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The second field is the name, which may contain blanks.
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let cpu = Duration::from_millis((ticks(11)? + ticks(12)?) * 10);
    Some(Usage { memory, cpu })
}

/// Whether this process runs. One that has ended may still be listed until its parent asks for it.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[track_caller]
fn check_text(name: &str, text: &str) {
    for line in text.lines() {
        assert_eq!(printable(line), line, "{name}");
    }
}

/// A finished record: it can be read, has an end, and contains no control characters.
#[track_caller]
fn check_record(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    check_text(&path.display().to_string(), &text);
    let games = csa::read(&bytes).unwrap();
    assert!(games.len() == 1 && games[0].record.end.is_some(), "{text}");
}

/// In KiB, with the histories of the built-in engine, which take 13 MiB; its table would need more.
const MOST_MEMORY: u64 = 72 * 1024;

/// Processor time that any run may use, apart from a part of the time that it takes.
const ALWAYS_ALLOWED: Duration = Duration::from_millis(1500);
