//! The reasons why a fit fails.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::lab::selfplay::SelfplayStoreError;

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
