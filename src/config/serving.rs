//! `[listen]` and `[rules]`: how our server listens, and the rules of its games.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use kyomi_shogi::EnteringKingRule;

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

/// `listen.after_game`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterGame {
    /// Wait for LOGOUT or the next game.
    #[default]
    Stay,
    /// Close, as the reference server does in plain mode.
    Close,
}

/// `[rules]`: the rules of our server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RulesConfig {
    /// Number of moves after which the game ends without a winner; 0: no limit.
    pub max_moves: u32,
    /// How an entered king wins.
    pub declaration: EnteringKingRule,
    /// Least time charged for each move.
    pub least_time: Duration,
    /// Whether the time of each move is rounded up to the time unit instead of down.
    pub round_up: bool,
    /// Whether repetition counts the start position as its first occurrence.
    pub repetition_counts_start: bool,
    /// Whether the players of a drawn game play again at once, with reversed colours.
    pub rematch_on_draw: bool,
}

impl Default for RulesConfig {
    fn default() -> Self {
        Self {
            max_moves: defaults::max_moves(),
            declaration: EnteringKingRule::default(),
            least_time: defaults::least_time(),
            round_up: false,
            repetition_counts_start: false,
            rematch_on_draw: false,
        }
    }
}
