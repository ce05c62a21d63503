//! Offers: read, agreed to or turned down.

use std::sync::Arc;
use std::time::Instant;

use super::super::event::{GameEvent, Warning};
use super::super::message::ClientMessage;
use super::super::summary::{GameSummary, ReadOptions, SummaryError, SummaryReader};
use super::state::{Closing, GamePhase, Lobby, State};
use super::{Session, SessionEnd, clip};

impl Session {
    /// Handles `BEGIN Game_Summary`.
    pub(super) fn begin_summary(&mut self, now: Instant) {
        if self.reader.is_some() {
            self.offer_read(now, Err(SummaryError::Unfinished));
        }
        // Missing lines about the last game are no longer expected.
        if matches!(self.state, State::Game(GamePhase::Ending(_))) {
            self.finish(now);
        }
        match self.state {
            State::Lobby(Lobby::Waiting(_)) => self.state = Lobby::Agreeing.into(),
            State::Game(GamePhase::Suspended(_)) => {
                self.hold_suspended();
                self.state = Lobby::Agreeing.into();
            }
            State::Closing(Closing::Closed) => return,
            State::Lobby(_) | State::Game(_) | State::Closing(_) => {}
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
            State::Lobby(Lobby::Agreeing | Lobby::Starting { .. }) => {}
            // It crossed our LOGOUT. Without an answer its opponent would wait.
            State::Closing(Closing::LoggingOut { .. }) => {
                return self.out.send(now, ClientMessage::Reject { game_id });
            }
            State::Lobby(_) | State::Game(_) | State::Closing(Closing::Closed) => {
                return self.unexpected("an offer");
            }
        }
        let runs_already = self
            .reconnecting
            .take()
            .is_some_and(|id| result.as_ref().is_ok_and(|summary| summary.game_id == id));
        self.agreed = None;
        if let Ok(summary) = &result {
            self.end_unfinished_if_other_game(summary);
        }
        let wanted = self.quit.is_none() && self.end_after_game() == SessionEnd::NextGame;
        let is_running = self.unfinished.as_ref().is_some_and(|game| !game.is_suspended());
        match result {
            Ok(summary) if wanted || runs_already || is_running => {
                let summary = Arc::new(summary);
                // The player already has the game that it is thinking about.
                let is_new = self.unfinished.is_none();
                if is_new {
                    self.out.show(GameEvent::Offered(Arc::clone(&summary)));
                }
                if runs_already {
                    self.state = Lobby::Resuming { summary, since: now }.into();
                    return;
                }
                let held = Some(ClientMessage::Agree { game_id });
                self.state = Lobby::Starting { summary, since: now, held }.into();
                for warning in reader.iter().flat_map(SummaryReader::warnings) {
                    self.out.warn(Warning::OddOffer(warning.clone()));
                }
                if !(is_new && self.settings.agree_when_prepared) {
                    self.agree(now);
                }
            }
            Ok(_) => {
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
        if let State::Lobby(Lobby::Starting { since, held, .. }) = &mut self.state
            && self.reader.is_none()
            && let Some(agree) = held.take()
        {
            *since = now;
            self.out.send(now, agree);
        }
    }
}

/// The id to answer an offer with. One that was not UTF-8 cannot be repeated: the offer is answered without an id.
pub(super) fn repeatable(game_id: &str) -> Option<String> {
    (!game_id.contains(char::REPLACEMENT_CHARACTER)).then(|| game_id.to_owned())
}
