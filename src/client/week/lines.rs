//! The line of each player to the server: whole or broken, since when, and by whom.

use std::{collections::HashMap, time::Duration};

use tokio::time::Instant;

/// The latest line of each player.
#[derive(Default)]
pub(super) struct Lines(HashMap<String, Line>);

/// The latest line of a player. What happens to an older one, whose end of the server may still be open, does not count.
struct Line {
    number: u64,
    state: LineState,
    /// When it became half-open.
    half_open: Option<Instant>,
    /// Until when it holds back what was sent.
    slow_until: Option<Instant>,
}

#[derive(Clone, Copy)]
enum LineState {
    /// The server has answered the login. `broken`: since when it had been broken before.
    Whole {
        since: Instant,
        broken: Instant,
    },
    Broken {
        since: Instant,
    },
}

impl Lines {
    /// A player connects anew; returns the number of the line. It is not whole before the server answers the login.
    pub(super) fn begin(&mut self, name: &str) -> u64 {
        let line = self.0.entry(name.to_owned()).or_insert_with(|| Line {
            number: 0,
            state: LineState::Broken { since: Instant::now() },
            half_open: None,
            slow_until: None,
        });
        line.number += 1;
        line.is_left();
        line.slow_until = None;
        line.number
    }

    fn latest(&mut self, name: &str, number: u64) -> Option<&mut Line> {
        self.0.get_mut(name).filter(|line| line.number == number)
    }

    /// The server has answered the login over this line.
    pub(super) fn answered(&mut self, name: &str, number: u64) {
        let Some(line) = self.latest(name, number) else { return };
        if let LineState::Broken { since: broken } = line.state {
            line.state = LineState::Whole { since: Instant::now(), broken };
        }
        line.half_open = None;
    }

    /// The network breaks this line.
    pub(super) fn cut(&mut self, name: &str, number: u64) {
        let Some(line) = self.latest(name, number) else { return };
        if line.is_whole() {
            line.state = LineState::Broken { since: Instant::now() };
        }
    }

    /// What is sent over this line vanishes from now on.
    pub(super) fn half_open(&mut self, name: &str, number: u64) {
        self.cut(name, number);
        if let Some(line) = self.latest(name, number) {
            line.half_open = Some(Instant::now());
        }
    }

    /// This line holds back what was sent for so long.
    pub(super) fn slow_for(&mut self, name: &str, number: u64, time: Duration) {
        if let Some(line) = self.latest(name, number) {
            let until = Instant::now() + time;
            line.slow_until = line.slow_until.max(Some(until));
        }
    }

    /// A player or the server has closed this line.
    pub(super) fn end(&mut self, name: &str, number: u64) {
        if let Some(line) = self.latest(name, number) {
            line.is_left();
        }
    }

    /// The server is killed, and all lines break.
    pub(super) fn cut_all(&mut self) {
        for line in self.0.values_mut().filter(|line| line.is_whole()) {
            line.state = LineState::Broken { since: Instant::now() };
        }
    }

    /// Whether this player's line has held back anything since this time.
    pub(super) fn was_slow_after(&self, name: &str, time: Instant) -> bool {
        self.0.get(name).and_then(|line| line.slow_until).is_some_and(|until| until > time)
    }

    pub(super) fn is_whole(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(Line::is_whole)
    }

    /// Since when nothing but the client keeps this player from a whole line, as far as its lines tell; `None` if its
    /// line is whole, and has been for a moment.
    pub(super) fn broken_since(&self, name: &str) -> Option<Instant> {
        // It has never connected.
        let Some(line) = self.0.get(name) else { return Some(Instant::now()) };
        let slow = line.slow_until.map(|until| until + MENDED).filter(|it| *it > Instant::now());
        let broken = match line.state {
            LineState::Whole { since, .. } if since.elapsed() > MENDED => return slow,
            LineState::Whole { broken, .. } => broken,
            LineState::Broken { since } => since,
        };
        let noticed = line.half_open.map(|at| at + NOTICED);
        [noticed, slow].into_iter().flatten().fold(broken, Instant::max).into()
    }
}

impl Line {
    fn is_whole(&self) -> bool {
        matches!(self.state, LineState::Whole { .. })
    }

    /// It is broken, but not by the network: a line that was whole for a moment only does not excuse anything anew.
    fn is_left(&mut self) {
        if let LineState::Whole { since, broken } = self.state {
            let is_new = since.elapsed() <= MENDED;
            let since = if is_new { broken } else { Instant::now() };
            self.state = LineState::Broken { since };
        }
    }
}

/// So long after a new connection a move may come too late.
const MENDED: Duration = Duration::from_secs(5);

/// A half-open line is noticed within this time: after a keep-alive line and a minute without an answer.
const NOTICED: Duration = Duration::from_secs(110);
