//! Keep-alive lines, detection of a dead connection, and scheduling of ticks.

use std::time::{Duration, Instant};

use super::super::message::ClientMessage;
use super::state::State;
use super::{Action, Cause, Session, SessionSettings, Warning};

/// Tracks the answers to our keep-alive lines.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// When the first keep-alive line was sent since the server's last line.
    asked: Option<Instant>,
    /// The server has answered a keep-alive line with an empty line.
    answers: bool,
}

impl Silence {
    /// Records that a line was received. An empty one after a keep-alive line of ours shows that this server
    /// answers them.
    pub(super) fn line_received(&mut self, empty: bool) {
        if self.asked.take().is_some() && empty {
            self.answers = true;
        }
    }
}

impl Session {
    /// Handles the passing of time.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.wake.is_some_and(|wake| wake <= now) {
            self.wake = None;
        }
        if self.dead_at().is_some_and(|at| at <= now) {
            self.out.warn(Warning::NoAnswer(DEAD_AFTER));
            return self.lost(now, Cause::Broken("no answer".to_owned()));
        }
        if let Some((_, since)) = self.reader
            && since + OFFER_LIMIT <= now
        {
            self.offer_read(now, Err(super::SummaryError::Unfinished));
        }
        self.check_suspended(now);
        if self.state_deadline().is_some_and(|at| at <= now) {
            self.deadline_passed(now);
        }
        if self.keep_alive_at().is_some_and(|at| at <= now) {
            self.out.send(now, ClientMessage::KeepAlive);
            self.silence.asked.get_or_insert(now);
        }
    }

    /// Requests the next tick if its time has changed.
    pub(super) fn schedule(&mut self) {
        let offer = self.reader.as_ref().map(|(_, since)| *since + OFFER_LIMIT);
        let suspended = self.suspended_until();
        let next = [self.dead_at(), offer, self.state_deadline(), suspended, self.keep_alive_at()];
        let next = next.into_iter().flatten().min();
        if next != self.wake {
            self.wake = next;
            if let Some(next) = next {
                self.out.push(Action::WakeAt(next));
            }
        }
    }

    /// When the next keep-alive line is due. `None` in states where the protocol does not allow an empty line.
    fn keep_alive_at(&self) -> Option<Instant> {
        match self.state {
            State::Waiting(_)
            | State::Agreeing
            | State::Starting { .. }
            | State::Resuming { .. }
            | State::Playing(_)
            | State::Ending(_) => {
                let interval = self.settings.keep_alive.max(SessionSettings::SHORTEST_KEEP_ALIVE);
                self.out.last_sent.map(|sent| sent + interval)
            }
            State::Offline | State::LoggingIn { .. } | State::Closing { .. } | State::Closed => {
                None
            }
        }
    }

    /// When the server's silence means that the connection is dead. A server need not answer empty lines. If it has not
    /// answered one on this connection, the connection is given up outside a game only if the profile guarantees an
    /// answer, and in a game when another line is overdue.
    fn dead_at(&self) -> Option<Instant> {
        let guaranteed = self.behaviour.answers_keep_alive && !self.in_game();
        match &self.state {
            State::Offline | State::LoggingIn { .. } | State::Closing { .. } | State::Closed => {
                None
            }
            _ if self.silence.answers || guaranteed => {
                self.silence.asked.map(|asked| asked + DEAD_AFTER)
            }
            State::Playing(running) => {
                let asked = self.silence.asked? + DEAD_AFTER;
                running.server_speaks_by().map(|by| by.max(asked))
            }
            _ => None,
        }
    }
}

/// The connection is dead if no line arrives within this time after our empty line.
const DEAD_AFTER: Duration = Duration::from_secs(60);
/// How long an offer may take to arrive; servers send it in one burst.
const OFFER_LIMIT: Duration = Duration::from_secs(60);
