//! What users ask of a running client from another terminal: the requests, and their effect on the run.
//!
//! - [`Request`] is one request, as `kyomi ctl` sends it.
//! - [`Control`] holds the requests. The run reads it between games. If an end was requested, the session leaves after its
//!   game.
//! - [`socket`] receives requests over a local socket, [`status`] is the answer to `status`.

pub(in crate::client) mod socket;
mod status;

use std::{
    fmt::Write as _,
    str::FromStr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use jiff::{Zoned, civil::Time};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::watch::Watchers;

use super::shutdown::Shutdown;

pub use socket::send_request;

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
}

/// A text that is not a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a request; expected status, finish, leave, games N, until HH:MM, pause or resume"
)]
pub struct NotARequest(String);

impl FromStr for Request {
    type Err = NotARequest;

    fn from_str(text: &str) -> Result<Self, NotARequest> {
        let fault = || NotARequest(text.chars().take(32).collect());
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
            _ => return Err(fault()),
        })
    }
}

/// The requests of this run so far. Clones share one state.
#[derive(Debug, Clone, Default)]
pub(super) struct Control(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Number of games begun in this run, the running one included.
    begun: u32,
    is_playing: bool,
    paused: bool,
    /// No game begins after this number of games of the run.
    last_game: Option<u32>,
    until: Option<SystemTime>,
}

impl State {
    /// Whether the run ends with the running game.
    fn is_last(&self) -> bool {
        self.last_game.is_some_and(|last| self.begun >= last)
            || self.until.is_some_and(|until| SystemTime::now() >= until)
    }
}

impl Control {
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
                "the client resigns and leaves".to_owned()
            }
            Request::Games(number) => {
                let mut state = self.0.state.lock();
                let over = state.begun - u32::from(state.is_playing && state.begun > 0);
                state.last_game = Some(over.saturating_add(number));
                format!("the client ends after {number} more games, the running one included")
            }
            Request::Until(time) => {
                let until = next_occurrence(time);
                self.0.state.lock().until = Some(until);
                format!("no game begins after {}", time.strftime("%H:%M"))
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
        };
        tracing::info!(?request, answer, "asked by kyomi ctl");
        self.0.changed.notify_waiters();
        answer
    }

    /// What was asked for, for the status line; empty if nothing was.
    fn plan(&self) -> String {
        let state = self.0.state.lock();
        let mut plan = String::new();
        if state.paused {
            plan.push_str("; paused");
        }
        if let Some(last) = state.last_game {
            let _ = write!(plan, "; ends after game {last}");
        }
        if state.until.is_some() {
            plan.push_str("; ends at a set time");
        }
        plan
    }

    /// A game begins.
    pub(super) fn game_begins(&self) {
        let mut state = self.0.state.lock();
        state.begun += 1;
        state.is_playing = true;
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// The game is over.
    pub(super) fn game_ends(&self) {
        self.0.state.lock().is_playing = false;
        self.0.changed.notify_waiters();
    }

    /// Whether the run is over now that no game is running.
    pub(super) fn is_over(&self) -> bool {
        self.0.state.lock().is_last()
    }

    /// Waits until the session should end after its game. Cancel-safe.
    pub(super) async fn no_further_game(&self) {
        self.wait(|state| state.paused || state.is_last()).await;
    }

    /// Waits until games may begin again, or the run is over. Cancel-safe.
    pub(super) async fn unpaused(&self) {
        self.wait(|state| !state.paused || state.is_last()).await;
    }

    async fn wait(&self, holds: impl Fn(&State) -> bool) {
        loop {
            // Listening begins before the look, so that no change falls between them.
            let changed = self.0.changed.notified();
            let until = {
                let state = self.0.state.lock();
                if holds(&state) {
                    return;
                }
                state.until
            };
            let left = until.map(|until| {
                until.duration_since(SystemTime::now()).unwrap_or(Duration::from_millis(10))
            });
            match left {
                Some(left) => {
                    let _ = tokio::time::timeout(left, changed).await;
                }
                None => changed.await,
            }
        }
    }
}

/// The next time at which local clocks show this time.
fn next_occurrence(time: Time) -> SystemTime {
    let now = Zoned::now();
    let today = now.date().to_datetime(time).to_zoned(now.time_zone().clone());
    let at = match today {
        Ok(at) if at > now => Ok(at),
        _ => now
            .date()
            .tomorrow()
            .and_then(|date| date.to_datetime(time).to_zoned(now.time_zone().clone())),
    };
    at.map_or_else(|_| SystemTime::now(), |at| SystemTime::from(at.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(control: &Control, text: &str) -> String {
        control.carry_out(text.parse().unwrap(), &Shutdown::default(), &Watchers::new())
    }

    #[test]
    fn requests_are_words() {
        assert_eq!("games 3".parse(), Ok(Request::Games(3)));
        assert_eq!(" until  18:05 ".parse(), Ok(Request::Until(jiff::civil::time(18, 5, 0, 0))));
        for text in ["", "stop", "games", "games 0", "games -1", "until 25:00", "pause now"] {
            assert!(text.parse::<Request>().is_err(), "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_number_of_games_includes_the_running_one() {
        let control = Control::default();
        control.game_begins();
        control.game_ends();
        control.game_begins();
        ask(&control, "games 2");
        assert!(!control.is_over(), "the third game is still to come");
        control.game_ends();
        control.game_begins();
        control.no_further_game().await;
        assert!(control.is_over());
        ask(&control, "resume");
        assert!(!control.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_lasts_until_it_is_resumed() {
        let control = Control::default();
        ask(&control, "pause");
        control.no_further_game().await;
        assert!(!control.is_over());
        let resuming = async {
            tokio::task::yield_now().await;
            ask(&control, "resume");
        };
        tokio::join!(control.unpaused(), resuming);
        assert!(ask(&control, "status").ends_with("no engine yet"));
    }

    #[test]
    fn a_time_of_day_is_the_next_one() {
        for time in [jiff::civil::time(0, 0, 0, 0), jiff::civil::time(23, 59, 0, 0)] {
            let left = next_occurrence(time).duration_since(SystemTime::now()).unwrap();
            assert!(left <= Duration::from_secs(25 * 3600), "{left:?}");
        }
    }
}
