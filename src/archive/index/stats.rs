//! Sums over games.

use std::collections::HashMap;

use rusqlite::params_from_iter;

use super::{Filter, Index, IndexError, Results, rows};
use crate::archive::performance::performance;
use crate::archive::ratings::{Pairings, Rating};
use kyomi_record::Winner;
use kyomi_shogi::Color;

/// Games won, drawn and lost by one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Without a result.
    pub unknown: u64,
}

impl Score {
    fn add(&mut self, color: Color, winner: Option<Winner>) {
        match winner {
            Some(Winner::Side(side)) if side == color => self.wins += 1,
            Some(Winner::Side(_)) => self.losses += 1,
            Some(Winner::Draw) => self.draws += 1,
            None => self.unknown += 1,
        }
    }

    /// The number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses + self.unknown
    }

    /// Points of the games with a result, from 0 to 1; `None` without one.
    pub fn share(&self) -> Option<f64> {
        let decided = self.wins + self.draws + self.losses;
        (decided > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / decided as f64)
    }
}

/// A player in the statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayerStats {
    /// The name.
    pub name: String,
    /// All games.
    pub score: Score,
    /// Bradley–Terry, from all games with a result.
    pub rating: Option<Rating>,
    /// The performance against opponents whose rating is known.
    pub performance: Option<Rating>,
    /// The mean of the ratings in the records.
    pub known: Option<f64>,
}

/// The times of our own turns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnTimes {
    /// Our turns, by our own measurement.
    pub turns: u64,
    /// From our move to the server's echo, in microseconds, sorted.
    pub echoes_us: Vec<i64>,
    /// Time charged by the server beyond our own measurement, in microseconds, sorted.
    pub network_us: Vec<i64>,
    /// Turns with a ponder move, and those in which it was played.
    pub ponders: (u64, u64),
    /// Nodes per second of each turn, sorted.
    pub nps: Vec<i64>,
    /// Book moves.
    pub book: u64,
}

/// Sums over the games of a filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// The player from whose side the tables are: a name, or ourselves; `None` for black's side.
    pub view: Option<String>,
    /// Results by colour.
    pub results: Results,
    /// The viewer's score: as black, as white.
    pub by_color: [Score; 2],
    /// The viewer's score by opponent, the most frequent first. Empty without a viewer.
    pub opponents: Vec<(String, Score)>,
    /// Results by opening.
    pub openings: Vec<(String, Results, Score)>,
    /// Results by the time control of black.
    pub controls: Vec<(String, Results, Score)>,
    /// Games by end word.
    pub reasons: Vec<(String, u64)>,
    /// Games by month, with the viewer's score.
    pub months: Vec<(String, Results, Score)>,
    /// Games by length in steps of twenty plies.
    pub lengths: Vec<u64>,
    /// Moves of all games.
    pub plies: u64,
    /// Charged time and moves with it of the viewer's side, and of the other; of black and white without a viewer.
    pub spent_ms: [(i64, u64); 2],
    /// Players by rating.
    pub players: Vec<PlayerStats>,
    /// Our own turns.
    pub own: OwnTimes,
    /// Reconnects, restarts, warnings: by kind.
    pub events: Vec<(String, u64)>,
}

impl Index {
    /// The sums over the games of a filter. They are seen from the side of the filter's player, else from our own where
    /// there are own games.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn stats(&self, filter: &Filter) -> Result<Stats, IndexError> {
        let names = self.names().map_err(|error| self.fail(error))?;
        let matching = filter.player.as_deref().map(|pattern| {
            let is_match = |name: &&str| matches(&pattern.to_lowercase(), &name.to_lowercase());
            let found = names.iter().filter(|(_, name)| is_match(&name.as_str()));
            found.map(|(id, _)| *id).collect::<std::collections::HashSet<i64>>()
        });
        let mut sums = Sums::default();
        let mut read = || -> rusqlite::Result<()> {
            let condition = filter.condition();
            let sql = format!(
                "SELECT g.black, g.white, g.result, g.reason, g.plies, g.opening, g.black_rating, g.white_rating,
                    g.black_control, g.own, g.black_ms, g.white_ms, substr(g.started, 1, 7)
                FROM games g WHERE {}",
                condition.sql()
            );
            let mut statement = self.connection().prepare(&sql)?;
            let mut rows = statement.query(params_from_iter(condition.values))?;
            while let Some(row) = rows.next()? {
                let players: [Option<i64>; 2] = [row.get(0)?, row.get(1)?];
                let own: Option<i64> = row.get(9)?;
                let viewer = match &matching {
                    Some(ids) if players[0].is_some_and(|id| ids.contains(&id)) => {
                        Some(Color::Black)
                    }
                    Some(_) => Some(Color::White),
                    None => own.map(|own| if own == 1 { Color::Black } else { Color::White }),
                };
                sums.game(Game {
                    players,
                    viewer,
                    winner: rows::winner(row.get(2)?),
                    plies: row.get(4)?,
                    ratings: [row.get(6)?, row.get(7)?],
                    spent: [row.get(10)?, row.get(11)?],
                });
                let game = sums.last;
                add(&mut sums.reasons, row.get_ref(3)?.as_str().unwrap_or_default(), |count| {
                    *count += 1;
                });
                for (map, column) in
                    [(&mut sums.openings, 5), (&mut sums.controls, 8), (&mut sums.months, 12)]
                {
                    if let Some(word) = row.get_ref(column)?.as_str_or_null().unwrap_or_default() {
                        add(map, word, |sum| sum.add(game));
                    }
                }
            }
            Ok(())
        };
        read().map_err(|error| self.fail(error))?;
        let (own, events) = self.own_times(filter).map_err(|error| self.fail(error))?;
        let own_view = sums.has_viewer.then(|| "kyomi".to_owned());
        let view = filter.player.clone().or(own_view);
        Ok(sums.stats(&names, view, own, events))
    }

    fn names(&self) -> rusqlite::Result<HashMap<i64, String>> {
        let mut statement = self.connection().prepare("SELECT id, name FROM players")?;
        let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }

    fn own_times(&self, filter: &Filter) -> rusqlite::Result<(OwnTimes, Vec<(String, u64)>)> {
        let condition = filter.condition();
        let mut times = OwnTimes::default();
        let sql = format!(
            "SELECT t.measured_us, t.echo_us, t.ponder, m.ms, t.nps, t.book FROM turns t
            JOIN moves m ON m.game = t.game AND m.ply = t.ply
            WHERE t.measured_us IS NOT NULL AND t.game IN (SELECT g.id FROM games g WHERE {})",
            condition.sql()
        );
        let mut statement = self.connection().prepare(&sql)?;
        let mut rows = statement.query(params_from_iter(condition.values.clone()))?;
        while let Some(row) = rows.next()? {
            times.turns += 1;
            let (measured, echo): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
            times.echoes_us.extend(echo);
            if let Some(charged) = row.get::<_, Option<i64>>(3)? {
                times.network_us.push(charged.saturating_mul(1000).saturating_sub(measured).max(0));
            }
            if let Some(hit) = row.get::<_, Option<bool>>(2)? {
                times.ponders.0 += 1;
                times.ponders.1 += u64::from(hit);
            }
            times.nps.extend(row.get::<_, Option<i64>>(4)?);
            times.book += u64::from(row.get::<_, Option<bool>>(5)? == Some(true));
        }
        times.echoes_us.sort_unstable();
        times.network_us.sort_unstable();
        times.nps.sort_unstable();
        let sql = format!(
            "SELECT kind, count(*) FROM events WHERE game IN (SELECT g.id FROM games g WHERE {})
            GROUP BY kind ORDER BY count(*) DESC, kind",
            condition.sql()
        );
        let mut statement = self.connection().prepare(&sql)?;
        let rows = statement.query_map(params_from_iter(condition.values), |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
        })?;
        Ok((times, rows.collect::<rusqlite::Result<_>>()?))
    }
}

/// One game for the sums.
#[derive(Debug, Clone, Copy)]
struct Game {
    players: [Option<i64>; 2],
    viewer: Option<Color>,
    winner: Option<Winner>,
    plies: i64,
    ratings: [Option<f64>; 2],
    spent: [Option<i64>; 2],
}

/// Results, and the viewer's score of them.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    results: Results,
    score: Score,
}

impl Sum {
    fn add(&mut self, (viewer, winner): (Option<Color>, Option<Winner>)) {
        self.results.add(winner);
        if let Some(viewer) = viewer {
            self.score.add(viewer, winner);
        }
    }
}

#[derive(Default)]
struct Sums {
    results: Results,
    by_color: [Score; 2],
    has_viewer: bool,
    /// Viewer and winner of the game just added.
    last: (Option<Color>, Option<Winner>),
    opponents: HashMap<i64, Score>,
    openings: HashMap<String, Sum>,
    controls: HashMap<String, Sum>,
    months: HashMap<String, Sum>,
    reasons: HashMap<String, u64>,
    lengths: Vec<u64>,
    plies: u64,
    spent_ms: [(i64, u64); 2],
    /// By player: score, sum of known ratings and their number, ratings of opponents and points against them.
    players: HashMap<i64, PlayerSums>,
    numbers: HashMap<i64, usize>,
    pairings: Pairings,
}

#[derive(Default)]
struct PlayerSums {
    score: Score,
    known: (f64, u32),
    rated_opponents: Vec<f64>,
    points: f64,
}

impl Sums {
    fn game(&mut self, game: Game) {
        let Game { players, viewer, winner, plies, ratings, spent } = game;
        self.last = (viewer, winner);
        self.results.add(winner);
        // The numbers of a damaged index may be any.
        self.plies = self.plies.saturating_add(plies.max(0).cast_unsigned());
        let step = (plies.max(0) / 20).min(MOST_STEPS) as usize;
        if step >= self.lengths.len() {
            self.lengths.resize(step + 1, 0);
        }
        self.lengths[step] += 1;
        if let Some(viewer) = viewer {
            self.has_viewer = true;
            self.by_color[viewer.index()].add(viewer, winner);
            if let Some(opponent) = players[(!viewer).index()] {
                self.opponents.entry(opponent).or_default().add(viewer, winner);
            }
        }
        for color in Color::ALL {
            let moves = plies.max(0).cast_unsigned();
            let moves = if color == Color::Black { moves.div_ceil(2) } else { moves / 2 };
            if let Some(ms) = spent[color.index()] {
                let place = usize::from(viewer.unwrap_or(Color::Black) != color);
                let (sum, of) = &mut self.spent_ms[place];
                *sum = sum.saturating_add(ms);
                *of = of.saturating_add(moves);
            }
        }
        let points = match winner {
            Some(Winner::Side(Color::Black)) => Some(1.0),
            Some(Winner::Side(Color::White)) => Some(0.0),
            Some(Winner::Draw) => Some(0.5),
            None => None,
        };
        for color in Color::ALL {
            let Some(id) = players[color.index()] else { continue };
            let player = self.players.entry(id).or_default();
            player.score.add(color, winner);
            if let Some(rating) = ratings[color.index()] {
                player.known.0 += rating;
                player.known.1 += 1;
            }
            if let (Some(rating), Some(points)) = (ratings[(!color).index()], points) {
                player.rated_opponents.push(rating);
                player.points += if color == Color::Black { points } else { 1.0 - points };
            }
        }
        if let ([Some(black), Some(white)], Some(points)) = (players, points) {
            let mut number = |id| {
                let next = self.numbers.len();
                *self.numbers.entry(id).or_insert(next)
            };
            let (black, white) = (number(black), number(white));
            self.pairings.add(black, white, points);
        }
    }

    fn stats(
        self,
        names: &HashMap<i64, String>,
        view: Option<String>,
        own: OwnTimes,
        events: Vec<(String, u64)>,
    ) -> Stats {
        let name = |id: &i64| names.get(id).cloned().unwrap_or_default();
        let known_of =
            |sums: &PlayerSums| (sums.known.1 > 0).then(|| sums.known.0 / f64::from(sums.known.1));
        let mut known = vec![None; self.numbers.len()];
        for (id, number) in &self.numbers {
            known[*number] = self.players.get(id).and_then(known_of);
        }
        let ratings = self.pairings.ratings(&known);
        let mut players: Vec<PlayerStats> = self
            .players
            .iter()
            .map(|(id, sums)| PlayerStats {
                name: name(id),
                score: sums.score,
                rating: self
                    .numbers
                    .get(id)
                    .and_then(|number| ratings.get(*number).copied().flatten()),
                performance: performance(&sums.rated_opponents, sums.points),
                known: known_of(sums),
            })
            .collect();
        let elo = |player: &PlayerStats| player.rating.map_or(f64::NEG_INFINITY, |it| it.elo);
        players.sort_by(|one, other| {
            elo(other).total_cmp(&elo(one)).then_with(|| one.name.cmp(&other.name))
        });
        let mut opponents: Vec<_> =
            self.opponents.iter().map(|(id, score)| (name(id), *score)).collect();
        opponents.sort_by(|(one, a), (other, b)| b.games().cmp(&a.games()).then(one.cmp(other)));
        let mut reasons: Vec<_> = self.reasons.into_iter().collect();
        reasons.sort_by(|(one, a), (other, b)| b.cmp(a).then(one.cmp(other)));
        let mut months = table(self.months);
        months.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        Stats {
            view,
            results: self.results,
            by_color: self.by_color,
            opponents,
            openings: table(self.openings),
            controls: table(self.controls),
            reasons,
            months,
            lengths: self.lengths,
            plies: self.plies,
            spent_ms: self.spent_ms,
            players,
            own,
            events,
        }
    }
}

/// The rows of a table, the most frequent first.
fn table(map: HashMap<String, Sum>) -> Vec<(String, Results, Score)> {
    let mut rows: Vec<_> =
        map.into_iter().map(|(name, sum)| (name, sum.results, sum.score)).collect();
    rows.sort_by(|(one, a, _), (other, b, _)| b.games().cmp(&a.games()).then(one.cmp(other)));
    rows
}

/// Changes the entry of a key. Copies the key only if it is new.
fn add<T: Default>(map: &mut HashMap<String, T>, word: &str, change: impl FnOnce(&mut T)) {
    match map.get_mut(word) {
        Some(entry) => change(entry),
        None => change(map.entry(word.to_owned()).or_default()),
    }
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

/// The last class of lengths: games of 400 plies and more.
const MOST_STEPS: i64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_the_largest_numbers_end_at_the_largest_number() {
        let mut sums = Sums::default();
        for _ in 0..3 {
            sums.game(Game {
                players: [Some(1), Some(2)],
                viewer: None,
                winner: None,
                plies: i64::MAX,
                ratings: [None; 2],
                spent: [Some(i64::MAX), Some(i64::MIN)],
            });
        }
        assert_eq!(sums.plies, u64::MAX);
        assert_eq!(sums.spent_ms[0].0, i64::MAX);
        assert_eq!((sums.spent_ms[1].0, sums.lengths.len()), (i64::MIN, 21));
    }

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, fits) in [
            ("gps*", "gpsfish", true),
            ("*fish", "gpsfish", true),
            ("g*f*h", "gpsfish", true),
            ("gps", "gpsfish", false),
            ("*x*", "gpsfish", false),
            ("a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
