//! Why a match cannot continue.

use std::io;

use crate::engine::EngineError;

use super::{SettingsError, StoreError};

/// Why a match cannot continue. Finished games are kept, and the match can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Its folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A player does not start.
    #[error("player '{player}': {source}")]
    Player {
        /// Its name.
        player: String,
        /// What is wrong with it.
        source: EngineError,
    },
    /// A player does not know an option.
    #[error("player '{player}': {text}")]
    Option {
        /// Its name.
        player: String,
        /// Its message.
        text: String,
    },
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
