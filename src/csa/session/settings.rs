//! What a session is told before it begins.

use std::time::Duration;

use crate::clock::DelayEstimator;
use crate::config::Secret;

use super::super::profile::Profile;

/// What a session is told before it begins.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// The player's name.
    pub name: String,
    /// The password as it is sent, game name included.
    pub password: Secret,
    /// Log in with ` x1`.
    pub extended: bool,
    /// The kind of server, already resolved.
    pub profile: Profile,
    /// Send evaluation comments; `None`: as the profile says.
    pub comments: Option<bool>,
    /// Ask for pondering.
    pub ponder: bool,
    /// On which reply.
    pub ponder_move: PonderMove,
    /// A game whose connection is lost is suspended instead of ended.
    pub suspends: bool,
    /// Our own silence after which a keep-alive line is sent; at least [`Self::SHORTEST_KEEP_ALIVE`].
    pub keep_alive: Duration,
    /// How many games to play on this connection, where the server lets it stay; 0: no limit.
    pub games: u32,
    /// What is known of the network from earlier sessions, or the policy to begin with.
    pub network: DelayEstimator,
    /// The id of the first request to the player.
    pub first_request: u64,
}

/// The reply that the player ponders on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PonderMove {
    /// The one it named; none where it named none.
    #[default]
    Named,
    /// The one it named, or else the second move of its line.
    NamedOrPv,
}

impl SessionSettings {
    /// The protocol forbids a keep-alive line within 30 s of any line of ours; five more for the network.
    pub const SHORTEST_KEEP_ALIVE: Duration = Duration::from_secs(35);

    /// Settings with nothing unusual in them.
    pub fn new(name: impl Into<String>, password: Secret, profile: Profile) -> Self {
        Self {
            name: name.into(),
            password,
            extended: false,
            profile,
            comments: None,
            ponder: false,
            ponder_move: PonderMove::default(),
            suspends: false,
            keep_alive: Duration::from_secs(40),
            games: 0,
            network: DelayEstimator::default(),
            first_request: 1,
        }
    }
}
