//! The login settings of a configured server: address, profile, warnings.

use crate::config::{ServerConfig, ServerMode};
use kyomi_csa::{LostConnection, Profile, login_warning};

/// The name and the server of a login: `kyomi on wdoor.c.u-tokyo.ac.jp:4081`.
pub(super) fn login_name(server: &ServerConfig) -> String {
    format!("{} on {}", server.name, address(server))
}

/// `host:port` of a server.
pub(super) fn address(server: &ServerConfig) -> String {
    format!("{}:{}", server.host, server.port)
}

/// Warnings about the login settings, one line each.
pub(super) fn login_warnings(server: &ServerConfig) -> Vec<String> {
    let profile = profile(server);
    let password = server.login_password();
    let extended = server.mode == ServerMode::Extended;
    let login =
        login_warning(profile, extended, password.expose()).map(|warning| warning.to_string());
    let is_floodgate = server.game.as_deref().is_some_and(|it| it.starts_with("floodgate-"));
    let mode = if !extended {
        (server.challenge).then_some(
            "server.challenge is used in extended mode only (server.mode = \"extended\")",
        )
    } else if server.game.is_none() {
        Some("server.game is not set: no game is asked for, the server has to offer one")
    } else if is_floodgate && server.colour.is_some() {
        Some("the server refuses a colour in floodgate games; remove server.colour")
    } else {
        None
    };
    let more = profile.limitation(server.handicap()).into_iter().chain(mode);
    login.into_iter().chain(more.map(str::to_owned)).collect()
}

/// Whether the server may hold a game whose connection is lost.
pub(super) fn may_resume(server: &ServerConfig) -> bool {
    profile(server).behaviour().lost_connection == LostConnection::MayResume
}

/// How this server behaves: as configured, or guessed.
pub(super) fn profile(server: &ServerConfig) -> Profile {
    server.profile.resolve(&server.host, game_or_password(server))
}

/// The text that may begin with a game name, from which the profile is guessed.
pub(super) fn game_or_password(server: &ServerConfig) -> &str {
    server.game.as_deref().unwrap_or_else(|| server.password.expose())
}
