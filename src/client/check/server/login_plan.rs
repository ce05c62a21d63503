//! The login of the check: one that requests no game where the server allows it.

use std::time::Duration;

use crate::{
    client::login::{game_or_password, profile},
    config::{ServerConfig, ServerMode},
};
use kyomi_csa::text::Secret;
use kyomi_csa::{GameName, LoginMode, Profile};
use kyomi_shogi::clock::GameTime;

/// How the check logs in.
pub(super) struct LoginPlan {
    pub(super) profile: Profile,
    pub(super) mode: LoginMode,
    pub(super) password: Secret,
    /// What the login of `kyomi play` requests, as text.
    pub(super) pool: String,
}

impl LoginPlan {
    pub(super) fn of(server: &ServerConfig) -> Self {
        let whole = server.login_password();
        let profile = profile(server);
        let (head, trip) = match whole.expose().split_once(',') {
            Some((head, trip)) => (head, Some(trip)),
            None => (whole.expose(), None),
        };
        let name =
            GameName::parse(head).or_else(|| server.game.as_deref().and_then(GameName::parse));
        // In extended mode the password is the trip alone.
        let has_trip = trip.is_some_and(|trip| !trip.is_empty())
            || server.mode == ServerMode::Extended && !whole.expose().is_empty();
        let pool = pool_text(name.as_ref(), has_trip);
        // On these servers a plain login waits for an opponent, an extended one waits for commands.
        let quiet = matches!(profile, Profile::Reference | Profile::Floodgate | Profile::Denryu);
        let extended = quiet || server.mode == ServerMode::Extended;
        let password = match (quiet, name, trip) {
            (true, Some(_), Some(trip)) if server.mode == ServerMode::Plain && !trip.is_empty() => {
                Secret::new(trip)
            }
            _ => whole.clone(),
        };
        let mode = if extended { LoginMode::Extended } else { LoginMode::Plain };
        Self { profile, mode, password, pool }
    }

    /// Whether the login is extended although the configured one is plain.
    pub(super) fn is_extended_by_us(&self, server: &ServerConfig) -> bool {
        self.mode == LoginMode::Extended && server.mode == ServerMode::Plain
    }

    /// The plain login of `kyomi play`.
    pub(super) fn into_configured(self, server: &ServerConfig) -> Self {
        Self { mode: LoginMode::Plain, password: server.login_password(), ..self }
    }

    pub(super) fn profile_text(&self, server: &ServerConfig) -> String {
        let why = if server.profile == Profile::Auto {
            Profile::reason_of_detection(&server.host, game_or_password(server))
        } else {
            "as configured"
        };
        format!("profile {} ({why})", self.profile)
    }
}

/// What a password requests, as text. It never contains the trip.
fn pool_text(name: Option<&GameName<'_>>, has_trip: bool) -> String {
    let Some(name) = name else {
        return "a password without a game name".to_owned();
    };
    let clock = match name.time() {
        None => "an impossible clock".to_owned(),
        Some(time) => clock_text(time),
    };
    let trip = if has_trip { "with a trip" } else { "without a trip" };
    format!("pool {} ({clock}), {trip}", name.name)
}

pub(in crate::client::check) fn clock_text(time: GameTime) -> String {
    let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
    let increment = match time.increment {
        Duration::ZERO => String::new(),
        increment => format!(" and {} more for each move", seconds(increment)),
    };
    let byoyomi = match time.byoyomi {
        Duration::ZERO => String::new(),
        byoyomi => format!(", then {} for each move", seconds(byoyomi)),
    };
    format!("{}{increment}{byoyomi}", seconds(time.total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn plan(server: &str) -> LoginPlan {
        let text = format!("[server]\n{server}");
        LoginPlan::of(&Config::from_text("test", &text, [], &[]).unwrap().config.server.unwrap())
    }

    #[test]
    fn a_login_that_would_wait_for_a_game_is_extended_and_has_the_bare_trip() {
        let floodgate = plan("password = \"trip,with\"\ngame = \"floodgate-300-10F\"\n");
        assert_eq!(floodgate.profile, Profile::Floodgate);
        assert_eq!(floodgate.mode, LoginMode::Extended);
        assert_eq!(floodgate.password.expose(), "trip,with");
        assert_eq!(
            floodgate.pool,
            "pool floodgate-300-10F (300 s and 10 s more for each move), with a trip"
        );
        let wcsc = plan("host = \"gserver.computer-shogi.org\"\npassword = \"secret\"\n");
        assert_eq!((wcsc.profile, wcsc.mode), (Profile::Wcsc, LoginMode::Plain));
        assert_eq!(wcsc.password.expose(), "secret");
        let plain = plan("password = \"x-600-10,secret\"\n");
        assert_eq!((plain.profile, plain.mode), (Profile::Auto, LoginMode::Plain));
        assert_eq!(plain.password.expose(), "x-600-10,secret");
        // As in `kyomi play`, the game tells the profile in extended mode too.
        let extended = plan(
            "host = \"example.org\"\npassword = \"trip\"\ngame = \"floodgate-300-10F\"\nmode = \"extended\"\n",
        );
        assert_eq!((extended.profile, extended.mode), (Profile::Floodgate, LoginMode::Extended));
        assert!(
            !plain.pool.contains("secret") && plain.pool.contains("x-600-10"),
            "{}",
            plain.pool
        );
    }
}
