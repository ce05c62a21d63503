//! Why a client does not play.

use std::fmt;

/// Why a client does not play although it could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SleepReason {
    /// No window of the schedule is open.
    Closed,
    /// This number of games, the most of one window, has been played.
    GamesPlayed(u32),
    /// The configured pause between two games.
    Pause,
}

impl fmt::Display for SleepReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("outside the windows of [schedule]"),
            Self::GamesPlayed(1) => f.write_str("the game of this window is played"),
            Self::GamesPlayed(games) => write!(f, "the {games} games of this window are played"),
            Self::Pause => f.write_str("pause between games"),
        }
    }
}
