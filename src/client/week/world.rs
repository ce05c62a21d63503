//! What all parts of the simulation share: the time, what is broken now, and what has happened.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{task::JoinHandle, time::Instant};

use crate::{client::error::ClientError, server::MemoryServer, watch::WallClock};

use super::ledger::Ledger;

/// The number of accounts of the client, each with an opponent of its own.
pub(super) const ACCOUNTS: usize = 8;

/// The name of our account with this number.
pub(super) fn own_name(account: usize) -> String {
    format!("own{account}")
}

/// The name of its opponent.
pub(super) fn other_name(account: usize) -> String {
    format!("other{account}")
}

/// The account with this name, ours or that of its opponent.
pub(super) fn account_of(name: &str) -> Option<usize> {
    name.strip_prefix("own").or_else(|| name.strip_prefix("other"))?.parse().ok()
}

/// The games of an account: of five minutes, or of twenty.
pub(super) fn game_name(account: usize) -> String {
    let clock = if account < ACCOUNTS / 2 { "300-10F" } else { "1200-0" };
    format!("week{account}-{clock}")
}

/// A folder for a week, in memory where the system has such a place.
pub(super) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.unwrap()
}

/// What all parts share; clones share it too.
#[derive(Clone)]
pub(super) struct World(Arc<Shared>);

pub(super) struct Shared {
    pub(super) seed: u64,
    pub(super) folder: PathBuf,
    pub(super) clock: WallClock,
    pub(super) ledger: Ledger,
    began: Instant,
    state: Mutex<State>,
}

/// A broken or a whole line of a player.
#[derive(Debug, Clone, Copy)]
pub(super) enum LineState {
    Whole { since: Instant },
    Broken { since: Instant },
}

#[derive(Default)]
pub(super) struct State {
    pub(super) server: Option<MemoryServer>,
    /// The number of servers that had no games of an earlier one.
    pub(super) servers: u32,
    pub(super) client: Option<JoinHandle<Result<(), ClientError>>>,
    pub(super) lines: HashMap<String, LineState>,
    /// The accounts whose opponents want to suspend the game.
    pub(super) suspending: [bool; ACCOUNTS],
    /// The accounts whose players repeat the position.
    pub(super) repeating: [bool; ACCOUNTS],
    connections: u64,
    /// When the server and the client were started last.
    pub(super) up_since: [Option<Instant>; 2],
    /// When the line of a player last became half-open.
    half_open: HashMap<String, Instant>,
    unreachable_until: Option<Instant>,
    refusing_until: Option<Instant>,
    faults: BTreeMap<&'static str, u32>,
    events: Vec<String>,
    wrong: Vec<String>,
}

impl std::ops::Deref for World {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl World {
    /// A world that begins at six in the morning.
    pub(super) fn new(seed: u64, folder: &Path) -> Self {
        let six = jiff::civil::date(2027, 5, 3).at(6, 0, 0, 0);
        let six = six.to_zoned(jiff::tz::TimeZone::system()).unwrap().timestamp();
        Self(Arc::new(Shared {
            seed,
            folder: folder.to_owned(),
            clock: WallClock::simulated(six),
            ledger: Ledger::default(),
            began: Instant::now(),
            state: Mutex::default(),
        }))
    }
}

impl Shared {
    pub(super) fn began(&self) -> Instant {
        self.began
    }

    pub(super) fn state(&self) -> parking_lot::MutexGuard<'_, State> {
        self.state.lock()
    }

    /// A generator of its own for each part.
    pub(super) fn random(&self, part: u64) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(part))
    }

    /// The generator of the next connection.
    pub(super) fn random_of_connection(&self) -> fastrand::Rng {
        let mut state = self.state.lock();
        state.connections += 1;
        let number = state.connections;
        drop(state);
        self.random(1000 + number)
    }

    pub(super) fn unreachable_for(&self, time: Duration) {
        self.note(format!("unreachable for {time:?}"));
        self.state.lock().unreachable_until = Some(Instant::now() + time);
    }

    pub(super) fn refuses_for(&self, time: Duration) {
        self.note(format!("logins are refused for {time:?}"));
        self.state.lock().refusing_until = Some(Instant::now() + time);
    }

    pub(super) fn is_unreachable(&self) -> bool {
        self.state.lock().unreachable_until.is_some_and(|until| Instant::now() < until)
    }

    pub(super) fn refuses_logins(&self) -> bool {
        self.state.lock().refusing_until.is_some_and(|until| Instant::now() < until)
    }

    pub(super) fn set_wall_clock(&self, seconds: i64) {
        self.note(format!("the wall clock is set by {seconds} s"));
        self.clock.step(seconds);
    }

    /// The line of a player is whole, or it is not.
    pub(super) fn line_is(&self, name: &str, whole: bool) {
        let since = Instant::now();
        let now = if whole { LineState::Whole { since } } else { LineState::Broken { since } };
        let before = self.state.lock().lines.insert(name.to_owned(), now);
        let was_broken = matches!(before, Some(LineState::Broken { .. }));
        if !whole && was_broken {
            // It is broken since the first time.
            self.state.lock().lines.extend(before.map(|before| (name.to_owned(), before)));
        }
    }

    /// What is sent over the line of a player vanishes from now on.
    pub(super) fn line_is_half_open(&self, name: &str) {
        self.state.lock().half_open.insert(name.to_owned(), Instant::now());
    }

    /// Since when the client could have had a line for this account, had it done all it can; `None` if it has one.
    pub(super) fn could_connect_since(&self, name: &str) -> Option<Instant> {
        let state = self.state.lock();
        let broken = match state.lines.get(name) {
            Some(LineState::Whole { since }) if since.elapsed() > MENDED => return None,
            Some(LineState::Whole { .. }) | None => Instant::now(),
            Some(LineState::Broken { since }) => *since,
        };
        let noticed = state.half_open.get(name).map(|at| *at + NOTICED);
        let [server, client] = state.up_since;
        let down = state.client.is_none().then(Instant::now);
        let away = [state.unreachable_until, state.refusing_until, down];
        let hindered = [noticed, server, client].into_iter().chain(away);
        hindered.flatten().fold(broken, Instant::max).into()
    }

    pub(super) fn count(&self, fault: &'static str) {
        *self.state.lock().faults.entry(fault).or_default() += 1;
    }

    pub(super) fn faults(&self) -> BTreeMap<&'static str, u32> {
        self.state.lock().faults.clone()
    }

    /// Notes an event for the text of a failure.
    pub(super) fn note(&self, text: impl fmt::Display) {
        let seconds = self.began.elapsed().as_secs();
        let (day, hour) = (seconds / 86400 + 1, seconds % 86400 / 3600);
        let (minute, second) = (seconds % 3600 / 60, seconds % 60);
        let mut state = self.state.lock();
        if state.events.len() == KEPT_EVENTS && std::env::var_os(EVENTS).is_none() {
            // They must not be taken for memory of the client.
            state.events.drain(..KEPT_EVENTS / 2);
        }
        state.events.push(format!("day {day} +{hour:02}:{minute:02}:{second:02} {text}"));
    }

    /// Notes what must not happen.
    pub(super) fn wrong(&self, text: String) {
        self.note(format!("WRONG: {text}"));
        self.state.lock().wrong.push(text);
    }

    /// # Panics
    /// Something has happened that must not.
    #[track_caller]
    pub(super) fn check(&self) {
        let state = self.state.lock();
        if let Some(folder) = std::env::var_os(EVENTS) {
            let file = Path::new(&folder).join(format!("week-{}.txt", self.seed));
            std::fs::write(file, state.events.join("\n")).unwrap();
        }
        let wrong = &state.wrong;
        if wrong.is_empty() {
            return;
        }
        let last = state.events.len().saturating_sub(LAST_EVENTS);
        let (seed, last) = (self.seed, state.events[last..].join("\n"));
        panic!("seed {seed}: {wrong:#?}\nthe last events (all: {EVENTS}=FOLDER):\n{last}");
    }
}

/// So long after a new connection a move may come too late.
const MENDED: Duration = Duration::from_secs(5);

/// A half-open line is noticed within this time: after a keep-alive line and a minute without an answer.
const NOTICED: Duration = Duration::from_secs(110);

/// The variable of the environment that names a folder for the events of each seed.
const EVENTS: &str = "KYOMI_WEEK_EVENTS";

/// The number of events that are kept without that variable.
const KEPT_EVENTS: usize = 1000;

/// The number of events that a failure shows.
const LAST_EVENTS: usize = 50;
