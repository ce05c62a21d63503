//! The results of our own games.

use std::collections::HashMap;

use rusqlite::{Connection, params_from_iter};

use super::{Filter, Index, IndexError, rows};
use kyomi_shogi::{Color, Outcome, Winner};

/// A game that kyomi played.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnGame {
    /// The name under which it was played.
    pub name: String,
    /// The opponent's name.
    pub opponent: Option<String>,
    /// The opponent's rating: that of the record, else the mean of those in the opponent's other games.
    pub opponent_rating: Option<f64>,
    /// The result.
    pub outcome: Outcome,
}

impl Index {
    /// The games of a filter that kyomi played, in the order in which they began.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn own_games(&self, filter: &Filter) -> Result<Vec<OwnGame>, IndexError> {
        self.read_own_games(filter).map_err(|error| self.fail(error))
    }

    fn read_own_games(&self, filter: &Filter) -> rusqlite::Result<Vec<OwnGame>> {
        let condition = Filter { is_own: true, ..filter.clone() }.condition();
        let sql = format!(
            "SELECT g.own, g.result, g.black, g.white, b.name, w.name, g.black_rating, g.white_rating
            FROM games g LEFT JOIN players b ON b.id = g.black LEFT JOIN players w ON w.id = g.white
            WHERE {} ORDER BY g.started, g.id",
            condition.sql()
        );
        let mut statement = self.connection().prepare(&sql)?;
        let mut found = statement.query(params_from_iter(condition.values))?;
        let mut means = HashMap::new();
        let mut games = Vec::new();
        while let Some(row) = found.next()? {
            let own = if row.get::<_, i64>(0)? == 1 { Color::Black } else { Color::White };
            let other = (!own).index();
            let mut rating: Option<f64> = row.get(6 + other)?;
            if rating.is_none()
                && let Some(player) = row.get::<_, Option<i64>>(2 + other)?
            {
                rating = match means.get(&player) {
                    Some(known) => *known,
                    None => *means.entry(player).or_insert(mean_rating(self.connection(), player)?),
                };
            }
            let winner = rows::winner(row.get(1)?);
            games.push(OwnGame {
                name: row.get::<_, Option<String>>(4 + own.index())?.unwrap_or_default(),
                opponent: row.get(4 + other)?,
                opponent_rating: rating,
                outcome: winner.map_or(Outcome::None, |it: Winner| it.outcome_for(own)),
            });
        }
        Ok(games)
    }
}

/// The mean of a player's ratings in the records.
fn mean_rating(connection: &Connection, player: i64) -> rusqlite::Result<Option<f64>> {
    let query = "SELECT avg(rating) FROM (
            SELECT black_rating AS rating FROM games WHERE black = ?1
            UNION ALL SELECT white_rating FROM games WHERE white = ?1)";
    connection.prepare_cached(query)?.query_row([player], |row| row.get(0))
}
