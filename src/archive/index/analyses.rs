//! Stored analyses of positions.

use rusqlite::OptionalExtension as _;

use super::{Index, IndexError};
use kyomi_shogi::Position;

/// The stored analyses of positions: the result of an engine with certain settings for a position, as JSON.
///
/// They are kept when the database is rebuilt, but not when its file is deleted.
#[derive(Clone, Copy, Debug)]
pub struct Analyses<'a> {
    index: &'a Index,
}

impl<'a> Analyses<'a> {
    /// The analyses of this database.
    pub const fn of(index: &'a Index) -> Self {
        Self { index }
    }

    /// The result for this position by the engine and settings of this fingerprint.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn get(
        &self,
        position: &Position,
        fingerprint: &str,
    ) -> Result<Option<String>, IndexError> {
        let query = "SELECT result FROM analyses WHERE key = ?1 AND sfen = ?2 AND fingerprint = ?3";
        let find = || {
            let mut statement = self.index.connection().prepare_cached(query)?;
            let key = (position.key().cast_signed(), without_number(position), fingerprint);
            statement.query_row(key, |row| row.get(0)).optional()
        };
        find().map_err(|error| self.index.fail(error))
    }

    /// Stores the result for this position, and replaces an earlier one of the same fingerprint.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn put(
        &self,
        position: &Position,
        fingerprint: &str,
        result: &str,
    ) -> Result<(), IndexError> {
        let insert = "INSERT OR REPLACE INTO analyses (key, sfen, fingerprint, result) VALUES (?1, ?2, ?3, ?4)";
        let store = || {
            let mut statement = self.index.connection().prepare_cached(insert)?;
            let key = position.key().cast_signed();
            statement.execute((key, without_number(position), fingerprint, result))
        };
        store().map(drop).map_err(|error| self.index.fail(error))
    }
}

/// The SFEN without the move number: the same position may be reached at different plies.
fn without_number(position: &Position) -> String {
    let mut sfen = position.to_sfen();
    let end = sfen.rfind(' ').unwrap_or(sfen.len());
    sfen.truncate(end);
    sfen
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi;

    #[test]
    fn a_stored_analysis_is_found_by_position_and_settings() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(&folder.path().join("a.db")).unwrap();
        let start = Position::startpos();
        Analyses::of(&index).put(&start, "kyomi 1000 nodes", "{\"cp\":1}").unwrap();
        Analyses::of(&index).put(&start, "kyomi 2000 nodes", "{\"cp\":2}").unwrap();
        Analyses::of(&index).put(&start, "kyomi 2000 nodes", "{\"cp\":3}").unwrap();
        let get =
            |position: &Position, settings| Analyses::of(&index).get(position, settings).unwrap();
        assert_eq!(get(&start, "kyomi 1000 nodes").as_deref(), Some("{\"cp\":1}"));
        assert_eq!(get(&start, "kyomi 2000 nodes").as_deref(), Some("{\"cp\":3}"));
        assert_eq!(get(&start, "other"), None);
        let game = usi::parse_position_line("startpos moves 7g7f").unwrap();
        assert_eq!(get(game.position(), "kyomi 1000 nodes"), None);
    }
}
