//! Adds games to the database.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::{GameRows, Index, IndexError};

/// A file in the database: the data that shows whether it has changed, and how far it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Its row.
    pub id: i64,
    /// Its size in bytes.
    pub size: i64,
    /// The time of its last change in nanoseconds, or the checksum of a member.
    pub stamp: i64,
    /// Whether it was read to its end.
    pub done: bool,
    /// The lines of a list that were read.
    pub lines: i64,
    /// Games and lines that could not be read.
    pub faults: i64,
    /// The first thing that is wrong with it.
    pub fault: Option<String>,
}

/// Files by path, and by the name of the member (empty for a file that is no archive).
pub type KnownFiles = HashMap<String, HashMap<String, KnownFile>>;

/// Counts of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games added.
    pub games: usize,
    /// Games that were in the database already.
    pub doubles: usize,
    /// Games and lines that cannot be read.
    pub faults: usize,
}

impl Counts {
    /// The sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            games: self.games + other.games,
            doubles: self.doubles + other.doubles,
            faults: self.faults + other.faults,
        }
    }
}

impl Index {
    /// What is known of these files and of the members of these archives.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn known_files<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<KnownFiles, IndexError> {
        let read = || -> rusqlite::Result<_> {
            let query = format!("SELECT member, {FILE_COLUMNS} FROM files WHERE path = ?1");
            let mut statement = self.connection().prepare(&query)?;
            let mut known = KnownFiles::new();
            for path in paths {
                let path = path.to_string_lossy();
                let mut rows = statement.query([&path])?;
                let mut members = HashMap::new();
                while let Some(row) = rows.next()? {
                    members.insert(row.get(0)?, known_file(row, 1)?);
                }
                if !members.is_empty() {
                    known.insert(path.into_owned(), members);
                }
            }
            Ok(known)
        };
        read().map_err(|error| self.fail(error))
    }

    /// The files to read again. If games were removed with their file and have not come back, these are the files with
    /// games that were left out as doubles. They are read again until [`Self::have_read_again`] is called.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn read_again(&self) -> Result<Vec<PathBuf>, IndexError> {
        let has_notes = || {
            let query = "SELECT EXISTS (SELECT 1 FROM meta WHERE name LIKE 'removed %' OR name = 'read again')";
            self.connection().query_row(query, (), |row| row.get(0))
        };
        let has_notes: bool = has_notes().map_err(|error| self.fail(error))?;
        if !has_notes {
            return Ok(Vec::new());
        }
        let batch = self.batch()?;
        let read = || -> rusqlite::Result<Vec<PathBuf>> {
            let connection = &*batch.transaction;
            let is_lost: bool = connection.query_row(IS_A_GAME_LOST, (), |row| row.get(0))?;
            connection.execute("DELETE FROM meta WHERE name LIKE 'removed %'", ())?;
            if is_lost {
                connection.execute("UPDATE files SET size = ?1 WHERE doubles > 0", [FORGOTTEN])?;
                let note = "INSERT OR IGNORE INTO meta (name, value) VALUES ('read again', 1)";
                connection.execute(note, ())?;
            }
            let query = "SELECT DISTINCT path FROM files WHERE size = ?1
                AND EXISTS (SELECT 1 FROM meta WHERE name = 'read again') ORDER BY path";
            let mut statement = connection.prepare(query)?;
            let paths = statement.query_map([FORGOTTEN], |row| row.get::<_, String>(0))?;
            paths.map(|path| path.map(PathBuf::from)).collect()
        };
        let paths = read().map_err(|error| self.fail(error))?;
        batch.commit()?;
        Ok(paths)
    }

    /// The files of [`Self::read_again`] were read, as far as they are there.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn have_read_again(&self) -> Result<(), IndexError> {
        let delete = self.connection().execute("DELETE FROM meta WHERE name = 'read again'", ());
        delete.map(drop).map_err(|error| self.fail(error))
    }

    /// Begins to write games. They are lost unless [`Batch::commit`] is called. Waits for other writers.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn batch(&self) -> Result<Batch<'_>, IndexError> {
        let begin = Transaction::new_unchecked(self.connection(), TransactionBehavior::Immediate);
        let transaction = begin.map_err(|error| self.fail(error))?;
        Ok(Batch { index: self, transaction })
    }

    /// Copies the stored analyses of another database of the same version.
    ///
    /// # Errors
    /// One of the databases cannot be used.
    pub fn copy_analyses(&self, other: &Self) -> Result<(), IndexError> {
        let copy = || -> rusqlite::Result<()> {
            let connection = self.connection();
            connection.execute("ATTACH ?1 AS other", [other.path().to_string_lossy()])?;
            connection
                .execute("INSERT OR IGNORE INTO analyses SELECT * FROM other.analyses", ())?;
            connection.execute_batch("DETACH other")
        };
        copy().map_err(|error| self.fail(error))
    }

    /// Updates the statistics of the query planner and writes the write-ahead log into the database.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn optimize(&self) -> Result<(), IndexError> {
        let batch = "PRAGMA optimize = 0x10002; PRAGMA wal_checkpoint(TRUNCATE);";
        self.connection().execute_batch(batch).map_err(|error| self.fail(error))
    }
}

/// Games that are written together.
#[derive(Debug)]
pub struct Batch<'a> {
    index: &'a Index,
    transaction: Transaction<'a>,
}

impl Batch<'_> {
    /// Begins or continues a file, and returns its row. Games from an earlier content of the file are removed.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn file(
        &self,
        path: &str,
        member: &str,
        size: i64,
        stamp: i64,
    ) -> Result<KnownFile, IndexError> {
        let find = || -> rusqlite::Result<KnownFile> {
            let query = format!("SELECT {FILE_COLUMNS} FROM files WHERE path = ?1 AND member = ?2");
            let mut statement = self.transaction.prepare_cached(&query)?;
            let known = statement.query_row((path, member), |row| known_file(row, 0));
            if let Some(known) = known.optional()? {
                if (known.size, known.stamp) == (size, stamp) {
                    return Ok(known);
                }
                remove_file(&self.transaction, known.id)?;
            }
            let insert =
                "INSERT INTO files (path, member, size, stamp, done, lines, games, doubles, faults)
                VALUES (?1, ?2, ?3, ?4, 0, 0, 0, 0, 0)";
            self.transaction.prepare_cached(insert)?.execute((path, member, size, stamp))?;
            let id = self.transaction.last_insert_rowid();
            let (done, lines, faults, fault) = (false, 0, 0, None);
            Ok(KnownFile { id, size, stamp, done, lines, faults, fault })
        };
        find().map_err(|error| self.index.fail(error))
    }

    /// Removes a file with its games.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn remove(&self, path: &str, member: &str) -> Result<(), IndexError> {
        let remove = || -> rusqlite::Result<()> {
            let query = "SELECT id FROM files WHERE path = ?1 AND member = ?2";
            let mut statement = self.transaction.prepare_cached(query)?;
            let known: Option<i64> =
                statement.query_row((path, member), |row| row.get(0)).optional()?;
            known.map_or(Ok(()), |file| remove_file(&self.transaction, file))
        };
        remove().map_err(|error| self.index.fail(error))
    }

    /// Marks the place to which [`Self::undo_to_mark`] goes back.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn mark(&self) -> Result<(), IndexError> {
        let mark = self.transaction.execute_batch("SAVEPOINT piece");
        mark.map_err(|error| self.index.fail(error))
    }

    /// Keeps what was written since [`Self::mark`].
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn drop_mark(&self) -> Result<(), IndexError> {
        let release = self.transaction.execute_batch("RELEASE piece");
        release.map_err(|error| self.index.fail(error))
    }

    /// Undoes what was written since [`Self::mark`].
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn undo_to_mark(&self) -> Result<(), IndexError> {
        let undo = self.transaction.execute_batch("ROLLBACK TO piece; RELEASE piece");
        undo.map_err(|error| self.index.fail(error))
    }

    /// Notes how far a file was read.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn progress(
        &self,
        file: i64,
        lines: i64,
        done: bool,
        counts: Counts,
        fault: Option<&str>,
    ) -> Result<(), IndexError> {
        let update =
            "UPDATE files SET lines = ?2, done = ?3, games = games + ?4, doubles = doubles + ?5,
                faults = faults + ?6, fault = coalesce(fault, ?7) WHERE id = ?1";
        let values = (
            file,
            lines,
            done,
            counts.games as i64,
            counts.doubles as i64,
            counts.faults as i64,
            fault,
        );
        let write = || self.transaction.prepare_cached(update)?.execute(values);
        write().map(drop).map_err(|error| self.index.fail(error))
    }

    /// Adds a game, unless it is there already: the same moves by the same players, begun at the same time. Returns
    /// whether it was added.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn add(&self, file: i64, number: usize, game: &GameRows) -> Result<bool, IndexError> {
        let add = || -> rusqlite::Result<bool> {
            let connection = &*self.transaction;
            let [black, white] = &game.players;
            let black = player(connection, black.as_deref())?;
            let white = player(connection, white.as_deref())?;
            if is_double(connection, black, white, game)? {
                return Ok(false);
            }
            let insert = "INSERT INTO games (file, number, black, white, event, started, ended, result, reason,
                    plies, opening, black_rating, white_rating, black_control, white_control, start, final_key,
                    moves_hash, own, black_ms, white_ms, variations, extra)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                    ?21, ?22, ?23)";
            connection.prepare_cached(insert)?.execute(params![
                file,
                number as i64,
                black,
                white,
                game.event,
                game.started,
                game.ended,
                game.result,
                game.reason,
                game.moves.len() as i64,
                game.opening,
                game.ratings[0],
                game.ratings[1],
                game.controls[0],
                game.controls[1],
                game.start,
                game.final_key,
                game.moves_hash,
                game.own,
                game.spent_ms[0],
                game.spent_ms[1],
                game.variations,
                game.extra,
            ])?;
            add_moves(connection, connection.last_insert_rowid(), game)?;
            Ok(true)
        };
        add().map_err(|error| self.index.fail(error))
    }

    /// Commits what was written.
    ///
    /// # Errors
    /// The database cannot be written; nothing of this batch is kept.
    pub fn commit(self) -> Result<(), IndexError> {
        let index = self.index;
        self.transaction.commit().map_err(|error| index.fail(error))
    }
}

fn add_moves(connection: &Connection, id: i64, game: &GameRows) -> rusqlite::Result<()> {
    let insert = "INSERT INTO moves (game, ply, move, key, ms, left_ms, score) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut statement = connection.prepare_cached(insert)?;
    for (index, made) in game.moves.iter().enumerate() {
        let ply = index as i64 + 1;
        let values = (id, ply, &made.mv, made.key, made.ms, made.left_ms, made.score);
        statement.execute(values)?;
    }
    let insert = "INSERT INTO turns (game, ply, measured_us, echo_us, before_ms, ponder, book, depth, seldepth,
            nodes, nps, table_fill, pv, pv_rest, comments)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let mut statement = connection.prepare_cached(insert)?;
    for turn in &game.turns {
        statement.execute(params![
            id,
            turn.ply,
            turn.measured_us,
            turn.echo_us,
            turn.before_ms,
            turn.ponder,
            turn.book,
            turn.depth,
            turn.seldepth,
            turn.nodes,
            turn.nps,
            turn.table_fill,
            turn.pv,
            turn.pv_rest,
            turn.comments,
        ])?;
    }
    let insert = "INSERT INTO events (game, number, ply, kind, text) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(insert)?;
    for (number, event) in game.events.iter().enumerate() {
        statement.execute((id, number as i64 + 1, event.ply, &event.kind, &event.text))?;
    }
    Ok(())
}

/// The row of a player's name.
fn player(connection: &Connection, name: Option<&str>) -> rusqlite::Result<Option<i64>> {
    let Some(name) = name else { return Ok(None) };
    let mut find = connection.prepare_cached("SELECT id FROM players WHERE name = ?1")?;
    if let Some(id) = find.query_row([name], |row| row.get(0)).optional()? {
        return Ok(Some(id));
    }
    connection.prepare_cached("INSERT INTO players (name) VALUES (?1)")?.execute([name])?;
    Ok(Some(connection.last_insert_rowid()))
}

/// Whether the game is there already.
///
/// The start times in the server's record and in a player's record of one game may differ slightly. If the name of the
/// event identifies the game (it contains both players, as on CSA servers), equal moves mean the same game.
fn is_double(
    connection: &Connection,
    black: Option<i64>,
    white: Option<i64>,
    game: &GameRows,
) -> rusqlite::Result<bool> {
    let query = "SELECT started, event, start FROM games
        WHERE moves_hash = ?1 AND plies = ?2 AND black IS ?3 AND white IS ?4";
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query((game.moves_hash, game.moves.len() as i64, black, white))?;
    let is_own_name = |event: &str| {
        let has = |name: &Option<String>| {
            name.as_ref().is_some_and(|name| !name.is_empty() && event.contains(name.as_str()))
        };
        game.players.iter().all(has)
    };
    while let Some(row) = rows.next()? {
        let (started, event): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        let start: Option<String> = row.get(2)?;
        let same_time = match (&started, &game.started) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        let same_event =
            event.as_deref().is_some_and(is_own_name) && event.as_deref() == game.event.as_deref();
        if start == game.start && (same_time || same_event) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The columns of [`known_file`].
const FILE_COLUMNS: &str = "id, size, stamp, done, lines, faults, fault";

fn known_file(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<KnownFile> {
    Ok(KnownFile {
        id: row.get(first)?,
        size: row.get(first + 1)?,
        stamp: row.get(first + 2)?,
        done: row.get(first + 3)?,
        lines: row.get(first + 4)?,
        faults: row.get(first + 5)?,
        fault: row.get(first + 6)?,
    })
}

/// The size of a file that is to be read again, which no file has.
const FORGOTTEN: i64 = -2;

/// Notes the games of a file before they are removed, so that after a kill too it is known that they may be missing.
const NOTE_REMOVED: &str = "INSERT OR IGNORE INTO meta (name, value)
    SELECT 'removed ' || json_array(moves_hash, black, white, started),
        json_array(moves_hash, black, white, started)
    FROM games WHERE file = ?1";

/// Whether a game that was removed has not come back.
const IS_A_GAME_LOST: &str = "SELECT EXISTS (
    SELECT 1 FROM meta r WHERE r.name LIKE 'removed %' AND NOT EXISTS (
        SELECT 1 FROM games g WHERE g.moves_hash = json_extract(r.value, '$[0]')
            AND g.black IS json_extract(r.value, '$[1]')
            AND g.white IS json_extract(r.value, '$[2]')
            AND g.started IS json_extract(r.value, '$[3]')))";

/// Removes a file with its games.
fn remove_file(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    connection.prepare_cached(NOTE_REMOVED)?.execute([file])?;
    for table in ["moves", "turns", "events"] {
        let delete =
            format!("DELETE FROM {table} WHERE game IN (SELECT id FROM games WHERE file = ?1)");
        connection.execute(&delete, [file])?;
    }
    connection.execute("DELETE FROM games WHERE file = ?1", [file])?;
    connection.execute("DELETE FROM files WHERE id = ?1", [file])?;
    Ok(())
}
