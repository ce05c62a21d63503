//! Everything outside a game: logging in, offers, leaving, losing the line.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::codec::printable;
use super::super::event::{GameEvent, Warning};
use super::super::message::{ClientMessage, ServerMessage};
use super::super::profile::{AfterGame, EarlyError};
use super::super::summary::{GameSummary, ReadOptions, SummaryError, SummaryReader};
use super::state::{State, Waiting};
use super::{Cause, Farewell, Session, When, clip};

impl Session {
    /// The connection stands: the client speaks first.
    pub(super) fn connected(&mut self, now: Instant) {
        match self.state {
            State::Offline => {
                self.state = State::LoggingIn { since: now };
                let login = ClientMessage::Login {
                    name: self.settings.name.clone(),
                    password: self.settings.password.clone(),
                    extended: self.settings.extended,
                };
                self.out.send(now, login);
            }
            State::Closed => {}
            State::LoggingIn { .. }
            | State::Waiting(_)
            | State::Agreeing
            | State::Starting { .. }
            | State::Playing(_)
            | State::Ending(_)
            | State::Closing { .. } => self.unexpected("connected"),
        }
    }

    /// `LOGIN:`, `LOGOUT:`, `START:`, `REJECT:`.
    pub(super) fn lobby_line(&mut self, now: Instant, message: ServerMessage) {
        match (&self.state, message) {
            (State::LoggingIn { since }, ServerMessage::LoginOk { name }) => {
                self.network.observe_round_trip(now.saturating_duration_since(*since));
                let name = printable(&name).into_owned();
                self.state = State::Waiting(Waiting { fresh: Some(now), error: None });
                self.out.show(GameEvent::LoggedIn { name });
            }
            (State::LoggingIn { .. }, ServerMessage::LoginIncorrect { reason }) => {
                let reason = reason.map(|reason| clip(&reason));
                self.out.show(GameEvent::LoginRefused { reason: reason.clone() });
                self.close(Farewell::LoginRefused(reason));
            }
            (State::Starting { summary, .. }, ServerMessage::Start { game_id }) => {
                let summary = Arc::clone(summary);
                if !game_id.is_empty() && game_id != summary.game_id {
                    self.unexpected(&format!("START:{game_id}"));
                }
                self.start_game(now, summary);
            }
            (State::Starting { summary, .. }, ServerMessage::Reject { game_id, by })
                if game_id.is_empty() || game_id == summary.game_id =>
            {
                self.state = State::Waiting(Waiting::default());
                self.out.show(GameEvent::Rejected { game_id: clip(&game_id), by: clip(&by) });
                if self.quit.is_some() {
                    self.log_out(now, Farewell::Done);
                }
            }
            // The echo of our own REJECT, perhaps behind the next offer.
            (State::Waiting(_) | State::Starting { .. }, ServerMessage::Reject { game_id, by }) => {
                self.out.show(GameEvent::Rejected { game_id: clip(&game_id), by: clip(&by) });
            }
            (State::Closing { farewell, .. }, ServerMessage::LogoutCompleted) => {
                let farewell = farewell.clone();
                self.close(farewell);
            }
            (State::Closing { .. } | State::Closed, _) => {}
            (
                State::Offline
                | State::LoggingIn { .. }
                | State::Waiting(_)
                | State::Agreeing
                | State::Starting { .. }
                | State::Playing(_)
                | State::Ending(_),
                message,
            ) => self.unexpected(&message.to_line()),
        }
    }

    /// `##[TOPIC] text`
    pub(super) fn notice(&mut self, now: Instant, topic: &str, text: &str) {
        let text = clip(text);
        if topic != "ERROR" {
            return self.out.show(GameEvent::Notice(format!("[{}] {text}", clip(topic))));
        }
        let means_no_game =
            self.behaviour.early_error == EarlyError::NoGame && !self.settings.extended;
        if let State::Waiting(Waiting { fresh: Some(since), error }) = &mut self.state
            && means_no_game
            && *since + FRESH >= now
        {
            error.get_or_insert_with(|| text.clone());
        }
        self.out.warn(Warning::ServerError(text));
    }

    /// `BEGIN Game_Summary`
    pub(super) fn begin_summary(&mut self, now: Instant) {
        if self.reader.is_some() {
            self.offer_read(now, Err(SummaryError::Unfinished));
        }
        // Whatever was missing about the last game does not come any more.
        if matches!(self.state, State::Ending(_)) {
            self.finish(now);
        }
        match self.state {
            State::Waiting(_) => self.state = State::Agreeing,
            State::Closed => return,
            State::Offline
            | State::LoggingIn { .. }
            | State::Agreeing
            | State::Starting { .. }
            | State::Playing(_)
            | State::Ending(_)
            | State::Closing { .. } => {}
        }
        let options = ReadOptions { minute_is_stop_watch: self.behaviour.minute_is_stop_watch };
        self.reader = Some((SummaryReader::new(options), now));
    }

    /// The offer is complete, or will never be.
    pub(super) fn offer_read(&mut self, now: Instant, result: Result<GameSummary, SummaryError>) {
        let reader = self.reader.take().map(|(reader, _)| reader);
        let game_id = reader.as_ref().and_then(|reader| reader.game_id().map(str::to_owned));
        match self.state {
            State::Agreeing | State::Starting { .. } => {}
            State::Offline
            | State::LoggingIn { .. }
            | State::Waiting(_)
            | State::Playing(_)
            | State::Ending(_)
            | State::Closing { .. }
            | State::Closed => return self.unexpected("an offer"),
        }
        if let Ok(summary) = &result {
            self.end_suspended_unless(summary);
        }
        match result {
            Ok(summary) if self.quit.is_none() || self.suspended.is_some() => {
                let summary = Arc::new(summary);
                let game_id = Some(summary.game_id.clone());
                self.state = State::Starting { summary: Arc::clone(&summary), since: now };
                self.out.show(GameEvent::Offered(summary));
                for warning in reader.iter().flat_map(SummaryReader::warnings) {
                    self.out.warn(Warning::OddOffer(warning.clone()));
                }
                self.out.send(now, ClientMessage::Agree { game_id });
            }
            Ok(_) => {
                self.state = State::Waiting(Waiting::default());
                self.out.send(now, ClientMessage::Reject { game_id });
                self.log_out(now, Farewell::Done);
            }
            Err(reason) => {
                self.state = State::Waiting(Waiting::default());
                let shown = game_id.as_deref().map(clip);
                self.out.show(GameEvent::Refused { game_id: shown, reason });
                self.out.send(now, ClientMessage::Reject { game_id });
                if self.quit.is_some() {
                    self.log_out(now, Farewell::Done);
                }
            }
        }
    }

    /// A game is over: stay, or leave as the server wants it.
    pub(super) fn after_game(&mut self, now: Instant) {
        let stays = self.behaviour.after_game == AfterGame::Stay || self.settings.extended;
        let farewell = self.farewell_after_game();
        if stays && farewell == Farewell::NextGame {
            self.state = State::Waiting(Waiting::default());
        } else if self.behaviour.after_game == AfterGame::Close && !self.settings.extended {
            self.close(farewell);
        } else {
            self.log_out(now, farewell);
        }
    }

    /// What to say when the line ends with a finished game.
    pub(super) fn farewell_after_game(&self) -> Farewell {
        let games = self.settings.games;
        if self.quit.is_some() || (games > 0 && self.games_ended >= games) {
            Farewell::Done
        } else {
            Farewell::NextGame
        }
    }

    /// `LOGOUT`, then a little patience.
    fn log_out(&mut self, now: Instant, farewell: Farewell) {
        self.state = State::Closing { since: now, farewell };
        self.out.send(now, ClientMessage::Logout);
    }

    /// The user wants to stop.
    pub(super) fn quit(&mut self, now: Instant, when: When) {
        self.quit = self.quit.max(Some(when));
        match (&self.state, when) {
            (State::Offline | State::LoggingIn { .. }, _)
            | (State::Agreeing | State::Starting { .. } | State::Closing { .. }, When::Now) => {
                self.close(Farewell::Done);
            }
            (State::Waiting(_), _) => self.log_out(now, Farewell::Done),
            // A game that both want is played; one that the opponent keeps us waiting for is not.
            (State::Starting { .. }, When::AfterGame) => {
                self.leave_by = self.leave_by.or(Some(now + LEAVE_GRACE));
            }
            (State::Playing(_) | State::Ending(_), When::Now) => {
                self.leave_by = self.leave_by.or(Some(now + LEAVE_GRACE));
                self.resign_if_asked(now);
            }
            (
                State::Agreeing | State::Playing(_) | State::Ending(_) | State::Closing { .. },
                When::AfterGame,
            )
            | (State::Closed, _) => {}
        }
    }

    /// The connection is gone.
    pub(super) fn lost(&mut self, cause: Cause) {
        self.reader = None;
        match &self.state {
            State::Offline | State::LoggingIn { .. } | State::Agreeing | State::Starting { .. } => {
                self.close(Farewell::Lost(cause));
            }
            // A server that closes after a game or a rejected offer wants a new login.
            State::Waiting(Waiting { fresh: None, .. }) => {
                let farewell = self.farewell_after_game();
                self.close(farewell);
            }
            State::Waiting(Waiting { error: Some(error), .. }) => {
                let farewell = Farewell::NotQueued(error.clone());
                self.close(farewell);
            }
            State::Waiting(_) => self.close(Farewell::Lost(cause)),
            State::Playing(_) => self.cut_off(cause),
            State::Ending(_) => {
                self.conclude();
                let farewell = self.farewell_after_game();
                self.close(farewell);
            }
            State::Closing { farewell, .. } => {
                let farewell = farewell.clone();
                self.close(farewell);
            }
            State::Closed => {}
        }
    }

    /// When the state is over by itself.
    pub(super) fn state_deadline(&self) -> Option<Instant> {
        match &self.state {
            State::LoggingIn { since } => Some(*since + LOGIN_LIMIT),
            // An offer that is being read may take the place of the one before.
            State::Starting { since, .. } if self.reader.is_none() => {
                let limit = *since + START_LIMIT;
                Some(self.leave_by.map_or(limit, |by| by.min(limit)))
            }
            State::Starting { .. } | State::Playing(_) => self.leave_by,
            State::Ending(ending) => {
                Some(self.leave_by.map_or(ending.until, |by| by.min(ending.until)))
            }
            State::Closing { since, .. } => Some(*since + GOODBYE_LIMIT),
            State::Waiting(Waiting { fresh: Some(since), error: Some(_) }) => Some(*since + FRESH),
            State::Offline | State::Waiting(_) | State::Agreeing | State::Closed => None,
        }
    }

    /// That time has come.
    pub(super) fn deadline_passed(&mut self, now: Instant) {
        match &self.state {
            State::LoggingIn { .. } => self.close(Farewell::NoAnswer),
            State::Closing { farewell, .. } => {
                let farewell = farewell.clone();
                self.close(farewell);
            }
            State::Starting { summary, since } => {
                let game_id = summary.game_id.clone();
                let farewell = self.farewell_after_game();
                if farewell == Farewell::NextGame && *since + START_LIMIT <= now {
                    let game_id = clip(&game_id);
                    self.out.warn(Warning::NoStart { game_id, limit: START_LIMIT });
                }
                self.out.send(now, ClientMessage::Reject { game_id: Some(game_id) });
                self.log_out(now, farewell);
            }
            State::Playing(_) => self.cut_off(Cause::Left),
            State::Ending(_) => self.finish(now),
            State::Waiting(Waiting { error: Some(error), .. }) => {
                let error = error.clone();
                self.out.warn(Warning::NotQueued(error.clone()));
                self.log_out(now, Farewell::NotQueued(error));
            }
            State::Offline | State::Waiting(_) | State::Agreeing | State::Closed => {}
        }
    }
}

/// From `AGREE` to `START`. Servers reject an offer that is not agreed to by both after 120 to 300 s, some of them
/// with a check only once a minute.
const START_LIMIT: Duration = Duration::from_secs(330);
/// An error that comes so soon after the login means that we are in no queue, unless an offer follows as soon.
const FRESH: Duration = Duration::from_secs(10);
/// A server answers a login at once, or it is none.
const LOGIN_LIMIT: Duration = Duration::from_secs(60);
/// How long we wait for the answer to `LOGOUT`.
const GOODBYE_LIMIT: Duration = Duration::from_secs(3);
/// How long a user who wants to leave now waits for our turn and for the result.
const LEAVE_GRACE: Duration = Duration::from_secs(10);
