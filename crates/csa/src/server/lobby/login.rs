//! Login and logout.

use std::time::Duration;

use crate::LoginMode;

use super::{Account, ClientId, GameRequest, Lobby, Login, Now, PasswordDigest};

impl Lobby {
    pub(super) fn log_in(&mut self, now: Now, id: ClientId, login: Login<'_>) {
        let Login { name, password, mode } = login;
        if !is_name(name) {
            return self.refuse_login(id, "a name is 1 to 32 of A-Z a-z 0-9 _ @ . -");
        }
        let known = self.names.get(name).copied();
        if known.is_some_and(|old| self.take_back(now, id, old, login)) {
            return;
        }
        if self.send_end(now, id, login) {
            return;
        }
        if matches!(mode, LoginMode::Reconnect { .. }) {
            return self.send(id, "LOGIN:incorrect reconnect_rejected");
        }
        // A running game is played to its end, and its players may come back.
        if self.finishing {
            self.send(id, "LOGIN:incorrect");
            return self.disconnect(now, id, Some("the server is shutting down"));
        }
        let extended = *mode == LoginMode::Extended;
        if let Some(why) = self.event_refuses(name, password, extended) {
            return self.refuse_login(id, why);
        }
        // In extended mode the password names no game.
        let request = if extended || self.arbiter.is_some() {
            self.default_request.clone()
        } else {
            match GameRequest::parse(password, &self.default_request, &self.settings.rules) {
                Ok(request) => request,
                Err(fault) => return self.refuse_login(id, &fault.to_string()),
            }
        };
        if let Some(&other) = self.names.get(name) {
            if !self.may_replace(other, password, now) {
                return self.refuse_login(id, "the name is in use");
            }
            self.disconnect(now, other, Some("you have logged in again elsewhere"));
        }
        let Some(client) = self.clients.get_mut(&id) else { return };
        client.account = Some(Account {
            name: name.to_owned(),
            password: PasswordDigest::of(password),
            request,
            extended,
            color_balance: 0,
            last_opponent: None,
        });
        self.names.insert(name.to_owned(), id);
        tracing::info!(client = id.0, name, "logged in");
        self.send(id, &format!("LOGIN:{name} OK"));
        if extended {
            self.send(id, "##[LOGIN] +OK x1");
            self.set_idle(now, id);
        } else {
            self.wait_for_game(now, id);
        }
    }

    fn may_replace(&self, old: ClientId, password: &str, now: Now) -> bool {
        self.clients.get(&old).is_none_or(|old| {
            !old.state.is_in_game()
                && now.instant.saturating_duration_since(old.last_line_at) >= SILENT
                && old.account.as_ref().is_some_and(|account| account.password.matches(password))
        })
    }

    pub(super) fn refuse_login(&mut self, id: ClientId, why: &str) {
        self.send(id, "LOGIN:incorrect");
        self.send(id, &format!("##[ERROR] {why}"));
    }

    /// `LOGOUT` outside a running game.
    pub(super) fn log_out(&mut self, now: Now, id: ClientId) {
        self.leave_game_or_pool(now, id);
        self.send(id, "LOGOUT:completed");
        self.disconnect(now, id, None);
    }
}

/// Whether a name is valid: `[A-Za-z0-9_@.-]{1,32}`.
fn is_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_@.-".contains(&b))
}

/// A session that has sent nothing for this long may be replaced by one with the same password. Clients send an
/// empty line about every 40 s.
const SILENT: Duration = Duration::from_secs(90);
