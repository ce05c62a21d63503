//! The settings of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use kyomi_shogi::Position;
use kyomi_shogi::clock::{GameTime, TimeControl};

use super::gamename::default_name;
use super::rules::{AfterGame, GameRules};

/// The settings of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSettings {
    /// Where to listen; port 0 lets the system choose.
    pub address: SocketAddr,
    /// The prefix of game ids, which is also the event of the records.
    pub event: String,
    /// What happens to a connection when its game is over.
    pub after_game: AfterGame,
    /// How long a player whose connection is lost in a game may take to come back; zero: it loses at once.
    pub resume_time: Duration,
    /// Folder of the records, created if missing; `None`: no records.
    pub records: Option<PathBuf>,
    /// The clocks of games whose players request none, `[black, white]`.
    pub time: [GameTime; 2],
    /// The rules of all games.
    pub rules: GameRules,
    /// Start position, as SFEN, of games whose name requests no handicap; `None`: the even game.
    pub start: Option<String>,
    /// The limits of a peer.
    pub limits: PeerLimits,
}

impl Default for ServerSettings {
    /// A free loopback port, no records, the default clock and rules.
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            event: "kyomi".to_owned(),
            after_game: AfterGame::default(),
            resume_time: Duration::ZERO,
            records: None,
            time: [GameTime::sudden_death(Duration::from_secs(60)); 2],
            rules: GameRules::default(),
            start: None,
            limits: PeerLimits::default(),
        }
    }
}

impl ServerSettings {
    /// The game name of players who request none. With the suffix `-B` or `-W` it requests a colour.
    pub fn default_game(&self) -> String {
        default_name(self.time[0])
    }

    /// Checks that games can be played with these settings; returns the start position.
    ///
    /// # Errors
    /// A setting with which no game can be played.
    pub fn check(&self) -> Result<Position, SettingsError> {
        let fault = |text: String| Err(SettingsError(text));
        let start = match &self.start {
            None => Position::startpos(),
            Some(sfen) => match Position::from_sfen(sfen) {
                Ok(start) => start,
                Err(error) => return fault(format!("start position: {error}")),
            },
        };
        if let Err(error) = start.check_playable() {
            return fault(format!("start position: {error}"));
        }
        let times = self.time.iter().flat_map(|time| [time.total, time.byoyomi, time.increment]);
        for time in times.chain([self.rules.least_time]) {
            if time > TimeControl::LONGEST {
                return fault("a time setting is over 366 days".to_owned());
            }
            if time.subsec_nanos() % 1_000_000 != 0 {
                return fault("time settings are whole milliseconds".to_owned());
            }
        }
        let word = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
        if self.event.is_empty() || self.event.len() > 64 || !self.event.bytes().all(word) {
            return fault("the event is a word of A-Z a-z 0-9 _ . -".to_owned());
        }
        Ok(start)
    }
}

/// A setting with which no game can be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

/// The limits of a peer. The server disconnects a peer that exceeds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerLimits {
    /// Open connections, logged in or not; further ones are closed immediately.
    pub connections: usize,
    /// Open connections from one address; loopback addresses are exempt.
    pub connections_per_address: usize,
    /// Time from connecting to a successful `LOGIN`.
    pub login_time: Duration,
    /// Time from the offer to both `AGREE`s.
    pub agree_time: Duration,
    /// Longest accepted line, in bytes without its line break.
    pub line_bytes: usize,
    /// Number of lines that a peer may send at once.
    pub burst_lines: u32,
    /// Number of further lines per second, above which the connection is closed as a flood.
    pub lines_per_second: u32,
    /// Number of lines that may wait for a peer that reads slowly, at least 64; with more the peer is dropped.
    pub queued_lines: usize,
    /// Number of bytes that may wait for a peer that reads slowly; with more the peer is dropped.
    pub queued_bytes: usize,
    /// Number of bytes that may wait for all peers together; with more, those who read slowly are dropped.
    pub queued_bytes_of_all: usize,
    /// How long one write may take before the peer counts as dead.
    pub write_time: Duration,
}

impl Default for PeerLimits {
    fn default() -> Self {
        Self {
            connections: 1000,
            connections_per_address: 200,
            login_time: Duration::from_secs(60),
            agree_time: Duration::from_secs(120),
            line_bytes: 8192,
            burst_lines: 200,
            lines_per_second: 50,
            queued_lines: 1024,
            queued_bytes: 8 * 1024 * 1024,
            queued_bytes_of_all: 32 * 1024 * 1024,
            write_time: Duration::from_secs(30),
        }
    }
}
