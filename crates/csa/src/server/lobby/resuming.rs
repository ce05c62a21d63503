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

use crate::text::Secret;
use crate::{ClientMessage, LoginMode};
use kyomi_shogi::Color;

use super::Login;
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
        login: Login<'_>,
    ) -> bool {
        let Login { password, mode, .. } = login;
        let Some(Return { number, color, is_absent, by_token }) =
            self.return_of(old, password, mode)
        else {
            return false;
        };
        let request = self.request_of(password, *mode == LoginMode::Extended);
        let account = self.clients.get_mut(&old).and_then(|client| client.account.take());
        let (Some(mut account), Some(entry)) = (account, self.games.get_mut(&number)) else {
            return false;
        };
        let was_away = entry.game.is_away(color);
        let return_by = entry.return_by.filter(|_| was_away);
        if !by_token {
            account.extended = *mode == LoginMode::Extended;
        }
        if was_away {
            account.request = request;
        }
        let (name, is_extended) = (account.name.clone(), account.extended);
        entry.players[color.index()] = id;
        entry.queued_lines[color.index()].clear();
        tracing::info!(game = entry.game.id(), name, client = id.0, "back in the game");
        let mut lines = entry.game.offer_lines(color);
        if by_token {
            lines.extend(self.go_on(now, number, color));
        }
        self.end_old_connection(old, is_absent);
        let Some(client) = self.clients.get_mut(&id) else { return true };
        client.account = Some(account);
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

    /// The game that a login returns a player to, if the login is entitled to that.
    fn return_of(&self, old: ClientId, password: &str, mode: &LoginMode) -> Option<Return> {
        let client = self.clients.get(&old)?;
        let (number, color, is_absent) = match client.state {
            ClientState::Absent(number, color) => (number, color, true),
            ClientState::InGame(number, color) | ClientState::Rejoining(number, color) => {
                (number, color, false)
            }
            _ => return None,
        };
        let game = &self.games.get(&number)?.game;
        let by_token = match mode {
            LoginMode::Reconnect { game_id, token } => {
                let known = game.token(color).map(Secret::new)?;
                if game.id() != game_id || !known.matches(token.expose()) {
                    return None;
                }
                true
            }
            LoginMode::Plain | LoginMode::Extended => false,
        };
        let is_owner = client.account.as_ref()?.password.matches(password);
        (is_owner && game.is_playing() && (is_absent || by_token)).then_some(Return {
            number,
            color,
            is_absent,
            by_token,
        })
    }

    /// Continues a game whose player has returned by token. Returns the lines with the state of the game.
    fn go_on(&mut self, now: Now, number: GameNumber, color: Color) -> Vec<String> {
        let Some(entry) = self.games.get_mut(&number) else { return Vec::new() };
        if entry.game.player_returned(color, now.instant) {
            self.actions.push(Action::Record(number, RecordEvent::ClockRuns));
        }
        self.timers.set(TimerKey::Game(number), entry.game.wake_at());
        entry.game.state_lines(now.instant)
    }

    /// Removes the client whose player has logged in again, and closes its connection if that is open.
    fn end_old_connection(&mut self, old: ClientId, is_absent: bool) {
        self.timers.set(TimerKey::Client(old), None);
        if is_absent {
            self.clients.remove(&old);
            return;
        }
        if let Some(client) = self.clients.get_mut(&old) {
            client.state = ClientState::Leaving;
        }
        self.send(old, "##[ERROR] you have logged in again elsewhere");
        self.actions.push(Action::Close(old));
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

/// A login that returns a player to its running game.
struct Return {
    number: GameNumber,
    color: Color,
    /// Whether the old connection is closed.
    is_absent: bool,
    /// Whether the login has the token of the offer, so that the game goes on without an agreement.
    by_token: bool,
}
