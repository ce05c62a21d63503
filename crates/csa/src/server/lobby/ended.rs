//! The ends of games for players whose connection was lost just before.
//!
//! The server cannot know whether a player has received the last lines of a game. It keeps them for
//! [`resume_time`](super::super::ServerSettings::resume_time). A login with the token of the game receives the offer
//! with all moves and these lines, and is then logged in as after any game.

use crate::LoginMode;
use crate::text::Secret;
use kyomi_shogi::Color;

use super::super::hosted_game::Effect;
use super::super::rules::AfterGame;
use super::Login;
use super::pairing::After;
use super::{ClientId, ClientState, EndedGame, GameNumber, Lobby, Now, TimerKey};

impl Lobby {
    /// Keeps the end of a game for both players, if these effects end it. Call it before the game is removed.
    pub(super) fn keep_end(&mut self, now: Now, id: GameNumber, effects: &[Effect]) {
        let is_over = effects.iter().any(|effect| matches!(effect, Effect::Over { .. }));
        let until = now.instant.checked_add(self.settings.resume_time);
        let Some(until) = until.filter(|until| is_over && *until > now.instant) else { return };
        self.ended.retain(|ended| ended.until > now.instant);
        let Some(entry) = self.games.get(&id) else { return };
        for color in Color::ALL {
            let player = entry.players[color.index()];
            let account = self.clients.get(&player).and_then(|client| client.account.clone());
            let (Some(account), Some(token)) = (account, entry.game.token(color)) else { continue };
            let mut lines = entry.game.offer_lines(color);
            lines.extend(effects.iter().filter_map(|effect| match effect {
                // The offer has the last move already.
                Effect::Send(to, line) if *to == color && line.starts_with(['%', '#']) => {
                    Some(line.clone())
                }
                _ => None,
            }));
            let (game_id, token) = (entry.game.id().to_owned(), Secret::new(token));
            self.ended.push(EndedGame { game_id, token, account, lines, until });
        }
    }

    /// Sends the end of a game to a player who asks for the game by its token. Returns whether this login is entitled
    /// to it.
    pub(super) fn send_end(&mut self, now: Now, id: ClientId, login: Login<'_>) -> bool {
        let Login { name, password, mode } = login;
        let LoginMode::Reconnect { game_id, token } = mode else { return false };
        let found = self.ended.iter().find(|ended| {
            ended.until > now.instant
                && ended.game_id == *game_id
                && ended.account.name == name
                && ended.account.password.matches(password)
                && ended.token.matches(token.expose())
        });
        let Some(EndedGame { account, lines, .. }) = found else { return false };
        let (account, lines) = (account.clone(), lines.clone());
        if let Some(&other) = self.names.get(name) {
            let state = self.clients.get(&other).map(|client| client.state);
            let plays = match state {
                Some(ClientState::InGame(number, _) | ClientState::Rejoining(number, _)) => {
                    self.games.get(&number).is_some_and(|entry| entry.game.is_playing())
                }
                Some(ClientState::Absent(..)) => true,
                _ => false,
            };
            if plays {
                return false;
            }
            self.disconnect(now, other, Some("you have logged in again elsewhere"));
        }
        let Some(client) = self.clients.get_mut(&id) else { return false };
        tracing::info!(game = game_id, name, client = id.0, "back after the end of the game");
        let is_extended = account.extended;
        client.account = Some(account);
        client.state = ClientState::Resting;
        self.timers.set(TimerKey::Client(id), None);
        self.names.insert(name.to_owned(), id);
        self.send(id, &format!("LOGIN:{name} OK"));
        if is_extended {
            self.send(id, "##[LOGIN] +OK x1");
        }
        for line in lines {
            self.send(id, &line);
        }
        let after = match self.settings.after_game {
            AfterGame::Stay => After::Rest(super::REST),
            AfterGame::Close => After::Leave,
        };
        self.release_player(now, id, after);
        true
    }
}
