//! What all parts of the simulation share: the time, what is broken now, and what has happened.

use std::{
    collections::BTreeMap,
    fmt,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use tokio::{task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{client::error::ClientError, server::MemoryServer, watch::WallClock};

use super::{hosted::HostedGames, ledger::Ledger, lines::Lines};

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

/// The running client.
pub(super) struct Client {
    pub(super) running: JoinHandle<Result<(), ClientError>>,
    /// Is cancelled when it is killed.
    pub(super) life: CancellationToken,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) server: Option<MemoryServer>,
    /// The number of servers that had no games of an earlier one.
    pub(super) servers: u32,
    pub(super) client: Option<Client>,
    pub(super) lines: Lines,
    pub(super) hosted: HostedGames,
    /// When the engine of an account last hung.
    pub(super) hung: [Option<Instant>; ACCOUNTS],
    /// When the client was killed.
    pub(super) kills: Vec<Instant>,
    /// The accounts whose opponents want to suspend the game.
    pub(super) suspending: [bool; ACCOUNTS],
    /// The accounts whose players repeat the position.
    pub(super) repeating: [bool; ACCOUNTS],
    connections: u64,
    /// When the server and the client were started last.
    pub(super) up_since: [Option<Instant>; 2],
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

    /// Runs a part of the simulation beside the others. Its panic would otherwise be lost.
    pub(super) fn spawn(
        &self,
        name: &'static str,
        part: impl Future<Output = ()> + Send + 'static,
    ) {
        let world = self.clone();
        tokio::spawn(async move {
            if AssertUnwindSafe(part).catch_unwind().await.is_err() {
                world.wrong(format!("{name} has panicked"));
            }
        });
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
        self.state.lock().hosted.clock_is_set();
        self.clock.step(seconds);
    }

    /// How long ago the client could have had a line for this account, had it done all it can; `None` if it has one.
    pub(super) fn away_for(&self, name: &str) -> Option<Duration> {
        let since = self.could_connect_since(name)?;
        Some(Instant::now().saturating_duration_since(since))
    }

    /// Whether the client that ran at this time was killed.
    pub(super) fn client_started_after(&self, time: Instant) -> bool {
        let state = self.state.lock();
        state.client.is_none() || state.up_since[1].is_some_and(|since| since > time)
    }

    fn could_connect_since(&self, name: &str) -> Option<Instant> {
        let state = self.state.lock();
        let broken = state.lines.broken_since(name)?;
        let [server, client] = state.up_since;
        let down = state.client.is_none().then(Instant::now);
        let away = [state.unreachable_until, state.refusing_until, down];
        let hindered = [server, client].into_iter().chain(away);
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

/// The variable of the environment that names a folder for the events of each seed.
const EVENTS: &str = "KYOMI_WEEK_EVENTS";

/// The number of events that are kept without that variable.
const KEPT_EVENTS: usize = 1000;

/// The number of events that a failure shows.
const LAST_EVENTS: usize = 50;
