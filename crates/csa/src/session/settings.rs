//! The settings of a session.

use std::time::Duration;

use crate::text::Secret;
use kyomi_shogi::clock::DelayEstimator;

use super::super::extended::GameSelection;
use super::super::profile::Profile;

/// The settings of a session.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct SessionSettings {
    /// The player's name.
    pub name: String,
    /// The password as it is sent, including the game name.
    pub password: Secret,
    /// Log in with ` x1`: one login for all games.
    pub extended: bool,
    /// The game to ask for in extended mode; `None`: wait until the server offers one.
    pub game: Option<GameSelection>,
    /// The command that asks for it.
    pub request_command: RequestCommand,
    /// The kind of server, already detected.
    pub profile: Profile,
    /// Whether to send evaluation comments; `None`: as the profile defines.
    pub comments: Option<bool>,
    /// When the player begins to ponder.
    pub ponder: PonderStart,
    /// The reply on which the player ponders.
    pub ponder_move: PonderMove,
    /// Whether a game whose connection is lost is kept instead of ended, with servers that may resume it.
    pub keeps_disconnected_games: bool,
    /// A keep-alive line is sent when we have sent nothing for this long; at least [`Self::SHORTEST_KEEP_ALIVE`].
    pub keep_alive: Duration,
    /// Time that the server subtracts from the clocks without a line in the offer, `[color]`.
    pub handicap: [Duration; 2],
    /// Whether to ask the server's practice opponent for a game after each login (`CHALLENGE`).
    pub practice_opponent: bool,
    /// The number of games to play on this connection if the server keeps it open; 0: no limit.
    pub games: u32,
    /// The network delays measured in earlier sessions, or the initial estimate.
    pub network: DelayEstimator,
    /// The id of the first request to the player.
    pub first_request: u64,
    /// Whether an offer is agreed to only when the player is prepared for its game ([`super::Input::Prepared`]), so
    /// that its preparations do not use up the clock; at the latest after a time that servers wait.
    pub agree_when_prepared: bool,
}

/// The command that asks for a game in extended mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RequestCommand {
    /// `%%GAME`: wait for an opponent.
    #[default]
    Game,
    /// `%%CHALLENGE`: only if an opponent is waiting.
    Challenge,
}

/// When the player begins to ponder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PonderStart {
    /// It does not ponder.
    #[default]
    Never,
    /// When the server has repeated our move.
    AfterEcho,
    /// As soon as our move is sent.
    WithMove,
}

/// The reply on which the player ponders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PonderMove {
    /// The reply that the player named, if any.
    #[default]
    Named,
    /// The reply that the player named, or else the second move of its PV.
    NamedOrPv,
}

impl SessionSettings {
    /// The protocol forbids a keep-alive line within 30 s after any line of ours; 5 s more for network delay.
    pub const SHORTEST_KEEP_ALIVE: Duration = Duration::from_secs(35);

    /// The default settings.
    pub fn new(name: impl Into<String>, password: Secret, profile: Profile) -> Self {
        Self {
            name: name.into(),
            password,
            extended: false,
            game: None,
            request_command: RequestCommand::default(),
            profile,
            comments: None,
            ponder: PonderStart::Never,
            ponder_move: PonderMove::default(),
            keeps_disconnected_games: true,
            keep_alive: Duration::from_secs(40),
            handicap: [Duration::ZERO; 2],
            practice_opponent: false,
            games: 0,
            network: DelayEstimator::default(),
            first_request: 1,
            agree_when_prepared: false,
        }
    }
}
