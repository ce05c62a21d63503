//! Why a match cannot continue.

use std::io;

use crate::players::EngineError;

use super::{SettingsError, StoreError};

/// The reason a match cannot continue. Finished games are kept, and the match can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The folder of the match cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A player does not start.
    #[error("player '{player}': {source}")]
    Player {
        /// The name of the player.
        player: String,
        /// What is wrong with it.
        source: EngineError,
    },
    /// A player does not know an option.
    #[error("player '{player}': {text}")]
    Option {
        /// The name of the player.
        player: String,
        /// The player's message.
        text: String,
    },
    /// The workers of a room cannot play it.
    #[cfg(feature = "cluster")]
    #[error("{0}")]
    Workers(String),
    /// A thread cannot be started.
    #[error("starting a game: {0}")]
    Thread(io::Error),
    /// The cores cannot be used.
    #[error("running on the cores {cores:?}: {source}")]
    Cores {
        /// The cores.
        cores: Vec<usize>,
        /// The operating system's error.
        source: io::Error,
    },
}
