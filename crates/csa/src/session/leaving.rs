//! Between games and at the end: what follows a game, logout, the user's wish to stop, loss of the connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::message::ClientMessage;
use super::super::profile::AfterGame;
use super::state::{Closing, GamePhase, Lobby, State, Waiting};
use super::{Cause, Session, SessionEnd, When};

impl Session {
    /// After a game: keeps the connection, or leaves in the way that the server expects.
    pub(super) fn after_game(&mut self, now: Instant) {
        // After a draw the server may offer the game again at once, which belongs to the last one.
        if self.rematch_until.is_some_and(|until| now < until) && self.quit.is_none() {
            self.state = Lobby::Waiting(Waiting::default()).into();
            return;
        }
        self.rematch_until = None;
        let stays = self.behaviour.after_game == AfterGame::Stay || self.settings.extended;
        let end = self.end_after_game();
        if stays && end == SessionEnd::NextGame {
            self.state = Lobby::Waiting(Waiting::default()).into();
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

    /// Sends `LOGOUT` and waits for the answer.
    pub(super) fn log_out(&mut self, now: Instant, end: SessionEnd) {
        self.adjourn();
        self.state = State::Closing(Closing::LoggingOut { since: now, end });
        self.out.send(now, ClientMessage::Logout);
    }

    /// Handles the user's request to stop.
    pub(super) fn quit(&mut self, now: Instant, when: When) {
        self.quit = self.quit.max(Some(when));
        match (&self.state, when) {
            // The game that is running must be finished first.
            (
                State::Lobby(Lobby::Offline | Lobby::LoggingIn { .. } | Lobby::Waiting(_)),
                When::AfterGame,
            ) if self.unfinished.is_some() => {}
            (State::Lobby(Lobby::Offline | Lobby::LoggingIn { .. }), _)
            | (
                State::Lobby(Lobby::Agreeing | Lobby::Starting { .. })
                | State::Closing(Closing::LoggingOut { .. }),
                When::Now,
            ) => self.close(SessionEnd::Done),
            (State::Lobby(Lobby::Waiting(_)) | State::Game(GamePhase::Suspended(_)), _) => {
                self.log_out(now, SessionEnd::Done);
            }
            // An offer that the opponent agrees to in time is still played.
            (State::Lobby(Lobby::Starting { .. }), When::AfterGame) => {
                self.leave_by = self.leave_by.or(Some(now + LEAVE_GRACE));
            }
            (State::Lobby(Lobby::Resuming { .. }) | State::Game(_), When::Now) => {
                self.leave_by = self.leave_by.or(Some(now + LEAVE_GRACE));
                self.resign_if_asked(now);
            }
            (
                State::Lobby(Lobby::Agreeing | Lobby::Resuming { .. })
                | State::Game(_)
                | State::Closing(Closing::LoggingOut { .. }),
                When::AfterGame,
            )
            | (State::Closing(Closing::Closed), _) => {}
        }
    }

    /// When to leave a game that begins now or goes on. It is played to its end, unless the user wants to leave now.
    pub(super) fn leave_game_by(&self, now: Instant) -> Option<Instant> {
        (self.quit == Some(When::Now)).then(|| now + LEAVE_GRACE)
    }

    /// Handles the loss of the connection.
    pub(super) fn lost(&mut self, now: Instant, cause: Cause) {
        self.reader = None;
        match &self.state {
            State::Lobby(Lobby::Starting { summary, .. } | Lobby::Resuming { summary, .. }) => {
                let summary = Arc::clone(summary);
                self.keep_agreed(summary, &cause);
                self.close(SessionEnd::Lost(cause));
            }
            State::Lobby(Lobby::Offline | Lobby::LoggingIn { .. } | Lobby::Agreeing) => {
                self.close(SessionEnd::Lost(cause));
            }
            // A server that closes the connection after a game or a rejected offer expects a new login.
            State::Lobby(Lobby::Waiting(Waiting { logged_in_at: None, .. })) => {
                let end = self.end_after_game();
                self.close(end);
            }
            State::Lobby(Lobby::Waiting(Waiting { error: Some(error), .. })) => {
                let end = SessionEnd::NotQueued(error.clone());
                self.close(end);
            }
            State::Lobby(Lobby::Waiting(_)) => self.close(SessionEnd::Lost(cause)),
            State::Game(GamePhase::Playing(_)) => self.connection_lost(now, cause),
            State::Game(GamePhase::Ending(_)) => {
                self.report_end();
                let end = self.end_after_game();
                self.close(end);
            }
            State::Game(GamePhase::Suspended(_)) => {
                self.adjourn();
                let end = self.end_after_game();
                self.close(end);
            }
            State::Closing(Closing::LoggingOut { end, .. }) => {
                let end = end.clone();
                self.close(end);
            }
            State::Closing(Closing::Closed) => {}
        }
    }
}

/// How long a user who wants to leave now waits for our turn and for the result.
const LEAVE_GRACE: Duration = Duration::from_secs(10);
