//! Players who lose their connection in a game and reconnect.
//!
//! The game goes on and its clock runs; the player loses when it has not come back within
//! [`resume_time`](super::super::ServerSettings::resume_time). It comes back by a login with the same name and
//! password:
//!
//! - with the token of its offer (`LOGIN <name> <password> reconnect:<Game_ID>+<token>`): the offer with all moves and
//!   the state of the game follow, and the game goes on without an agreement. The old connection may still be open,
//!   because the server has not noticed its loss; it is closed.
//! - without it, if the old connection is closed: the offer with all moves follows, and after `AGREE` the lines `START`
//!   and what has happened since.

use crate::config::Secret;
use crate::csa::{ClientMessage, LoginMode};
use crate::shogi::Color;

use super::{
    Action, ClientId, ClientState, GameNumber, Lobby, Now, RecordEvent, TimerKey, unknown,
};

impl Lobby {
    /// Keeps a player whose connection was closed in its running game. Returns whether it may come back.
    pub(super) fn await_return(&mut self, now: Now, id: ClientId) -> bool {
        let Some(client) = self.clients.get_mut(&id) else { return false };
        let (ClientState::InGame(number, color) | ClientState::Rejoining(number, color)) =
            client.state
        else {
            return false;
        };
        let Some(entry) = self.games.get_mut(&number) else { return false };
        if self.settings.resume_time.is_zero() || !entry.game.is_playing() {
            return false;
        }
        tracing::info!(game = entry.game.id(), %color, "connection lost, waiting for the player");
        entry.queued_lines[color.index()].clear();
        client.state = ClientState::Absent(number, color);
        let until = now.instant.checked_add(self.settings.resume_time);
        // The time to come back is not extended while the clock of this side is stopped, as in a restored game.
        let until = if entry.game.is_away(color) { entry.return_by } else { until };
        self.timers.set(TimerKey::Client(id), until);
        true
    }

    /// Removes a player who is absent for good.
    pub(super) fn forget_absent(&mut self, id: ClientId) {
        self.release_name(id);
        self.timers.set(TimerKey::Client(id), None);
        self.clients.remove(&id);
    }

    /// Returns a player to its game if this login, whose name is in use, is entitled to that. Returns whether it is.
    pub(super) fn take_back(
        &mut self,
        now: Now,
        id: ClientId,
        old: ClientId,
        password: &str,
        mode: &LoginMode,
    ) -> bool {
        let request = self.request_of(password, *mode == LoginMode::Extended);
        let Some(client) = self.clients.get_mut(&old) else { return false };
        let (number, color, is_absent) = match client.state {
            ClientState::Absent(number, color) => (number, color, true),
            ClientState::InGame(number, color) | ClientState::Rejoining(number, color) => {
                (number, color, false)
            }
            _ => return false,
        };
        let Some(entry) = self.games.get_mut(&number) else { return false };
        let is_owner =
            client.account.as_ref().is_some_and(|account| account.password.matches(password));
        let by_token = match mode {
            LoginMode::Reconnect { game_id, token } => {
                let known = entry.game.token(color).map(Secret::new);
                let is_known = known.is_some_and(|known| known.matches(token.expose()));
                if entry.game.id() != game_id || !is_known {
                    return false;
                }
                true
            }
            LoginMode::Plain | LoginMode::Extended => false,
        };
        if !is_owner || !entry.game.is_playing() || !(is_absent || by_token) {
            return false;
        }
        let was_away = entry.game.is_away(color);
        let return_by = entry.return_by.filter(|_| was_away);
        entry.players[color.index()] = id;
        entry.queued_lines[color.index()].clear();
        let mut lines = entry.game.offer_lines(color);
        if by_token {
            if entry.game.player_returned(color, now.instant) {
                self.actions.push(Action::Record(number, RecordEvent::ClockRuns));
            }
            self.timers.set(TimerKey::Game(number), entry.game.wake_at());
            lines.extend(entry.game.state_lines(now.instant));
        }
        let mut account = client.account.take();
        if let Some(account) = &mut account
            && !by_token
        {
            account.extended = *mode == LoginMode::Extended;
        }
        let is_extended = account.as_ref().is_some_and(|account| account.extended);
        if let Some(account) = &mut account
            && was_away
        {
            account.request = request;
        }
        let name = account.as_ref().map(|account| account.name.clone()).unwrap_or_default();
        tracing::info!(game = entry.game.id(), name, client = id.0, "back in the game");
        self.timers.set(TimerKey::Client(old), None);
        if is_absent {
            self.clients.remove(&old);
        } else {
            client.state = ClientState::Leaving;
            let text = "##[ERROR] you have logged in again elsewhere".to_owned();
            self.actions.push(Action::Send(old, text));
            self.actions.push(Action::Close(old));
        }
        let Some(client) = self.clients.get_mut(&id) else { return true };
        client.account = account;
        client.state = if by_token {
            ClientState::InGame(number, color)
        } else {
            ClientState::Rejoining(number, color)
        };
        let until = now.instant.checked_add(self.settings.limits.agree_time);
        let until = until.into_iter().chain(return_by).min();
        self.timers.set(TimerKey::Client(id), until.filter(|_| !by_token));
        self.names.insert(name.clone(), id);
        self.send(id, &format!("LOGIN:{name} OK"));
        if is_extended {
            self.send(id, "##[LOGIN] +OK x1");
        }
        for line in lines {
            self.send(id, &line);
        }
        true
    }

    /// Handles a line of a player who was offered its running game again.
    pub(super) fn answer_resumed_offer(
        &mut self,
        now: Now,
        id: ClientId,
        line: &str,
        number: GameNumber,
        color: Color,
    ) {
        if !self.charge(now, id) {
            return;
        }
        let Some(entry) = self.games.get_mut(&number) else { return };
        let is_offered = |game_id: &Option<String>| {
            game_id.as_deref().is_none_or(|game_id| game_id == entry.game.id())
        };
        match ClientMessage::parse(line) {
            ClientMessage::Agree { game_id } if is_offered(&game_id) => {
                let start = format!("START:{}", entry.game.id());
                let held = std::mem::take(&mut entry.queued_lines[color.index()]);
                if let Some(client) = self.clients.get_mut(&id) {
                    client.state = ClientState::InGame(number, color);
                }
                self.timers.set(TimerKey::Client(id), None);
                self.player_returned(now, number, color);
                self.send(id, &start);
                for line in held {
                    self.send(id, &line);
                }
            }
            ClientMessage::Reject { game_id } if is_offered(&game_id) => {
                self.disconnect(now, id, None);
            }
            ClientMessage::Agree { .. } | ClientMessage::Reject { .. } => {
                self.send(id, "##[ERROR] that game is not offered");
            }
            ClientMessage::Logout => {
                self.send(id, "##[ERROR] LOGOUT is not possible during a game");
            }
            // A move before START is dropped, as in an offer of a new game.
            ClientMessage::Move { .. } | ClientMessage::Special(_) => {}
            _ => self.send(id, &format!("##[ERROR] {}", unknown(line))),
        }
    }

    /// Sends a line of a game to one side. It is queued while that side has not agreed to continue.
    pub(super) fn send_in_game(&mut self, number: GameNumber, color: Color, line: String) {
        let Some(entry) = self.games.get_mut(&number) else { return };
        let player = entry.players[color.index()];
        match self.clients.get(&player).map(|client| client.state) {
            Some(ClientState::Rejoining(..)) => entry.queued_lines[color.index()].push(line),
            // The offer has all moves when the player comes back.
            Some(ClientState::Absent(..)) => {}
            _ => self.actions.push(Action::Send(player, line)),
        }
    }

    /// Sends the queued lines of a game that is over to a player who has not agreed to continue.
    pub(super) fn send_queued_lines(&mut self, number: GameNumber) {
        let Some(entry) = self.games.get_mut(&number) else { return };
        for color in Color::ALL {
            let player = entry.players[color.index()];
            let held = std::mem::take(&mut entry.queued_lines[color.index()]);
            self.actions.extend(held.into_iter().map(|line| Action::Send(player, line)));
        }
    }
}
