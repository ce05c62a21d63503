//! The passing of time: deadlines, keep-alive lines, and when the next tick is due.

use std::time::{Duration, Instant};

use super::super::message::ClientMessage;
use super::super::profile::LostConnection;
use super::super::reconnect::ReconnectState;
use super::lobby::EARLY_ERROR_LIMIT;
use super::offers::repeatable;
use super::silence::DEAD_AFTER;
use super::state::{Closing, GamePhase, Lobby, State, Waiting};
use super::{Action, Cause, Session, SessionEnd, SessionSettings, Warning, clip};

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
        self.check_unfinished(now);
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
        let given_up = self.unfinished_until();
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
            State::Lobby(Lobby::Offline | Lobby::LoggingIn { .. }) | State::Closing(_) => None,
            State::Lobby(_) | State::Game(_) => {
                let interval = self.settings.keep_alive.max(SessionSettings::SHORTEST_KEEP_ALIVE);
                self.out.last_sent.map(|sent| sent + interval)
            }
        }
    }

    /// When the server's silence means that the connection is dead:
    ///
    /// - if it has answered a keep-alive line on this connection, a minute after the first line that it does not
    ///   answer;
    /// - if it never has, but the profile guarantees answers: the same, except in a game that a false alarm would lose;
    /// - otherwise in a game: when another line is overdue; else never.
    fn dead_at(&self) -> Option<Instant> {
        let may_resume = self.behaviour.lost_connection == LostConnection::MayResume;
        let guaranteed = self.behaviour.answers_keep_alive && (may_resume || !self.in_game());
        match &self.state {
            State::Lobby(Lobby::Offline | Lobby::LoggingIn { .. }) | State::Closing(_) => None,
            State::Game(GamePhase::Playing(running))
                if !self.silence.is_answered() && !guaranteed =>
            {
                let asked = self.silence.dead_at(true)?;
                running.server_line_due().map(|by| by.max(asked))
            }
            _ => self.silence.dead_at(guaranteed),
        }
    }

    /// The deadline of the current state.
    pub(super) fn state_deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Lobby(Lobby::LoggingIn { since }) => Some(*since + LOGIN_LIMIT),
            // The offer that is being read may replace the previous one.
            State::Lobby(Lobby::Starting { since, held, .. }) if self.reader.is_none() => {
                let limit = *since + if held.is_some() { PREPARE_LIMIT } else { START_LIMIT };
                Some(self.leave_by.map_or(limit, |by| by.min(limit)))
            }
            State::Lobby(Lobby::Resuming { since, .. }) => Some(*since + STATE_LIMIT),
            State::Lobby(Lobby::Starting { .. }) | State::Game(GamePhase::Playing(_)) => {
                self.leave_by
            }
            State::Game(GamePhase::Ending(ending)) => {
                Some(self.leave_by.map_or(ending.until, |by| by.min(ending.until)))
            }
            State::Closing(Closing::LoggingOut { since, .. }) => Some(*since + LOGOUT_LIMIT),
            State::Lobby(Lobby::Waiting(Waiting {
                logged_in_at: Some(since),
                error: Some(_),
                ..
            })) => Some(*since + EARLY_ERROR_LIMIT),
            State::Lobby(Lobby::Waiting(waiting)) => waiting.ask_at.or(self.rematch_until),
            State::Lobby(Lobby::Offline | Lobby::Agreeing)
            | State::Game(GamePhase::Suspended(_))
            | State::Closing(Closing::Closed) => None,
        }
    }

    /// Handles the passing of the state's deadline.
    pub(super) fn deadline_passed(&mut self, now: Instant) {
        match &self.state {
            State::Lobby(Lobby::LoggingIn { .. }) => self.close(SessionEnd::NoAnswer),
            State::Closing(Closing::LoggingOut { end, .. }) => {
                let end = end.clone();
                self.close(end);
            }
            State::Lobby(Lobby::Starting { held: Some(_), .. })
                if self.leave_by.is_none_or(|by| now < by) =>
            {
                self.agree(now);
            }
            State::Lobby(Lobby::Starting { summary, since, .. }) => {
                let game_id = summary.game_id.clone();
                let end = self.end_after_game();
                if end == SessionEnd::NextGame && *since + START_LIMIT <= now {
                    let game_id = clip(&game_id);
                    self.out.warn(Warning::NoStart { game_id, limit: START_LIMIT });
                }
                self.out.send(now, ClientMessage::Reject { game_id: repeatable(&game_id) });
                self.log_out(now, end);
            }
            State::Game(GamePhase::Playing(_)) => self.connection_lost(now, Cause::Left),
            State::Lobby(Lobby::Resuming { .. }) => {
                self.resume_running(now, &ReconnectState::default());
            }
            State::Game(GamePhase::Ending(_)) => self.finish(now),
            State::Lobby(Lobby::Waiting(Waiting { error: Some(error), .. })) => {
                let error = error.clone();
                self.out.warn(Warning::NotQueued(error.clone()));
                self.log_out(now, SessionEnd::NotQueued(error));
            }
            State::Lobby(Lobby::Waiting(_)) if self.rematch_until.is_some() => self.after_game(now),
            State::Lobby(Lobby::Waiting(_)) => self.ask_for_game(now),
            State::Lobby(Lobby::Offline | Lobby::Agreeing)
            | State::Game(GamePhase::Suspended(_))
            | State::Closing(Closing::Closed) => {}
        }
    }
}

/// How long an offer may take to arrive; servers send it in one burst.
const OFFER_LIMIT: Duration = Duration::from_secs(60);
/// From `AGREE` to `START`. Servers reject an offer to which a player has not agreed after 120 to 300 s, some of
/// them checking only once a minute.
const START_LIMIT: Duration = Duration::from_secs(330);
/// How long `AGREE` is held for a player that prepares; servers reject the offer some time after this.
const PREPARE_LIMIT: Duration = Duration::from_secs(100);
/// How long we wait for the answer to `LOGIN`.
const LOGIN_LIMIT: Duration = Duration::from_secs(60);
/// How long after the offer of a running game we wait for the server's state of it, which is sent in one burst.
const STATE_LIMIT: Duration = Duration::from_secs(5);
/// How long we wait for the answer to `LOGOUT`.
const LOGOUT_LIMIT: Duration = Duration::from_secs(3);
