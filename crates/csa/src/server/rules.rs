//! The rules of games, and what follows a game: what a server's operator decides.

use std::time::Duration;

use kyomi_shogi::EnteringKingRule;

/// What happens to a connection when its game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterGame {
    /// Wait for LOGOUT or the next game.
    #[default]
    Stay,
    /// Close, as the reference server does in plain mode.
    Close,
}

/// The rules of all games of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameRules {
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

impl Default for GameRules {
    /// A limit of 256 moves, as the World Computer Shogi Championship plays. No least time: every millisecond counts.
    fn default() -> Self {
        Self {
            max_moves: 256,
            declaration: EnteringKingRule::default(),
            least_time: Duration::ZERO,
            round_up: false,
            repetition_counts_start: false,
            rematch_on_draw: false,
        }
    }
}
