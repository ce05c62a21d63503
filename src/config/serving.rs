//! `[listen]`: how our server listens.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use kyomi_csa::server::AfterGame;

use super::defaults;

/// `[listen]`: where and how `kyomi serve` listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenConfig {
    /// Address and port; port 0 lets the system choose.
    pub address: SocketAddr,
    /// What to do with a connection after its game.
    pub after_game: AfterGame,
    /// How long a player whose connection is lost in a game may take to come back; zero: it loses at once.
    pub resume_time: Duration,
    /// Folder of the server's records.
    pub records: PathBuf,
}

impl Default for ListenConfig {
    fn default() -> Self {
        Self {
            address: defaults::listen_address(),
            after_game: AfterGame::default(),
            resume_time: defaults::resume_time(),
            records: defaults::server_records(),
        }
    }
}
