//! Why a database cannot be used.

use std::{
    io,
    path::{Path, PathBuf},
};

use rusqlite::ErrorCode;
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
    /// Its position keys were computed differently from those of this program.
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
    /// The file is not a database.
    #[error("{}: this file is no database; name another one, or move it away", .0.display())]
    NoDatabase(PathBuf),
    /// Another program wrote the file.
    #[error("{}: this database is of another program; name another file", .0.display())]
    Foreign(PathBuf),
    /// The file is damaged.
    #[error("{}: the database is damaged; delete the file and run `kyomi games rebuild`", .0.display())]
    Damaged(PathBuf),
    /// `SQLite` reports another error, such as a full disk.
    #[error("{}: {error}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// The error. It is no `source`, since its text is part of this one's and its own source says the same again.
        error: rusqlite::Error,
    },
}

impl IndexError {
    /// What `SQLite` reports of this database.
    pub(super) fn of(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NoDatabase(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(path),
            _ => Self::Database { path, error },
        }
    }
}
