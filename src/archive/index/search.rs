//! The games in which a position occurs.

use std::collections::HashMap;

use rusqlite::params_from_iter;

use super::{Filter, GameLine, Index, IndexError, rows};
use kyomi_record::Winner;
use kyomi_shogi::{Color, Move, Position, notation::usi};

/// Games won by black, won by white, drawn, and of unknown result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Results {
    /// Won by black.
    pub black: u64,
    /// Won by white.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Of unknown result.
    pub unknown: u64,
}

impl Results {
    /// Adds a game.
    pub const fn add(&mut self, winner: Option<Winner>) {
        match winner {
            Some(Winner::Side(Color::Black)) => self.black += 1,
            Some(Winner::Side(Color::White)) => self.white += 1,
            Some(Winner::Draw) => self.draws += 1,
            None => self.unknown += 1,
        }
    }

    /// The number of games.
    pub const fn games(&self) -> u64 {
        self.black + self.white + self.draws + self.unknown
    }

    /// Black's points of the games with a result, from 0 to 1; `None` without one.
    pub fn score(&self) -> Option<f64> {
        let games = self.black + self.white + self.draws;
        (games > 0).then(|| (self.black as f64 + self.draws as f64 / 2.0) / games as f64)
    }
}

/// The statistics of a position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Games in which the position occurs, each once.
    pub results: Results,
    /// The moves made in it, the most frequent first.
    pub moves: Vec<(Move, Results)>,
    /// The latest games.
    pub games: Vec<GameLine>,
}

impl Index {
    /// Finds a position in the games of a filter, with the latest `most` games.
    ///
    /// Positions are found by their 64-bit keys. A move that is illegal in the position belongs to another position of
    /// the same key, and is left out.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn search(
        &self,
        position: &Position,
        filter: &Filter,
        most: usize,
    ) -> Result<Found, IndexError> {
        let search = || -> rusqlite::Result<Found> {
            let allowed = self.results(filter)?;
            let key = position.key().cast_signed();
            let mut found = Found::default();
            let mut moves: HashMap<String, Option<(Move, Results)>> = HashMap::new();
            let mut seen: Vec<i64> = Vec::new();
            // A game with a repetition has the position several times.
            let query = "SELECT DISTINCT move, game FROM moves WHERE key = ?1";
            let mut statement = self.connection().prepare_cached(query)?;
            let mut hits = statement.query([key])?;
            while let Some(hit) = hits.next()? {
                let game: i64 = hit.get(1)?;
                let Some(result) = allowed.of(game) else { continue };
                let word = hit.get_ref(0)?.as_str().unwrap_or_default();
                let entry = match moves.get_mut(word) {
                    Some(entry) => entry,
                    None => moves.entry(word.to_owned()).or_insert_with(|| {
                        let mv = usi::parse_move(word).ok()?;
                        position.is_legal(mv).then(|| (mv, Results::default()))
                    }),
                };
                if let Some((_, results)) = entry {
                    results.add(rows::winner(result));
                    seen.push(game);
                }
            }
            let query = "SELECT id FROM games WHERE final_key = ?1";
            let mut statement = self.connection().prepare_cached(query)?;
            let mut hits = statement.query([key])?;
            while let Some(hit) = hits.next()? {
                seen.push(hit.get(0)?);
            }
            seen.sort_unstable();
            seen.dedup();
            seen.retain(|game| {
                let result = allowed.of(*game);
                if let Some(result) = result {
                    found.results.add(rows::winner(result));
                }
                result.is_some()
            });
            found.moves = moves.into_values().flatten().collect();
            found
                .moves
                .sort_by_key(|(mv, results)| (std::cmp::Reverse(results.games()), mv.to_bits()));
            found.games = self.latest(&seen, most)?;
            Ok(found)
        };
        search().map_err(|error| self.fail(error))
    }

    /// The results of the games of a filter, by number.
    fn results(&self, filter: &Filter) -> rusqlite::Result<ResultsById> {
        let condition = filter.condition();
        let sql = format!("SELECT g.id, g.result FROM games g WHERE {}", condition.sql());
        let mut statement = self.connection().prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(condition.values))?;
        let mut results = ResultsById::default();
        while let Some(row) = rows.next()? {
            results.put(row.get(0)?, row.get(1)?);
        }
        Ok(results)
    }

    /// The latest of these games.
    fn latest(&self, ids: &[i64], most: usize) -> rusqlite::Result<Vec<GameLine>> {
        if ids.len() > MOST_DATED {
            return self.latest_of_many(ids, most);
        }
        let mut dated = Vec::with_capacity(ids.len());
        let mut statement =
            self.connection().prepare_cached("SELECT started FROM games WHERE id = ?1")?;
        for id in ids {
            let started: Option<String> = statement.query_row([id], |row| row.get(0))?;
            dated.push((started, *id));
        }
        dated.sort_unstable_by(|one, other| other.cmp(one));
        let mut games = Vec::new();
        for (_, id) in dated.into_iter().take(most) {
            games.extend(self.game(id).ok().flatten());
        }
        Ok(games)
    }

    /// The latest of these games, which are sorted. Since they are many, the latest games of all soon contain them.
    fn latest_of_many(&self, ids: &[i64], most: usize) -> rusqlite::Result<Vec<GameLine>> {
        let query = "SELECT id FROM games ORDER BY started DESC, id DESC";
        let mut statement = self.connection().prepare_cached(query)?;
        let mut rows = statement.query(())?;
        let mut games = Vec::new();
        while games.len() < most
            && let Some(row) = rows.next()?
        {
            let id = row.get(0)?;
            if ids.binary_search(&id).is_ok() {
                games.extend(self.game(id).ok().flatten());
            }
        }
        Ok(games)
    }
}

/// Results of games by their numbers, which are small.
#[derive(Debug, Default)]
struct ResultsById(Vec<u8>);

impl ResultsById {
    fn put(&mut self, id: i64, result: i64) {
        let Ok(id) = usize::try_from(id) else { return };
        if id >= self.0.len() && id < MOST_GAMES {
            self.0.resize((id + 1).next_power_of_two(), NONE);
        }
        if let Some(place) = self.0.get_mut(id) {
            *place = u8::try_from(result).unwrap_or(0);
        }
    }

    fn of(&self, id: i64) -> Option<i64> {
        let result = *self.0.get(usize::try_from(id).ok()?)?;
        (result != NONE).then_some(i64::from(result))
    }
}

const NONE: u8 = u8::MAX;

/// The largest number of a game.
const MOST_GAMES: usize = 1 << 30;

/// The largest number of games whose dates are read one by one.
const MOST_DATED: usize = 2000;
