//! The reasons why a fit fails.

use std::io;
use std::path::{Path, PathBuf};

use crate::selfplay::SelfplayStoreError;

use super::GamesError;

/// The reason a fit failed. Its checkpoint stays.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A table of games cannot be used.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// Games of self-play cannot be used.
    #[error(transparent)]
    Selfplay(#[from] SelfplayStoreError),
    /// No position to learn from, or none to validate with.
    #[error(
        "{training} positions to learn from and {validation} to validate with: both are needed; give more games"
    )]
    Few {
        /// The number of positions to learn from.
        training: usize,
        /// The number of positions to validate with.
        validation: usize,
    },
    /// The folder contains another fit.
    #[error("{} holds a fit of another task; give another folder, or remove it", .0.display())]
    Other(PathBuf),
    /// A file was not written by such a command, and would be replaced.
    #[error("{} was written by something else; give another name, or remove it", .0.display())]
    Foreign(PathBuf),
    /// The checkpoint is damaged.
    #[error("{} is damaged; remove the folder's files to begin anew", .0.display())]
    Damaged(PathBuf),
    /// The result of the epochs before has been changed or removed.
    #[error(
        "{} is not the one that the epochs before have written; bring it back, or remove {} to begin anew",
        file.display(), checkpoint.display()
    )]
    Changed {
        /// The file of the result.
        file: PathBuf,
        /// The checkpoint.
        checkpoint: PathBuf,
    },
    /// A result is there, which would be replaced.
    #[error("{} is there; give another folder, or remove it", .0.display())]
    Exists(PathBuf),
    /// No epoch had less loss on the games to validate with than the weights before the training.
    #[error("no epoch lowered the loss on other games, so that nothing is written")]
    NoGain,
    /// It was stopped before the end of the first epoch.
    #[error("no epoch is done, so that there is nothing to write yet")]
    NoEpoch,
    /// The folder cannot be read or written.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

impl TrainError {
    /// An error of the operating system with the operation and its file.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}
