//! Before a game: login, the lines around an offer, errors, and asking for a game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::event::{GameEvent, Warning};
use super::super::extended::ExtendedCommand;
use super::super::message::{ClientMessage, LoginMode, ServerMessage};
use super::super::profile::EarlyError;
use super::super::reconnect::ReconnectState;
use super::super::summary::GameSummary;
use super::state::{Closing, GamePhase, Lobby, State, Waiting};
use super::{RequestCommand, Session, SessionEnd, clip};

impl Session {
    /// Logs in over a new connection.
    pub(super) fn connected(&mut self, now: Instant) {
        match self.state {
            State::Lobby(Lobby::Offline) => {
                self.state = Lobby::LoggingIn { since: now }.into();
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
            State::Closing(Closing::Closed) => {}
            State::Lobby(_) | State::Game(_) | State::Closing(_) => self.unexpected("connected"),
        }
    }

    /// Handles `LOGIN:`, `LOGOUT:`, `START:` and `REJECT:`.
    pub(super) fn lobby_line(&mut self, now: Instant, message: ServerMessage) {
        match (&self.state, message) {
            (State::Lobby(Lobby::LoggingIn { since }), ServerMessage::LoginOk { name }) => {
                self.network.observe_login(now.saturating_duration_since(*since));
                let name = clip(&name);
                let waiting = Waiting { logged_in_at: Some(now), ..Waiting::default() };
                self.state = Lobby::Waiting(waiting).into();
                self.out.show(GameEvent::LoggedIn { name });
                self.ask_for_game(now);
                if self.settings.practice_opponent && self.unfinished.is_none() {
                    self.out.send(now, ClientMessage::Other("CHALLENGE".to_owned()));
                }
            }
            (State::Lobby(Lobby::LoggingIn { .. }), ServerMessage::LoginIncorrect { reason }) => {
                let reason = reason.map(|reason| clip(&reason));
                self.out.show(GameEvent::LoginRefused { reason: reason.clone() });
                self.close(SessionEnd::LoginRefused(reason));
            }
            (
                State::Lobby(Lobby::Starting { summary, held, .. }),
                ServerMessage::Start { game_id },
            ) => {
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
            (State::Lobby(Lobby::Resuming { summary, .. }), ServerMessage::Start { game_id })
                if is_id_of(&game_id, summary) =>
            {
                self.resume_running(now, &ReconnectState::default());
            }
            (
                State::Lobby(Lobby::Starting { summary, .. }),
                ServerMessage::Reject { game_id, by },
            ) if game_id.is_empty() || is_id_of(&game_id, summary) => {
                self.wait_again(now);
                self.out
                    .show(GameEvent::RejectedByServer { game_id: clip(&game_id), by: clip(&by) });
                if self.quit.is_some() {
                    self.log_out(now, SessionEnd::Done);
                }
            }
            // The echo of our own REJECT; it may arrive after the next offer.
            (
                State::Lobby(Lobby::Waiting(_) | Lobby::Starting { .. })
                | State::Game(GamePhase::Suspended(_)),
                ServerMessage::Reject { game_id, by },
            ) => {
                self.out
                    .show(GameEvent::RejectedByServer { game_id: clip(&game_id), by: clip(&by) });
            }
            (State::Closing(Closing::LoggingOut { end, .. }), ServerMessage::LogoutCompleted) => {
                let end = end.clone();
                self.close(end);
            }
            (State::Closing(_), _) => {}
            (State::Lobby(_) | State::Game(_), message) => self.unexpected(&message.to_line()),
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
        if let State::Lobby(Lobby::Waiting(waiting)) = &mut self.state
            && self.settings.request_command == RequestCommand::Challenge
            && text.contains("rival")
        {
            waiting.ask_at = Some(now + CHALLENGE_PAUSE);
            return self.out.show(GameEvent::Notice(format!("[ERROR] {text}")));
        }
        if let State::Lobby(Lobby::Waiting(Waiting { logged_in_at: Some(since), error, .. })) =
            &mut self.state
            && means_no_game
            && *since + EARLY_ERROR_LIMIT >= now
        {
            error.get_or_insert_with(|| text.clone());
        }
        self.out.warn(Warning::ServerError(text));
    }

    /// Waits for another offer after one that came to nothing. In extended mode the game is asked for again after a
    /// pause, since the same offer might follow at once.
    pub(super) fn wait_again(&mut self, now: Instant) {
        let ask_at = self.settings.extended.then(|| now + PAUSE_AFTER_REJECT);
        self.wait(Waiting { ask_at, ..Waiting::default() });
    }

    /// Asks for a game in extended mode, unless an unfinished one may still be offered again.
    pub(super) fn ask_for_game(&mut self, now: Instant) {
        let State::Lobby(Lobby::Waiting(waiting)) = &mut self.state else { return };
        waiting.ask_at = None;
        let Some(selection) = self.settings.game.as_ref().filter(|_| self.settings.extended) else {
            return;
        };
        if self.unfinished.is_some() || self.agreed.is_some() || self.quit.is_some() {
            return;
        }
        (waiting.logged_in_at, waiting.error) = (Some(now), None);
        let command = match self.settings.request_command {
            RequestCommand::Game => ExtendedCommand::Game(Some(selection.clone())),
            RequestCommand::Challenge => ExtendedCommand::Challenge(selection.clone()),
        };
        self.out.send(now, ClientMessage::Extended(command));
    }
}

/// Whether `START:<game_id>` is for this offer. Blanks around the id do not matter, as in the offer.
fn is_id_of(game_id: &str, summary: &GameSummary) -> bool {
    game_id.trim() == summary.game_id
}

/// Pause before the next `%%GAME` after an offer that was rejected.
const PAUSE_AFTER_REJECT: Duration = Duration::from_secs(5);
/// Pause before the next `%%CHALLENGE` when no opponent is waiting.
const CHALLENGE_PAUSE: Duration = Duration::from_secs(10);
/// An error within this time after the login means that the player is in no queue, unless an offer also follows
/// within this time.
pub(super) const EARLY_ERROR_LIMIT: Duration = Duration::from_secs(10);
