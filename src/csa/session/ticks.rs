//! The passing of time: deadlines, keep-alive lines, and when the next tick is due.

use std::time::{Duration, Instant};

use super::super::message::ClientMessage;
use super::silence::DEAD_AFTER;
use super::state::State;
use super::{Action, Cause, Session, SessionSettings, Warning};

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
        self.check_disconnected(now);
        if self.state_deadline().is_some_and(|at| at <= now) {
            self.deadline_passed(now);
        }
        if self.keep_alive_at().is_some_and(|at| at <= now) {
            self.out.send(now, ClientMessage::KeepAlive);
            self.silence.keep_alive_sent(now);
        }
    }

    /// Requests the next tick if its time has changed.
    pub(super) fn schedule(&mut self) {
        let offer = self.reader.as_ref().map(|(_, since)| *since + OFFER_LIMIT);
        let given_up = self.disconnected_until();
        let next = [self.dead_at(), offer, self.state_deadline(), given_up, self.keep_alive_at()];
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

    /// When the server's silence means that the connection is dead:
    ///
    /// - if it has answered a keep-alive line on this connection, a minute after the first line that it does not
    ///   answer;
    /// - if it never has, outside a game: the same if the profile guarantees answers, else never;
    /// - if it never has, in a game: when another line is overdue.
    fn dead_at(&self) -> Option<Instant> {
        let guaranteed = self.behaviour.answers_keep_alive && !self.in_game();
        match &self.state {
            State::Offline | State::LoggingIn { .. } | State::Closing { .. } | State::Closed => {
                None
            }
            State::Playing(running) if !self.silence.is_answered() => {
                let asked = self.silence.dead_at(true)?;
                running.server_line_due().map(|by| by.max(asked))
            }
            _ => self.silence.dead_at(guaranteed),
        }
    }
}

/// How long an offer may take to arrive; servers send it in one burst.
const OFFER_LIMIT: Duration = Duration::from_secs(60);
