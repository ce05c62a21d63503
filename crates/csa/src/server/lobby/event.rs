//! A server that runs an event: only the event's arbiter decides which games the players play.
//!
//! A player is ready when it has logged in in plain mode, or in extended mode with or without `%%GAME`. Others may log
//! in in extended mode, to watch.

use jiff::Timestamp;

use crate::league::{Arbiter, BoardGame, GameResult, Presence, Start};
use kyomi_shogi::{Color, GameEnd, Winner};

use super::super::gamename::default_name;
use super::{ClientState, GameNumber, GameRequest, Lobby, Now, Rejected, TimerKey};

impl Lobby {
    /// Runs this event. Call it before the first input.
    pub fn set_event(&mut self, arbiter: Arbiter) {
        self.arbiter = Some(Box::new(arbiter));
    }

    /// Why a login is refused while an event runs; `None` if it is not.
    pub(super) fn event_refuses(
        &self,
        name: &str,
        password: &str,
        extended: bool,
    ) -> Option<&'static str> {
        let event = self.arbiter.as_ref()?.event();
        let Some(player) = event.players.iter().find(|player| player.name == name) else {
            return (!extended).then_some("only the players of the event; x1 lets others watch");
        };
        let known = player.password.as_ref()?;
        // The password may be preceded by a game name.
        let trip = password.split_once(',').map_or(password, |(_, trip)| trip);
        let is_right = known.matches(password) | known.matches(trip);
        (!is_right).then_some("the password is wrong")
    }

    /// Starts the games that are to begin now.
    pub(super) fn run_event(&mut self, now: Now) {
        let Some(mut arbiter) = self.arbiter.take() else { return };
        if !self.finishing {
            let (starts, changed) = arbiter.next(now.wall, |name| self.presence(name));
            if changed {
                self.event_changed(&arbiter);
            }
            for start in starts {
                self.start_event_game(now, &mut arbiter, start);
            }
            let wake = arbiter.wake_at(now.wall).map(|at| now.instant + until(now.wall, at));
            self.timers.set(TimerKey::Event, wake);
        }
        let is_over = arbiter.is_over();
        self.arbiter = Some(arbiter);
        if is_over && !self.finishing {
            self.timers.set(TimerKey::Event, None);
            self.finish_because(now, "the event is over");
        }
    }

    fn event_changed(&mut self, arbiter: &Arbiter) {
        self.actions.push(super::Action::EventChanged(Box::new(arbiter.state().clone())));
    }

    fn presence(&self, name: &str) -> Presence {
        let client = self.names.get(name).and_then(|id| self.clients.get(id));
        match client.map(|client| client.state) {
            Some(ClientState::Idle | ClientState::Waiting) => Presence::Ready,
            Some(
                ClientState::Resting
                | ClientState::InGame(..)
                | ClientState::Absent(..)
                | ClientState::Rejoining(..),
            ) => Presence::Busy,
            Some(ClientState::Greeting | ClientState::Removed | ClientState::Leaving) | None => {
                Presence::Absent
            }
        }
    }

    fn start_event_game(&mut self, now: Now, arbiter: &mut Arbiter, start: Start) {
        let Start { game, names } = start;
        let [black, white] = [&names[0], &names[1]].map(|name| self.names.get(name).copied());
        let (Some(black), Some(white)) = (black, white) else {
            return arbiter.game_aborted(game, [false; 2], now.wall);
        };
        let event = arbiter.event();
        let opening = event.opening(game.round);
        let mut rules = self.settings.rules;
        rules.max_moves = event.max_moves.unwrap_or(rules.max_moves);
        rules.rematch_on_draw = false;
        let mut request = GameRequest::default_pool([event.time; 2], &rules, opening.start.clone());
        // As with every game, the name contains the clock.
        let round = format!("{}_r{}", event.name, game.round + 1);
        request.game_name = default_name(event.time).replacen("default", &round, 1);
        let setup = opening.moves.clone();
        let number = self.offer(now, [black, white], &names, (&request, setup), rules);
        if let Some(entry) = self.games.get_mut(&number) {
            entry.board = Some(game);
        }
    }

    /// Passes the result of a game to the arbiter.
    pub(super) fn event_game_over(&mut self, now: Now, number: GameNumber, end: &GameEnd) {
        let Some((board, game_id)) = self.board_of(number) else { return };
        let Some(mut arbiter) = self.arbiter.take() else { return };
        let result = match end.winner {
            Some(Winner::Side(Color::Black)) => Some(GameResult::Black),
            Some(Winner::Side(Color::White)) => Some(GameResult::White),
            Some(Winner::Draw) => Some(GameResult::Draw),
            None => None,
        };
        match result {
            Some(result) => {
                let reason = end.reason.to_string();
                arbiter.game_over(board, result, &reason, &game_id, now.wall);
                self.event_changed(&arbiter);
            }
            // An adjourned game is played again.
            None => arbiter.game_aborted(board, [false; 2], now.wall),
        }
        self.arbiter = Some(arbiter);
    }

    /// Tells the arbiter that an offer was rejected.
    pub(super) fn event_game_rejected(&mut self, now: Now, number: GameNumber, why: Rejected) {
        let Some((board, _)) = self.board_of(number) else { return };
        let Some(mut arbiter) = self.arbiter.take() else { return };
        let rejected = match why {
            // Otherwise a client that crashes on each offer would block the event for ever.
            Rejected::By(color) | Rejected::Left(color) => Color::ALL.map(|it| it == color),
            Rejected::TimedOut(agreed) => agreed.map(|agreed| !agreed),
            Rejected::ByServer => [false; 2],
        };
        let before = arbiter.state().clone();
        arbiter.game_aborted(board, rejected, now.wall);
        if *arbiter.state() != before {
            self.event_changed(&arbiter);
        }
        self.arbiter = Some(arbiter);
    }

    fn board_of(&self, number: GameNumber) -> Option<(BoardGame, String)> {
        let entry = self.games.get(&number)?;
        Some((entry.board?, entry.game.id().to_owned()))
    }
}

/// The time from `now` until `at` by the wall clock, and a millisecond more: a timer that fires too early would only be
/// set again.
fn until(now: Timestamp, at: Timestamp) -> std::time::Duration {
    let left = at.duration_since(now).max(jiff::SignedDuration::ZERO);
    left.unsigned_abs() + std::time::Duration::from_millis(1)
}
