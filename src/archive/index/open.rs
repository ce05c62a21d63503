//! Opens the database.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, functions::FunctionFlags};

use super::{
    IndexError,
    schema::{self, STEPS},
};
use kyomi_shogi::Position;

/// An open database of games.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
}

impl Index {
    /// Opens the database, or makes an empty one. A database of an earlier version is migrated first.
    ///
    /// # Errors
    /// The file cannot be used as a database, or a later version of the program wrote it.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            let fail = |source| IndexError::Folder { path: dir.to_owned(), source };
            fs::create_dir_all(dir).map_err(fail)?;
        }
        let fail = |error| IndexError::of(path, error);
        let mut connection = Connection::open(path).map_err(fail)?;
        connection.busy_timeout(BUSY).map_err(fail)?;
        if !schema::is_ours(&connection).map_err(fail)? {
            return Err(IndexError::Foreign(path.to_owned()));
        }
        let found = schema::version(&connection).map_err(fail)?;
        let known = STEPS.len() as i64;
        if found < 0 {
            return Err(IndexError::Foreign(path.to_owned()));
        }
        if found > known {
            return Err(IndexError::Newer { path: path.to_owned(), found, known });
        }
        set_up(&connection).map_err(fail)?;
        migrate(&mut connection).map_err(fail)?;
        let key: Option<i64> = connection
            .query_row("SELECT value FROM meta WHERE name = 'startpos_key'", (), |row| row.get(0))
            .optional()
            .map_err(fail)?;
        if key != Some(Position::startpos().key().cast_signed()) {
            return Err(IndexError::Keys(path.to_owned()));
        }
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Opens a database that exists.
    ///
    /// # Errors
    /// As [`Self::open`], or there is none.
    pub fn open_existing(path: &Path) -> Result<Self, IndexError> {
        if path.exists() { Self::open(path) } else { Err(IndexError::Missing(path.to_owned())) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection, for the queries of this module.
    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Adds the path of the database to an error.
    pub(super) fn fail(&self, error: rusqlite::Error) -> IndexError {
        IndexError::of(&self.path, error)
    }
}

/// Configures a connection. A process that is killed loses no committed transaction. A power failure may lose the last
/// ones, but the record files have their games.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = NORMAL;
         PRAGMA foreign_keys = OFF;
         PRAGMA cache_size = -65536;
         PRAGMA mmap_size = 1073741824;
         PRAGMA temp_store = MEMORY;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    // The `lower` of SQLite handles ASCII letters only.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("folded", 1, flags, |context| {
        Ok(context.get::<Option<String>>(0)?.map(|text| text.to_lowercase()))
    })
}

/// Runs the migration steps that the database lacks, each in one transaction. Another process may do so at the same
/// time.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let known = STEPS.len() as i64;
    if schema::application(connection)? != schema::APPLICATION {
        connection.pragma_update(None, "application_id", schema::APPLICATION)?;
    }
    while schema::version(connection)? < known {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = schema::version(&transaction)?;
        if let Some(step) = usize::try_from(done).ok().and_then(|done| STEPS.get(done)) {
            step(&transaction)?;
            transaction.pragma_update(None, "user_version", done + 1)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// How long a writer waits for another one.
const BUSY: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_of_a_newer_version_is_refused_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        drop(Index::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = Index::open(&path).unwrap_err().to_string();
        assert!(error.contains("has version 99") && error.lines().count() == 1, "{error}");
    }

    #[test]
    fn a_database_of_an_impossible_version_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        drop(Index::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", -1).unwrap();
        assert!(matches!(Index::open(&path), Err(IndexError::Foreign(_))));
    }

    #[test]
    fn what_is_no_database_is_refused_and_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        fs::write(&path, "V3.0\nN+someone\n".repeat(300)).unwrap();
        let error = Index::open(&path).unwrap_err().to_string();
        assert!(error.ends_with("this file is no database; name another one, or move it away"));
        assert!(fs::read_to_string(&path).unwrap().starts_with("V3.0\n"));
    }

    #[test]
    fn a_database_of_another_program_is_refused_and_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bookmarks.sqlite");
        Connection::open(&path).unwrap().execute("CREATE TABLE bookmarks (x)", ()).unwrap();
        let before = fs::read(&path).unwrap();
        let error = Index::open(&path).unwrap_err().to_string();
        assert!(error.contains("of another program") && error.lines().count() == 1, "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        // One that a kyomi before the mark made is taken.
        let path = dir.path().join("a.db");
        drop(Index::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "application_id", 0).unwrap();
        let index = Index::open(&path).unwrap();
        assert_eq!(schema::application(index.connection()).unwrap(), schema::APPLICATION);
    }

    #[test]
    fn a_database_is_opened_again_by_several_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/a.db");
        assert!(matches!(Index::open_existing(&path), Err(IndexError::Missing(_))));
        let open = || Index::open(&path).map(drop);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
        assert_eq!(
            schema::version(Index::open(&path).unwrap().connection()).unwrap(),
            STEPS.len() as i64
        );
    }
}
