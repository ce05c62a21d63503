//! Why a database cannot be used.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Why a database cannot be used.
#[derive(Debug, Error)]
pub enum IndexError {
    /// A later version of the program wrote it.
    #[error(
        "{}: the database has version {found}, and this kyomi knows versions up to {known}; use the newer kyomi, \
         or delete the file and run `kyomi games rebuild`",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// Its positions have other keys than those of this program.
    #[error("{}: the keys of positions have changed since; run `kyomi games rebuild`", .0.display())]
    Keys(PathBuf),
    /// There is no such database.
    #[error("{}: there is no database yet; `kyomi games import` or `kyomi games rebuild` makes one", .0.display())]
    Missing(PathBuf),
    /// Its folder cannot be made.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error. Its text is part of this one's.
        #[source]
        source: io::Error,
    },
    /// `SQLite` reports an error: no database, a broken one, a full disk.
    #[error("{}: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// The error. Its text is part of this one's.
        #[source]
        source: rusqlite::Error,
    },
}
