//! Keep-alive lines, the dead line, and when to be woken.

use std::time::{Duration, Instant};

use super::super::message::ClientMessage;
use super::state::State;
use super::{Action, Cause, Session, SessionSettings, Warning};

/// What we know of the line by who has been silent for how long.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// The first keep-alive line after which nothing has come.
    asked: Option<Instant>,
    /// The server has answered one with an empty line.
    answers: bool,
}

impl Silence {
    /// A line came: the connection lives. An empty one after ours shows that this server answers them.
    pub(super) fn heard(&mut self, empty: bool) {
        if self.asked.take().is_some() && empty {
            self.answers = true;
        }
    }
}

impl Session {
    /// Time has passed.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.wake.is_some_and(|wake| wake <= now) {
            self.wake = None;
        }
        if self.dead_at().is_some_and(|at| at <= now) {
            self.out.warn(Warning::NoAnswer(DEAD_AFTER));
            return self.lost(Cause::Broken("no answer".to_owned()));
        }
        if let Some((_, since)) = self.reader
            && since + OFFER_LIMIT <= now
        {
            self.offer_read(now, Err(super::SummaryError::Unfinished));
        }
        if self.state_deadline().is_some_and(|at| at <= now) {
            self.deadline_passed(now);
        }
        if self.keep_alive_at().is_some_and(|at| at <= now) {
            self.out.send(now, ClientMessage::KeepAlive);
            self.silence.asked.get_or_insert(now);
        }
    }

    /// Says when the next tick is due, if that has changed.
    pub(super) fn schedule(&mut self) {
        let offer = self.reader.as_ref().map(|(_, since)| *since + OFFER_LIMIT);
        let next = [self.dead_at(), offer, self.state_deadline(), self.keep_alive_at()];
        let next = next.into_iter().flatten().min();
        if next != self.wake {
            self.wake = next;
            if let Some(next) = next {
                self.out.push(Action::WakeAt(next));
            }
        }
    }

    /// When our own silence has lasted long enough. Only where the protocol allows an empty line.
    fn keep_alive_at(&self) -> Option<Instant> {
        match self.state {
            State::Waiting(_)
            | State::Agreeing
            | State::Starting { .. }
            | State::Playing(_)
            | State::Ending(_) => {
                let pause = self.settings.keep_alive.max(SessionSettings::SHORTEST_KEEP_ALIVE);
                self.out.last_sent.map(|sent| sent + pause)
            }
            State::Offline | State::LoggingIn { .. } | State::Closing { .. } | State::Closed => {
                None
            }
        }
    }

    /// When the silence of the server means that the line is dead. A server need not answer empty lines at all,
    /// so one that has not done so on this connection is given up only outside a game, and only
    /// where its profile promises an answer.
    fn dead_at(&self) -> Option<Instant> {
        let promised = self.behaviour.answers_keep_alive && !self.in_game();
        match self.state {
            State::Offline | State::LoggingIn { .. } | State::Closing { .. } | State::Closed => {
                None
            }
            _ if self.silence.answers || promised => {
                self.silence.asked.map(|asked| asked + DEAD_AFTER)
            }
            _ => None,
        }
    }
}

/// So long after our empty line without any line from the server.
const DEAD_AFTER: Duration = Duration::from_secs(60);
/// An offer comes in one burst; one that is not finished by then never will be.
const OFFER_LIMIT: Duration = Duration::from_secs(60);
