//! Everything outside a game: login, offers, logout, loss of the connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::event::{GameEvent, Warning};
use super::super::extended::ExtendedCommand;
use super::super::message::{ClientMessage, LoginMode, ServerMessage};
use super::super::profile::{AfterGame, EarlyError};
use super::super::reconnect::ReconnectState;
use super::super::summary::{GameSummary, ReadOptions, SummaryError, SummaryReader};
use super::state::{State, Waiting};
use super::{Cause, RequestCommand, Session, SessionEnd, When, clip};

impl Session {
    /// Logs in over a new connection.
    pub(super) fn connected(&mut self, now: Instant) {
        match self.state {
            State::Offline => {
                self.state = State::LoggingIn { since: now };
                let mode = self.login_mode();
                self.reconnecting = match &mode {
                    LoginMode::Reconnect { game_id, .. } => Some(game_id.clone()),
                    LoginMode::Plain | LoginMode::Extended => None,
                };
                let login = ClientMessage::Login {
                    name: self.settings.name.clone(),
                    password: self.settings.password.clone(),
                    mode,
                };
                self.out.send(now, login);
            }
            State::Closed => {}
            State::LoggingIn { .. }
            | State::Waiting(_)
            | State::Agreeing
            | State::Starting { .. }
            | State::Resuming { .. }
            | State::Playing(_)
            | State::Ending(_)
            | State::Closing { .. } => self.unexpected("connected"),
        }
    }

    /// Handles `LOGIN:`, `LOGOUT:`, `START:` and `REJECT:`.
    pub(super) fn lobby_line(&mut self, now: Instant, message: ServerMessage) {
        match (&self.state, message) {
            (State::LoggingIn { since }, ServerMessage::LoginOk { name }) => {
                self.network.observe_login(now.saturating_duration_since(*since));
                let name = clip(&name);
                let waiting = Waiting { logged_in_at: Some(now), ..Waiting::default() };
                self.state = State::Waiting(waiting);
                self.out.show(GameEvent::LoggedIn { name });
                self.ask_for_game(now);
                if self.settings.practice_opponent && self.disconnected.is_none() {
                    self.out.send(now, ClientMessage::Other("CHALLENGE".to_owned()));
                }
            }
            (State::LoggingIn { .. }, ServerMessage::LoginIncorrect { reason }) => {
                let reason = reason.map(|reason| clip(&reason));
                self.out.show(GameEvent::LoginRefused { reason: reason.clone() });
                self.close(SessionEnd::LoginRefused(reason));
            }
            (State::Starting { summary, held, .. }, ServerMessage::Start { game_id }) => {
                let (stated, offered) = (clip(&game_id), clip(&summary.game_id));
                if held.is_some() {
                    self.out.warn(Warning::StartTooEarly { stated, offered });
                } else if is_id_of(&game_id, summary) {
                    let summary = Arc::clone(summary);
                    self.start_game(now, summary);
                } else {
                    self.out.warn(Warning::OtherStart { stated, agreed: offered });
                }
            }
            (State::Resuming { summary, .. }, ServerMessage::Start { game_id })
                if is_id_of(&game_id, summary) =>
            {
                self.resume_running(now, &ReconnectState::default());
            }
            (State::Starting { summary, .. }, ServerMessage::Reject { game_id, by })
                if game_id.is_empty() || game_id == summary.game_id =>
            {
                self.wait_again(now);
                self.out
                    .show(GameEvent::RejectedByServer { game_id: clip(&game_id), by: clip(&by) });
                if self.quit.is_some() {
                    self.log_out(now, SessionEnd::Done);
                }
            }
            // The echo of our own REJECT; it may arrive after the next offer.
            (State::Waiting(_) | State::Starting { .. }, ServerMessage::Reject { game_id, by }) => {
                self.out
                    .show(GameEvent::RejectedByServer { game_id: clip(&game_id), by: clip(&by) });
            }
            (State::Closing { end, .. }, ServerMessage::LogoutCompleted) => {
                let end = end.clone();
                self.close(end);
            }
            (State::Closing { .. } | State::Closed, _) => {}
            (
                State::Offline
                | State::LoggingIn { .. }
                | State::Waiting(_)
                | State::Agreeing
                | State::Starting { .. }
                | State::Resuming { .. }
                | State::Playing(_)
                | State::Ending(_),
                message,
            ) => self.unexpected(&message.to_line()),
        }
    }

    /// Handles `##[TOPIC] text`.
    pub(super) fn notice(&mut self, now: Instant, topic: &str, text: &str) {
        let text = clip(text);
        if topic != "ERROR" {
            return self.out.show(GameEvent::Notice(format!("[{}] {text}", clip(topic))));
        }
        let means_no_game = if self.settings.extended {
            self.settings.game.is_some()
        } else {
            self.behaviour.early_error == EarlyError::NoGame
        };
        if let State::Waiting(waiting) = &mut self.state
            && self.settings.request_command == RequestCommand::Challenge
            && text.contains("rival")
        {
            waiting.ask_at = Some(now + CHALLENGE_PAUSE);
            return self.out.show(GameEvent::Notice(format!("[ERROR] {text}")));
        }
        if let State::Waiting(Waiting { logged_in_at: Some(since), error, .. }) = &mut self.state
            && means_no_game
            && *since + EARLY_ERROR_LIMIT >= now
        {
            error.get_or_insert_with(|| text.clone());
        }
        self.out.warn(Warning::ServerError(text));
    }

    /// Handles `BEGIN Game_Summary`.
    pub(super) fn begin_summary(&mut self, now: Instant) {
        if self.reader.is_some() {
            self.offer_read(now, Err(SummaryError::Unfinished));
        }
        // Missing lines about the last game are no longer expected.
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
            | State::Resuming { .. }
            | State::Playing(_)
            | State::Ending(_)
            | State::Closing { .. } => {}
        }
        let options = ReadOptions { minute_is_stop_watch: self.behaviour.minute_is_stop_watch };
        self.reader = Some((SummaryReader::new(options), now));
    }

    /// Answers an offer that is complete or cannot be completed.
    pub(super) fn offer_read(&mut self, now: Instant, result: Result<GameSummary, SummaryError>) {
        let reader = self.reader.take().map(|(reader, _)| reader);
        let shown = reader.as_ref().and_then(|reader| reader.game_id().map(clip));
        let game_id = reader.as_ref().and_then(|reader| repeatable(reader.game_id()?));
        match self.state {
            State::Agreeing | State::Starting { .. } => {}
            // It crossed our LOGOUT. Without an answer its opponent would wait.
            State::Closing { .. } => {
                return self.out.send(now, ClientMessage::Reject { game_id });
            }
            State::Offline
            | State::LoggingIn { .. }
            | State::Waiting(_)
            | State::Resuming { .. }
            | State::Playing(_)
            | State::Ending(_)
            | State::Closed => return self.unexpected("an offer"),
        }
        let runs_already = self
            .reconnecting
            .take()
            .is_some_and(|id| result.as_ref().is_ok_and(|summary| summary.game_id == id));
        self.agreed = None;
        if let Ok(summary) = &result {
            self.end_disconnected_if_other_game(summary);
        }
        let wanted = self.quit.is_none() && self.end_after_game() == SessionEnd::NextGame;
        match result {
            Ok(summary) if wanted || runs_already || self.disconnected.is_some() => {
                let summary = Arc::new(summary);
                // The player already has the game that it is thinking about.
                let is_new = self.disconnected.is_none();
                if is_new {
                    self.out.show(GameEvent::Offered(Arc::clone(&summary)));
                }
                if runs_already {
                    self.state = State::Resuming { summary, since: now };
                    return;
                }
                let held = Some(ClientMessage::Agree { game_id });
                self.state = State::Starting { summary, since: now, held };
                for warning in reader.iter().flat_map(SummaryReader::warnings) {
                    self.out.warn(Warning::OddOffer(warning.clone()));
                }
                if !(is_new && self.settings.agree_when_prepared) {
                    self.agree(now);
                }
            }
            Ok(_) => {
                self.state = State::Waiting(Waiting::default());
                self.out.send(now, ClientMessage::Reject { game_id });
                self.log_out(now, SessionEnd::Done);
            }
            Err(reason) => {
                self.wait_again(now);
                self.out.show(GameEvent::RejectedByUs { game_id: shown, reason });
                self.out.send(now, ClientMessage::Reject { game_id });
                if self.quit.is_some() {
                    self.log_out(now, SessionEnd::Done);
                }
            }
        }
    }

    /// Agrees to the offer if that was held back. One that is being read replaces it.
    pub(super) fn agree(&mut self, now: Instant) {
        if let State::Starting { since, held, .. } = &mut self.state
            && self.reader.is_none()
            && let Some(agree) = held.take()
        {
            *since = now;
            self.out.send(now, agree);
        }
    }

    /// After a game: keeps the connection, or leaves in the way that the server expects.
    pub(super) fn after_game(&mut self, now: Instant) {
        // After a draw the server may offer the game again at once, which belongs to the last one.
        if self.rematch_until.is_some_and(|until| now < until) && self.quit.is_none() {
            self.state = State::Waiting(Waiting::default());
            return;
        }
        self.rematch_until = None;
        let stays = self.behaviour.after_game == AfterGame::Stay || self.settings.extended;
        let end = self.end_after_game();
        if stays && end == SessionEnd::NextGame {
            self.state = State::Waiting(Waiting::default());
            self.ask_for_game(now);
        } else if self.behaviour.after_game == AfterGame::Close && !self.settings.extended {
            self.close(end);
        } else {
            self.log_out(now, end);
        }
    }

    /// How the session ends after a game: `Done` if no further game is wanted, else `NextGame`.
    pub(super) fn end_after_game(&self) -> SessionEnd {
        let games = self.settings.games;
        let enough = games > 0 && self.games_ended >= games && self.rematch_until.is_none();
        if self.quit.is_some() || enough { SessionEnd::Done } else { SessionEnd::NextGame }
    }

    /// Waits for another offer after one that came to nothing. In extended mode the game is asked for again after a
    /// pause, since the same offer might follow at once.
    fn wait_again(&mut self, now: Instant) {
        let ask_at = self.settings.extended.then(|| now + PAUSE_AFTER_REJECT);
        self.state = State::Waiting(Waiting { ask_at, ..Waiting::default() });
    }

    /// Asks for a game in extended mode, unless a disconnected one may still be offered again.
    pub(super) fn ask_for_game(&mut self, now: Instant) {
        let State::Waiting(waiting) = &mut self.state else { return };
        waiting.ask_at = None;
        let Some(selection) = self.settings.game.as_ref().filter(|_| self.settings.extended) else {
            return;
        };
        if self.disconnected.is_some() || self.agreed.is_some() || self.quit.is_some() {
            return;
        }
        (waiting.logged_in_at, waiting.error) = (Some(now), None);
        let command = match self.settings.request_command {
            RequestCommand::Game => ExtendedCommand::Game(Some(selection.clone())),
            RequestCommand::Challenge => ExtendedCommand::Challenge(selection.clone()),
        };
        self.out.send(now, ClientMessage::Extended(command));
    }

    /// Sends `LOGOUT` and waits for the answer.
    pub(super) fn log_out(&mut self, now: Instant, end: SessionEnd) {
        self.state = State::Closing { since: now, end };
        self.out.send(now, ClientMessage::Logout);
    }

    /// Handles the user's request to stop.
    pub(super) fn quit(&mut self, now: Instant, when: When) {
        self.quit = self.quit.max(Some(when));
        match (&self.state, when) {
            // The game that is running must be finished first.
            (State::Offline | State::LoggingIn { .. } | State::Waiting(_), When::AfterGame)
                if self.disconnected.is_some() => {}
            (State::Offline | State::LoggingIn { .. }, _)
            | (State::Agreeing | State::Starting { .. } | State::Closing { .. }, When::Now) => {
                self.close(SessionEnd::Done);
            }
            (State::Waiting(_), _) => self.log_out(now, SessionEnd::Done),
            // An offer that the opponent agrees to in time is still played.
            (State::Starting { .. }, When::AfterGame) => {
                self.leave_by = self.leave_by.or(Some(now + LEAVE_GRACE));
            }
            (State::Resuming { .. } | State::Playing(_) | State::Ending(_), When::Now) => {
                self.leave_by = self.leave_by.or(Some(now + LEAVE_GRACE));
                self.resign_if_asked(now);
            }
            (
                State::Agreeing
                | State::Resuming { .. }
                | State::Playing(_)
                | State::Ending(_)
                | State::Closing { .. },
                When::AfterGame,
            )
            | (State::Closed, _) => {}
        }
    }

    /// Handles the loss of the connection.
    pub(super) fn lost(&mut self, now: Instant, cause: Cause) {
        self.reader = None;
        match &self.state {
            State::Starting { summary, .. } | State::Resuming { summary, .. } => {
                let summary = Arc::clone(summary);
                self.keep_agreed(summary, &cause);
                self.close(SessionEnd::Lost(cause));
            }
            State::Offline | State::LoggingIn { .. } | State::Agreeing => {
                self.close(SessionEnd::Lost(cause));
            }
            // A server that closes the connection after a game or a rejected offer expects a new login.
            State::Waiting(Waiting { logged_in_at: None, .. }) => {
                let end = self.end_after_game();
                self.close(end);
            }
            State::Waiting(Waiting { error: Some(error), .. }) => {
                let end = SessionEnd::NotQueued(error.clone());
                self.close(end);
            }
            State::Waiting(_) => self.close(SessionEnd::Lost(cause)),
            State::Playing(_) => self.connection_lost(now, cause),
            State::Ending(_) => {
                self.report_end();
                let end = self.end_after_game();
                self.close(end);
            }
            State::Closing { end, .. } => {
                let end = end.clone();
                self.close(end);
            }
            State::Closed => {}
        }
    }

    /// The deadline of the current state.
    pub(super) fn state_deadline(&self) -> Option<Instant> {
        match &self.state {
            State::LoggingIn { since } => Some(*since + LOGIN_LIMIT),
            // The offer that is being read may replace the previous one.
            State::Starting { since, held, .. } if self.reader.is_none() => {
                let limit = *since + if held.is_some() { PREPARE_LIMIT } else { START_LIMIT };
                Some(self.leave_by.map_or(limit, |by| by.min(limit)))
            }
            State::Resuming { since, .. } => Some(*since + STATE_LIMIT),
            State::Starting { .. } | State::Playing(_) => self.leave_by,
            State::Ending(ending) => {
                Some(self.leave_by.map_or(ending.until, |by| by.min(ending.until)))
            }
            State::Closing { since, .. } => Some(*since + LOGOUT_LIMIT),
            State::Waiting(Waiting { logged_in_at: Some(since), error: Some(_), .. }) => {
                Some(*since + EARLY_ERROR_LIMIT)
            }
            State::Waiting(waiting) => waiting.ask_at.or(self.rematch_until),
            State::Offline | State::Agreeing | State::Closed => None,
        }
    }

    /// Handles the passing of the state's deadline.
    pub(super) fn deadline_passed(&mut self, now: Instant) {
        match &self.state {
            State::LoggingIn { .. } => self.close(SessionEnd::NoAnswer),
            State::Closing { end, .. } => {
                let end = end.clone();
                self.close(end);
            }
            State::Starting { held: Some(_), .. } if self.leave_by.is_none_or(|by| now < by) => {
                self.agree(now);
            }
            State::Starting { summary, since, .. } => {
                let game_id = summary.game_id.clone();
                let end = self.end_after_game();
                if end == SessionEnd::NextGame && *since + START_LIMIT <= now {
                    let game_id = clip(&game_id);
                    self.out.warn(Warning::NoStart { game_id, limit: START_LIMIT });
                }
                self.out.send(now, ClientMessage::Reject { game_id: repeatable(&game_id) });
                self.log_out(now, end);
            }
            State::Playing(_) => self.connection_lost(now, Cause::Left),
            State::Resuming { .. } => self.resume_running(now, &ReconnectState::default()),
            State::Ending(_) => self.finish(now),
            State::Waiting(Waiting { error: Some(error), .. }) => {
                let error = error.clone();
                self.out.warn(Warning::NotQueued(error.clone()));
                self.log_out(now, SessionEnd::NotQueued(error));
            }
            State::Waiting(_) if self.rematch_until.is_some() => self.after_game(now),
            State::Waiting(_) => self.ask_for_game(now),
            State::Offline | State::Agreeing | State::Closed => {}
        }
    }
}

/// Whether `START:<game_id>` is for this offer. Blanks around the id do not matter, as in the offer.
fn is_id_of(game_id: &str, summary: &GameSummary) -> bool {
    game_id.trim() == summary.game_id
}

/// The id to answer an offer with. One that was not UTF-8 cannot be repeated: the offer is answered without an id.
fn repeatable(game_id: &str) -> Option<String> {
    (!game_id.contains(char::REPLACEMENT_CHARACTER)).then(|| game_id.to_owned())
}

/// From `AGREE` to `START`. Servers reject an offer to which a player has not agreed after 120 to 300 s, some of
/// them checking only once a minute.
const START_LIMIT: Duration = Duration::from_secs(330);
/// How long `AGREE` is held for a player that prepares; servers reject the offer some time after this.
const PREPARE_LIMIT: Duration = Duration::from_secs(100);
/// An error within this time after the login means that the player is in no queue, unless an offer also follows
/// within this time.
const EARLY_ERROR_LIMIT: Duration = Duration::from_secs(10);
/// Pause before the next `%%GAME` after an offer that was rejected.
const PAUSE_AFTER_REJECT: Duration = Duration::from_secs(5);
/// Pause before the next `%%CHALLENGE` when no opponent is waiting.
const CHALLENGE_PAUSE: Duration = Duration::from_secs(10);
/// How long we wait for the answer to `LOGIN`.
const LOGIN_LIMIT: Duration = Duration::from_secs(60);
/// How long after the offer of a running game we wait for the server's state of it, which is sent in one burst.
const STATE_LIMIT: Duration = Duration::from_secs(5);
/// How long we wait for the answer to `LOGOUT`.
const LOGOUT_LIMIT: Duration = Duration::from_secs(3);
/// How long a user who wants to leave now waits for our turn and for the result.
const LEAVE_GRACE: Duration = Duration::from_secs(10);
