//! A game that the server suspends: `#CHUDAN`.
//!
//! Organisers continue such a game by an offer with its moves. Until then the session waits over the same connection,
//! as between games. It does not where no such offer can come: in extended mode, with servers that never resume a game,
//! and when no further game is wanted.

use std::time::Instant;

use kyomi_shogi::EndReason;

use super::super::event::{GameEvent, Standstill};
use super::super::profile::LostConnection;
use super::ending::end_reason;
use super::state::{Closing, Ending, GamePhase, Lobby, State, Waiting};
use super::{Session, UnfinishedGame};

impl Session {
    /// Suspends the game whose end is being reported, if that is adjourned and may be resumed. Returns whether it does.
    pub(super) fn suspend(&mut self, now: Instant) -> bool {
        let Some(ending) = self.take_ending() else { return false };
        if !self.may_be_resumed(&ending) {
            self.state = ending.into();
            return false;
        }
        let game = UnfinishedGame::new(ending.running, Standstill::Suspended, now);
        self.state = State::Game(GamePhase::Suspended(Box::new(game)));
        self.out.show(GameEvent::Suspended);
        true
    }

    fn may_be_resumed(&self, ending: &Ending) -> bool {
        let Ending { running, reason, result, .. } = ending;
        let games = self.settings.games;
        end_reason(running, reason.clone(), *result) == EndReason::Adjourned
            && !running.out_of_sync
            && self.behaviour.lost_connection == LostConnection::MayResume
            && !self.settings.extended
            && self.quit.is_none()
            && (games == 0 || self.games_ended.saturating_add(1) < games)
    }

    /// Holds the suspended game while an offer is read, which is for that game or ends it.
    pub(super) fn hold_suspended(&mut self) {
        self.unfinished = self.take_suspended().map(Box::new).or_else(|| self.unfinished.take());
    }

    /// Waits for another offer after one that came to nothing; a game that was suspended is so again.
    pub(super) fn wait(&mut self, waiting: Waiting) {
        let suspended = self.unfinished.take_if(|game| game.is_suspended());
        self.state = match suspended {
            Some(game) => State::Game(GamePhase::Suspended(game)),
            None => Lobby::Waiting(waiting).into(),
        };
    }

    /// Ends a suspended game as adjourned, if there is one.
    pub(super) fn adjourn(&mut self) {
        self.hold_suspended();
        if self.unfinished.as_ref().is_some_and(|game| game.is_suspended()) {
            self.end_unfinished();
        }
    }

    /// Takes the suspended game out of the state, which must be set then.
    fn take_suspended(&mut self) -> Option<UnfinishedGame> {
        match std::mem::replace(&mut self.state, State::Closing(Closing::Closed)) {
            State::Game(GamePhase::Suspended(game)) => {
                self.state = Lobby::Waiting(Waiting::default()).into();
                Some(*game)
            }
            other => {
                self.state = other;
                None
            }
        }
    }
}
