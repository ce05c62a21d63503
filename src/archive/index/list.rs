//! Lists of games.

use std::path::PathBuf;

use rusqlite::{OptionalExtension as _, Row, params_from_iter, types::Value};

use super::{Filter, Index, IndexError, rows};
use kyomi_record::Winner;
use kyomi_shogi::Color;

/// A game in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct GameLine {
    /// Its number in the database.
    pub id: i64,
    /// When it began: `2026-11-22 21:30:00`, or the day alone.
    pub started: Option<String>,
    /// The players, black first.
    pub players: [Option<String>; 2],
    /// Their ratings before the game.
    pub ratings: [Option<f64>; 2],
    /// The event.
    pub event: Option<String>,
    /// Who won.
    pub winner: Option<Winner>,
    /// The end word of CSA, without `%`; empty if there is none.
    pub reason: String,
    /// The number of moves.
    pub plies: u32,
    /// The opening.
    pub opening: String,
    /// The side that kyomi played.
    pub own: Option<Color>,
    /// The time control of black.
    pub control: Option<String>,
    /// The file, and the name of a member of an archive.
    pub file: (PathBuf, String),
    /// The number of the game in its file.
    pub number: i64,
    /// The number of variations in the file.
    pub variations: i64,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The latest game first.
    #[default]
    Latest,
    /// As they were added.
    Added,
}

impl Index {
    /// The games of a filter, at most `most`.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn games(
        &self,
        filter: &Filter,
        order: Order,
        most: Option<usize>,
    ) -> Result<Vec<GameLine>, IndexError> {
        let condition = filter.condition();
        let order = match order {
            Order::Latest => "g.started DESC, g.id DESC",
            Order::Added => "g.id",
        };
        let limit = most.map_or(-1, |most| i64::try_from(most).unwrap_or(i64::MAX));
        let sql = format!("{LINE} WHERE {} ORDER BY {order} LIMIT {limit}", condition.sql());
        self.lines(&sql, condition.values).map_err(|error| self.fail(error))
    }

    /// One game; `None` if there is none of this number.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn game(&self, id: i64) -> Result<Option<GameLine>, IndexError> {
        let sql = format!("{LINE} WHERE g.id = ?1");
        let read = || self.connection().query_row(&sql, [id], line).optional();
        read().map_err(|error| self.fail(error))
    }

    /// The numbers of the games of a filter, in the order in which they were added.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn ids(&self, filter: &Filter) -> Result<Vec<i64>, IndexError> {
        let condition = filter.condition();
        let sql = format!("SELECT g.id FROM games g WHERE {} ORDER BY g.id", condition.sql());
        let read = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.connection().prepare(&sql)?;
            let rows = statement.query_map(params_from_iter(condition.values), |row| row.get(0))?;
            rows.collect()
        };
        read().map_err(|error| self.fail(error))
    }

    /// The number of games of a filter.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn count(&self, filter: &Filter) -> Result<u64, IndexError> {
        let condition = filter.condition();
        let sql = format!("SELECT count(*) FROM games g WHERE {}", condition.sql());
        let read = || {
            self.connection()
                .query_row(&sql, params_from_iter(condition.values), |row| row.get::<_, i64>(0))
        };
        read().map(i64::cast_unsigned).map_err(|error| self.fail(error))
    }

    /// The names of all players, in any order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn player_names(&self) -> Result<Vec<String>, IndexError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection().prepare("SELECT name FROM players")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        };
        read().map_err(|error| self.fail(error))
    }

    /// The events of a game: the number of moves before it, its kind, its text.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn events(&self, game: i64) -> Result<Vec<(u32, String, String)>, IndexError> {
        let read = || -> rusqlite::Result<_> {
            let query = "SELECT ply, kind, text FROM events WHERE game = ?1 ORDER BY number";
            let mut statement = self.connection().prepare_cached(query)?;
            let rows =
                statement.query_map([game], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        };
        read().map_err(|error| self.fail(error))
    }

    fn lines(&self, sql: &str, values: Vec<Value>) -> rusqlite::Result<Vec<GameLine>> {
        let mut statement = self.connection().prepare(sql)?;
        let rows = statement.query_map(params_from_iter(values), line)?;
        rows.collect()
    }
}

fn line(row: &Row<'_>) -> rusqlite::Result<GameLine> {
    Ok(GameLine {
        id: row.get(0)?,
        started: row.get(1)?,
        players: [row.get(2)?, row.get(3)?],
        ratings: [row.get(4)?, row.get(5)?],
        event: row.get(6)?,
        winner: rows::winner(row.get(7)?),
        reason: row.get(8)?,
        plies: row.get(9)?,
        opening: row.get(10)?,
        own: match row.get::<_, Option<i64>>(11)? {
            Some(1) => Some(Color::Black),
            Some(_) => Some(Color::White),
            None => None,
        },
        control: row.get(12)?,
        file: (PathBuf::from(row.get::<_, String>(13)?), row.get(14)?),
        number: row.get(15)?,
        variations: row.get(16)?,
    })
}

const LINE: &str = "SELECT g.id, g.started, b.name, w.name, g.black_rating, g.white_rating, g.event, g.result,
        g.reason, g.plies, g.opening, g.own, g.black_control, f.path, f.member, g.number, g.variations
    FROM games g LEFT JOIN players b ON b.id = g.black LEFT JOIN players w ON w.id = g.white
    JOIN files f ON f.id = g.file";
