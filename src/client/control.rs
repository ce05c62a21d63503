//! Requests of the user to a running client from another terminal, and their effect on the run.
//!
//! - [`Request`] is one request, as `kyomi ctl` sends it.
//! - [`ClientControl`] holds the requests. The run reads it between games. If an end was requested, the session leaves
//!   after its game.
//! - [`socket`] receives requests over a local socket, [`status`] is the answer to `status`, [`watching`] the one to
//!   `watch`.

pub(in crate::client) mod socket;
mod status;
mod watching;

use std::{
    fmt::{self, Write as _},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use jiff::{Timestamp, civil::Time};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::{
    config::{Config, ScheduleConfig},
    watch::{Report, SleepReason, WallClock, Watchers, moment_words, next_time_of_day},
};

use super::{
    schedule::{Phase, Schedule},
    shutdown::Shutdown,
};

pub(in crate::client) use socket::LOGINS;
pub use socket::{send_request, watch_client};

/// A request to a running client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Report what the client is doing, in one line.
    Status,
    /// Finish the running game, log out, end.
    Finish,
    /// Resign and leave.
    Leave,
    /// End after this number of further games; the running one counts.
    Games(u32),
    /// Begin no game after this time of day.
    Until(Time),
    /// Begin no further game until [`Request::Resume`].
    Pause,
    /// Begin games again, and forget [`Request::Games`] and [`Request::Until`].
    Resume,
    /// Propose to the opponent to suspend the running game.
    Suspend,
    /// Read the configuration again, and use its engines from the next game on.
    Reload,
}

/// A text that is not a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a request; expected status, finish, leave, games N, until HH:MM, pause, resume, \
     suspend or reload"
)]
pub struct ParseRequestError(String);

impl FromStr for Request {
    type Err = ParseRequestError;

    fn from_str(text: &str) -> Result<Self, ParseRequestError> {
        let fault = || ParseRequestError(text.chars().take(32).collect());
        let words: Vec<&str> = text.split_whitespace().collect();
        Ok(match words.as_slice() {
            ["status"] => Self::Status,
            ["finish"] => Self::Finish,
            ["leave"] => Self::Leave,
            ["games", number] => {
                Self::Games(number.parse().ok().filter(|number| *number > 0).ok_or_else(fault)?)
            }
            ["until", time] => Self::Until(Time::strptime("%H:%M", time).map_err(|_| fault())?),
            ["pause"] => Self::Pause,
            ["resume"] => Self::Resume,
            ["suspend"] => Self::Suspend,
            ["reload"] => Self::Reload,
            _ => return Err(fault()),
        })
    }
}

/// The requests of this run so far, and its schedule. Clones share one state.
#[derive(Debug, Clone)]
pub(super) struct ClientControl(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: WallClock,
    schedule: Schedule,
    /// Reads the configuration again; none if the run cannot change its engines.
    reload: Option<Reload>,
    /// Whether the server lets both players together suspend a game.
    suspends: bool,
    state: Mutex<State>,
    changed: Notify,
}

/// Reads the configuration of an account again, or returns a one-line error.
#[derive(Clone)]
pub(super) struct Reload(pub(super) Arc<dyn Fn() -> Result<Config, String> + Send + Sync>);

impl fmt::Debug for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reload")
    }
}

/// Whether a game may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// Yes.
    Open {
        /// When the schedule has no open window any more, if that is within a week.
        until: Option<Timestamp>,
    },
    /// No, by request.
    Paused,
    /// After the engines were changed.
    NewEngines,
    /// No, by the schedule.
    Closed {
        /// When it may.
        next: Timestamp,
        reason: SleepReason,
    },
    /// No, and the run is over.
    Over,
}

#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about a run")]
struct State {
    /// The number of the last game, the running one included. Those of an earlier process whose game continues count.
    begun: u32,
    is_playing: bool,
    /// Whether the running game stands still, because the server has suspended it.
    is_suspended: bool,
    paused: bool,
    /// The number of the last game of the run, if limited by a request.
    last_game: Option<u32>,
    until: Option<Timestamp>,
    /// When the window of the last game began, and the number of games begun in it.
    window: Option<(Timestamp, u32)>,
    /// Whether the running game is to be suspended.
    suspension: bool,
    /// The state that the watchers know.
    announced: Option<Gate>,
    /// A configuration whose engines are used from the next game on.
    new_engines: Option<Box<Config>>,
}

impl State {
    /// Whether the run ends with the running game, by request.
    fn is_last(&self, now: Timestamp) -> bool {
        self.last_game.is_some_and(|last| self.begun >= last)
            || self.until.is_some_and(|until| now >= until)
    }
}

impl Inner {
    fn gate(&self, state: &State) -> Gate {
        let now = self.clock.now();
        if state.is_last(now) {
            return Gate::Over;
        }
        if state.paused {
            return Gate::Paused;
        }
        let closed = |next: Option<Timestamp>, reason| {
            next.map_or(Gate::Over, |next| Gate::Closed { next, reason })
        };
        let gate = match self.schedule.phase(now) {
            Phase::Always => Gate::Open { until: None },
            Phase::Closed { next } => closed(next, SleepReason::Closed),
            Phase::Open { began, until, next } => {
                let games = state.window.filter(|(window, _)| *window == began);
                let most = self.schedule.games;
                if most > 0 && games.is_some_and(|(_, games)| games >= most) {
                    closed(next, SleepReason::GamesPlayed(most))
                } else {
                    Gate::Open { until }
                }
            }
        };
        match gate {
            Gate::Open { .. } if state.new_engines.is_some() => Gate::NewEngines,
            gate => gate,
        }
    }
}

impl Default for ClientControl {
    fn default() -> Self {
        Self::new(&ScheduleConfig::default())
    }
}

impl ClientControl {
    /// A run with this schedule.
    pub(super) fn new(schedule: &ScheduleConfig) -> Self {
        Self::with_clock(schedule, WallClock::default(), None, false)
    }

    /// A run with this schedule on a server, which can change its engines. `suspends`: whether the server lets both
    /// players together suspend a game.
    pub(super) fn on_server(
        schedule: &ScheduleConfig,
        clock: WallClock,
        reload: Reload,
        suspends: bool,
    ) -> Self {
        Self::with_clock(schedule, clock, Some(reload), suspends)
    }

    /// A run whose time of day starts at `now` and follows the clock of the runtime.
    #[cfg(test)]
    pub(super) fn simulated(schedule: &ScheduleConfig, now: Timestamp) -> Self {
        Self::with_clock(schedule, WallClock::simulated(now), None, false)
    }

    fn with_clock(
        schedule: &ScheduleConfig,
        clock: WallClock,
        reload: Option<Reload>,
        suspends: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            clock,
            schedule: Schedule::new(schedule),
            reload,
            suspends,
            state: Mutex::default(),
            changed: Notify::new(),
        }))
    }

    /// Carries a request out and returns the answer in one line.
    pub(super) fn carry_out(
        &self,
        request: Request,
        shutdown: &Shutdown,
        watchers: &Watchers,
    ) -> String {
        let answer = match request {
            Request::Status => {
                let line = status::status_line(&watchers.snapshot(), std::time::Instant::now());
                return format!("{line}{}", self.plan());
            }
            Request::Finish => {
                shutdown.finish.cancel();
                "the client ends after the running game".to_owned()
            }
            Request::Leave => {
                shutdown.finish.cancel();
                shutdown.leave.cancel();
                "the client resigns in its turn and leaves, after 10 s at the latest".to_owned()
            }
            Request::Games(number) => {
                let mut state = self.0.state.lock();
                let over = state.begun - u32::from(state.is_playing && state.begun > 0);
                let last = over.saturating_add(number);
                state.last_game = Some(last);
                format!("the client ends after game {last}")
            }
            Request::Until(time) => {
                let until = next_time_of_day(time, self.0.clock.now());
                self.0.state.lock().until = Some(until);
                format!("no game begins after {}", moment_words(until, self.0.clock.now()))
            }
            Request::Pause => {
                self.0.state.lock().paused = true;
                "no further game begins until `kyomi ctl resume`".to_owned()
            }
            Request::Resume => {
                let mut state = self.0.state.lock();
                (state.paused, state.last_game, state.until) = (false, None, None);
                "games begin again".to_owned()
            }
            Request::Suspend => self.want_suspension().to_owned(),
            Request::Reload => self.read_engines(),
        };
        tracing::info!(?request, answer, "asked by kyomi ctl");
        self.0.changed.notify_waiters();
        answer
    }

    fn want_suspension(&self) -> &'static str {
        let mut state = self.0.state.lock();
        if self.0.reload.is_none() {
            "nothing is sent: a game without [server] has nobody to ask"
        } else if !self.0.suspends {
            "nothing is sent: this server does not know proposals to suspend a game (%CHUDAN)"
        } else if !state.is_playing {
            "nothing is sent: no game is running"
        } else if state.is_suspended {
            "nothing is sent: the game is suspended already"
        } else {
            state.suspension = true;
            "the opponent is asked to suspend the game (%CHUDAN), which goes on until it agrees"
        }
    }

    /// Waits until the user requests to suspend the running game. Cancel-safe.
    pub(super) async fn suspension_wanted(&self) {
        loop {
            let changed = self.0.changed.notified();
            if std::mem::take(&mut self.0.state.lock().suspension) {
                return;
            }
            changed.await;
        }
    }

    fn read_engines(&self) -> String {
        let Some(Reload(read)) = &self.0.reload else {
            return "nothing is changed: a game without [server] keeps its engines".to_owned();
        };
        match read() {
            Ok(config) => {
                self.0.state.lock().new_engines = Some(Box::new(config));
                "[engine], [[fallback]], [book] and [budget] are those of the file from the next game on".to_owned()
            }
            Err(fault) => format!("nothing is changed: {fault}"),
        }
    }

    /// The configuration whose engines are to play now.
    pub(super) fn take_new_engines(&self) -> Option<Box<Config>> {
        self.0.state.lock().new_engines.take()
    }

    /// The active requests, for the status line; empty if there are none.
    fn plan(&self) -> String {
        let state = self.0.state.lock();
        let mut plan = String::new();
        if state.paused {
            plan.push_str("; paused");
        }
        if state.new_engines.is_some() {
            plan.push_str("; other engines from the next game on");
        }
        if let Some(last) = state.last_game {
            let _ = write!(plan, "; ends after game {last}");
        }
        let now = self.0.clock.now();
        if let Some(until) = state.until {
            let _ = write!(plan, "; no game begins after {}", moment_words(until, now));
        }
        if let Gate::Open { until: Some(until) } = self.0.gate(&state) {
            let _ = write!(plan, "; the schedule is open until {}", moment_words(until, now));
        }
        plan
    }

    /// The game with this number continues, which an earlier process began.
    pub(super) fn game_continues(&self, number: u32) {
        self.0.state.lock().begun = number.saturating_sub(1);
        self.game_begins();
    }

    /// A game begins.
    pub(super) fn game_begins(&self) {
        let mut state = self.0.state.lock();
        state.begun += 1;
        (state.is_playing, state.is_suspended, state.suspension) = (true, false, false);
        if let Phase::Open { began, .. } = self.0.schedule.phase(self.0.clock.now()) {
            let before = state.window.filter(|(window, _)| *window == began);
            state.window = Some((began, before.map_or(0, |(_, games)| games) + 1));
        }
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// The server has suspended the game.
    pub(super) fn game_is_suspended(&self) {
        self.0.state.lock().is_suspended = true;
    }

    /// The game goes on.
    pub(super) fn game_goes_on(&self) {
        self.0.state.lock().is_suspended = false;
    }

    /// The game is over.
    pub(super) fn game_ends(&self) {
        self.0.state.lock().is_playing = false;
        self.0.changed.notify_waiters();
    }

    /// Whether a game may begin now.
    pub(super) fn gate(&self) -> Gate {
        self.0.gate(&self.0.state.lock())
    }

    /// The time of day.
    pub(super) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Waits until the session should end after its game. Cancel-safe.
    pub(super) async fn no_further_game(&self) {
        self.wait(|gate| !matches!(gate, Gate::Open { .. })).await;
    }

    /// Waits until a game may begin. Returns false if the run is over instead. Reports what it waits for. Cancel-safe.
    pub(super) async fn may_begin(&self, watchers: &Watchers) -> bool {
        loop {
            let gate = self.announce(watchers);
            match gate {
                Gate::Open { .. } | Gate::NewEngines => return true,
                Gate::Over => return false,
                Gate::Paused | Gate::Closed { .. } => self.wait(|now| now != gate).await,
            }
        }
    }

    /// Reports a new state of the schedule to the watchers, and returns the state.
    fn announce(&self, watchers: &Watchers) -> Gate {
        let mut state = self.0.state.lock();
        let gate = self.0.gate(&state);
        if state.announced == Some(gate) {
            return gate;
        }
        let (before, begun) = (state.announced.replace(gate), state.begun);
        drop(state);
        let was_open = matches!(before, Some(Gate::Open { .. } | Gate::NewEngines | Gate::Paused));
        let now = self.now();
        match gate {
            // The window ends after its last game: only the reason changes.
            Gate::Closed { next, .. } if matches!(before, Some(Gate::Closed { next: told, .. }) if told == next) =>
                {}
            Gate::Closed { next, reason } => {
                tracing::info!(until = %next, "sleeping: {reason}");
                watchers.report(Report::Sleeping { until: Some(next), reason });
            }
            Gate::Open { until } if self.has_schedule() && !was_open => {
                let words = until.map(|until| moment_words(until, now));
                tracing::info!(until = words, "the schedule is open");
                watchers.report(Report::ScheduleOpen { until });
            }
            Gate::Over if matches!(self.0.schedule.phase(now), Phase::Closed { next: None }) => {
                watchers.report(Report::Sleeping { until: None, reason: SleepReason::Closed });
                if begun == 0 {
                    watchers.warn(
                        "[schedule] has no window that is open or still to come: no game is played"
                            .to_owned(),
                    );
                } else {
                    tracing::info!("the last window of the schedule is over");
                }
            }
            Gate::Open { .. } | Gate::NewEngines | Gate::Paused | Gate::Over => {}
        }
        gate
    }

    fn has_schedule(&self) -> bool {
        self.0.schedule.phase(self.now()) != Phase::Always
    }

    async fn wait(&self, holds: impl Fn(Gate) -> bool) {
        loop {
            // Subscribes before it checks, so that no change is missed in between.
            let changed = self.0.changed.notified();
            let left = {
                let state = self.0.state.lock();
                let gate = self.0.gate(&state);
                if holds(gate) {
                    return;
                }
                let changes = match gate {
                    Gate::Open { until } => until,
                    Gate::Closed { next, .. } => Some(next),
                    Gate::NewEngines | Gate::Paused | Gate::Over => None,
                };
                let next = [changes, state.until].into_iter().flatten().min();
                next.map(|next| Duration::try_from(next.duration_since(self.now())).ok())
            };
            match left {
                // The clock of the system may be set, or the machine may sleep.
                Some(left) => {
                    let left = left.unwrap_or_default().clamp(SHORTEST_WAIT, LONGEST_WAIT);
                    let _ = tokio::time::timeout(left, changed).await;
                }
                None => changed.await,
            }
        }
    }
}

const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests;
