//! The tables, as migration steps from one version of the schema to the next.
//!
//! A released step is never changed: a later version adds a further step. The number of steps that were run is the
//! `user_version` of the database.

use rusqlite::Connection;

use kyomi_shogi::Position;

/// One step from a version of the schema to the next.
pub(super) type Step = fn(&Connection) -> rusqlite::Result<()>;

/// All steps, in order.
pub(super) const STEPS: [Step; 1] = [first];

/// The number of steps that were run on a database.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The `application_id` of our databases: "kyom".
pub(super) const APPLICATION: i64 = 0x6B79_6F6D;

/// The `application_id` of a database; 0 if none was set.
pub(super) fn application(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// Whether a database is ours or empty. Ours had no `application_id` at first.
pub(super) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let application = application(connection)?;
    if application != 0 {
        return Ok(application == APPLICATION);
    }
    let count = |condition: &str| -> rusqlite::Result<i64> {
        let query = format!("SELECT count(*) FROM sqlite_master WHERE {condition}");
        connection.query_row(&query, (), |row| row.get(0))
    };
    let own = "type = 'table' AND name IN ('meta', 'files', 'games', 'moves')";
    Ok(count("1")? == 0 || count(own)? == 4)
}

fn first(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(FIRST)?;
    connection.execute(
        "INSERT INTO meta (name, value) VALUES ('startpos_key', ?1)",
        [Position::startpos().key().cast_signed()],
    )?;
    Ok(())
}

/// The tables of the first version.
///
/// Moves make up nine tenths of the database (twelve million of them in a large one). Their rows hold only what nearly
/// every game has; `turns` holds the rest. The moves of a game are stored together and in order (`WITHOUT ROWID`). The
/// index by key also contains the move, so that the moves played in a position are counted without reading the table.
const FIRST: &str = "
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- What was read: a file, or a member of an archive.
CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL,
    member   TEXT NOT NULL,              -- empty for a file
    size     INTEGER NOT NULL,
    stamp    INTEGER NOT NULL,           -- time of the last change in ns; checksum of a member
    done     INTEGER NOT NULL,           -- 1: read to its end
    lines    INTEGER NOT NULL,           -- lines of a list that were read so far
    games    INTEGER NOT NULL,           -- games kept
    doubles  INTEGER NOT NULL,           -- games that were here already
    faults   INTEGER NOT NULL,           -- number of faults
    fault    TEXT,                       -- the first thing that is wrong with it
    UNIQUE (path, member)
) STRICT;

CREATE TABLE players (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE games (
    id            INTEGER PRIMARY KEY,
    file          INTEGER NOT NULL REFERENCES files,
    number        INTEGER NOT NULL,      -- of the game in its file, from 1
    black         INTEGER REFERENCES players,
    white         INTEGER REFERENCES players,
    event         TEXT,
    started       TEXT,                  -- 2026-11-22 or 2026-11-22 21:30:00, local time
    ended         TEXT,
    result        INTEGER NOT NULL,      -- 0 not known, 1 black won, 2 white won, 3 drawn
    reason        TEXT NOT NULL,         -- CSA end word without %; empty: none
    plies         INTEGER NOT NULL,
    opening       TEXT NOT NULL,
    black_rating  REAL,
    white_rating  REAL,
    black_control TEXT,
    white_control TEXT,
    start         TEXT,                  -- SFEN; NULL: the usual start position
    final_key     INTEGER NOT NULL,      -- key of the last position
    moves_hash    INTEGER NOT NULL,      -- of start and moves
    own           INTEGER,               -- 1, 2: the side that kyomi played
    black_ms      INTEGER,               -- time charged to black, all moves
    white_ms      INTEGER,
    variations    INTEGER NOT NULL,      -- number of variations in the file, which are not kept here
    extra         TEXT                   -- JSON: the rest of the header and the end
) STRICT;
CREATE INDEX games_by_file ON games (file, number);
CREATE INDEX games_by_black ON games (black);
CREATE INDEX games_by_white ON games (white);
CREATE INDEX games_by_start ON games (started);
CREATE INDEX games_by_moves ON games (moves_hash, black, white);
CREATE INDEX games_by_end ON games (final_key);
CREATE INDEX games_by_result ON games (result);

CREATE TABLE moves (
    game    INTEGER NOT NULL REFERENCES games,
    ply     INTEGER NOT NULL,            -- from 1
    move    TEXT NOT NULL,               -- USI
    key     INTEGER NOT NULL,            -- key of the position in which it was made
    ms      INTEGER,                     -- charged by the server
    left_ms INTEGER,                     -- main time of its side after it
    score   INTEGER,                       -- from black's side, centipawns; beyond a million: mate
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;
CREATE INDEX moves_by_key ON moves (key, move);

CREATE TABLE turns (
    game        INTEGER NOT NULL REFERENCES games,
    ply         INTEGER NOT NULL,
    measured_us INTEGER,                 -- by our own watch; NULL: not our move
    echo_us     INTEGER,
    before_ms   INTEGER,
    ponder      INTEGER,                 -- 1 hit, 0 miss
    book        INTEGER,                 -- 1: from a book
    depth       INTEGER,
    seldepth    INTEGER,
    nodes       INTEGER,
    nps         INTEGER,
    table_fill  INTEGER,                 -- permille
    pv          TEXT,                    -- USI, without the move itself
    pv_rest     TEXT,                    -- what follows and is no move
    comments    TEXT,                    -- all comments of the move, a line each
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;
CREATE INDEX own_turns ON turns (game, ply) WHERE measured_us IS NOT NULL;

-- Reconnects, restarts of the engine, warnings.
CREATE TABLE events (
    game   INTEGER NOT NULL REFERENCES games,
    number INTEGER NOT NULL,
    ply    INTEGER NOT NULL,             -- moves made before it
    kind   TEXT NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE analyses (
    key         INTEGER NOT NULL,
    sfen        TEXT NOT NULL,           -- without the move number
    fingerprint TEXT NOT NULL,           -- of engine and settings
    result      TEXT NOT NULL,           -- JSON
    PRIMARY KEY (key, sfen, fingerprint)
) STRICT, WITHOUT ROWID;
";
