//! The filter of games, as conditions on the table of games.

use std::path::{MAIN_SEPARATOR, PathBuf};

use rusqlite::types::Value;

use kyomi_record::Opening;
use kyomi_shogi::{Color, Position};

/// A filter of games. All conditions that are set must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Games of this player, on either side. In this and other names `*` stands for any text, and case does not matter.
    pub player: Option<String>,
    /// Games against this player: of `player`, else of our own side, else of anybody.
    pub opponent: Option<String>,
    /// The side of `player`, else our own side.
    pub color: Option<Color>,
    /// Only games that kyomi played.
    pub is_own: bool,
    /// Only games of files in one of these folders, whose paths are canonical.
    pub files_in: Option<Vec<PathBuf>>,
    /// The name of the event.
    pub event: Option<String>,
    /// The first day, `2026-11-22`.
    pub since: Option<String>,
    /// The last day.
    pub until: Option<String>,
    /// The result.
    pub result: Option<WantedResult>,
    /// The end word of CSA, without `%`.
    pub reason: Option<String>,
    /// Openings, one of them.
    pub openings: Vec<Opening>,
    /// Both players have at least this rating.
    pub least_rating: Option<f64>,
    /// Both players have at most this rating.
    pub most_rating: Option<f64>,
    /// At least this number of moves.
    pub least_plies: Option<u32>,
    /// At most this number of moves.
    pub most_plies: Option<u32>,
    /// Games in which this position occurs.
    pub position: Option<Box<Position>>,
}

/// A result to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedResult {
    /// Black won.
    Black,
    /// White won.
    White,
    /// Drawn.
    Draw,
    /// Not known.
    None,
    /// Won by the player of the filter, else by our own side.
    Win,
    /// Lost by the player of the filter, else by our own side.
    Loss,
}

/// A condition in SQL, with its values.
#[derive(Debug, Clone, Default)]
pub(super) struct Condition {
    parts: Vec<String>,
    pub(super) values: Vec<Value>,
}

impl Condition {
    fn add(&mut self, sql: &str, values: impl IntoIterator<Item = Value>) {
        self.parts.push(format!("({sql})"));
        self.values.extend(values);
    }

    /// The text after `WHERE`.
    pub(super) fn sql(&self) -> String {
        if self.parts.is_empty() { "1".to_owned() } else { self.parts.join(" AND ") }
    }
}

impl Filter {
    /// The condition, for a query in which the table of games is `g`.
    pub(super) fn condition(&self) -> Condition {
        let mut condition = Condition::default();
        self.add_sides(&mut condition);
        self.add_origin(&mut condition);
        self.add_header(&mut condition);
        self.add_result(&mut condition);
        self.add_course(&mut condition);
        condition
    }

    /// The conditions on players, on their colours, and on the result of one of them.
    fn add_sides(&self, condition: &mut Condition) {
        let name = |name: &str| {
            let is_pattern = name.contains('*');
            let sql = if is_pattern { "folded(name) GLOB ?" } else { "folded(name) = ?" };
            let word = if is_pattern { literal_but_star(name) } else { name.to_owned() };
            (format!("SELECT id FROM players WHERE {sql}"), Value::from(word.to_lowercase()))
        };
        let player = self.player.as_deref().map(name);
        let opponent = self.opponent.as_deref().map(name);
        // The side that the conditions on colour, result and opponent refer to: 1 black, 2 white.
        let sides: [Condition; 2] =
            [("g.black", "g.white", 1), ("g.white", "g.black", 2)].map(|(own, other, number)| {
                let mut side = Condition::default();
                match &player {
                    Some((players, value)) => {
                        side.add(&format!("{own} IN ({players})"), [value.clone()]);
                    }
                    None if self.needs_own_side() => {
                        side.add(&format!("g.own = {number}"), []);
                    }
                    None => {}
                }
                if let Some((players, value)) = &opponent {
                    side.add(&format!("{other} IN ({players})"), [value.clone()]);
                }
                match self.result {
                    Some(WantedResult::Win) => side.add(&format!("g.result = {number}"), []),
                    Some(WantedResult::Loss) => side.add(&format!("g.result = {}", 3 - number), []),
                    _ => {}
                }
                side
            });
        let [black, white] = sides;
        match self.color {
            Some(Color::Black) => condition.add(&black.sql(), black.values),
            Some(Color::White) => condition.add(&white.sql(), white.values),
            None if black.parts.is_empty() => {}
            None => {
                let sql = format!("{} OR {}", black.sql(), white.sql());
                condition.add(&sql, black.values.into_iter().chain(white.values));
            }
        }
    }

    /// The conditions on who played the game, and on the folder of its file.
    fn add_origin(&self, condition: &mut Condition) {
        if self.is_own {
            condition.add("g.own IS NOT NULL", []);
        }
        if let Some(folders) = &self.files_in {
            // The paths in a folder are those from its own, with a separator, up to the same with the character after
            // that.
            let bounds = folders.iter().flat_map(|folder| {
                let first = folder.join("").to_string_lossy().into_owned();
                let mut end = first.trim_end_matches(MAIN_SEPARATOR).to_owned();
                end.push(char::from_u32(u32::from(MAIN_SEPARATOR) + 1).unwrap_or(char::MAX));
                [Value::from(first), Value::from(end)]
            });
            let parts = vec!["path >= ? AND path < ?"; folders.len()].join(" OR ");
            let parts = if parts.is_empty() { "0" } else { &parts };
            condition.add(&format!("g.file IN (SELECT id FROM files WHERE {parts})"), bounds);
        }
    }

    /// The conditions on event and date.
    fn add_header(&self, condition: &mut Condition) {
        if let Some(event) = &self.event {
            condition
                .add("folded(g.event) GLOB ?", [text(&literal_but_star(event).to_lowercase())]);
        }
        if let Some(since) = &self.since {
            condition.add("g.started >= ?", [text(since)]);
        }
        if let Some(until) = &self.until {
            condition.add("substr(g.started, 1, 10) <= ?", [text(until)]);
        }
    }

    /// The conditions on the result by colour and on its reason.
    fn add_result(&self, condition: &mut Condition) {
        let number = match self.result {
            Some(WantedResult::None) => Some(0),
            Some(WantedResult::Black) => Some(1),
            Some(WantedResult::White) => Some(2),
            Some(WantedResult::Draw) => Some(3),
            Some(WantedResult::Win | WantedResult::Loss) | None => None,
        };
        if let Some(number) = number {
            condition.add(&format!("g.result = {number}"), []);
        }
        if let Some(reason) = &self.reason {
            condition.add("g.reason = ?", [text(&reason.to_uppercase())]);
        }
    }

    /// The conditions on opening, ratings, length and positions.
    fn add_course(&self, condition: &mut Condition) {
        if !self.openings.is_empty() {
            let marks = vec!["?"; self.openings.len()].join(", ");
            let values: Vec<_> = self.openings.iter().map(|it| text(&it.to_string())).collect();
            condition.add(&format!("g.opening IN ({marks})"), values);
        }
        if let Some(least) = self.least_rating {
            let sql = "g.black_rating >= ? AND g.white_rating >= ?";
            condition.add(sql, [least.into(), least.into()]);
        }
        if let Some(most) = self.most_rating {
            let sql = "g.black_rating <= ? AND g.white_rating <= ?";
            condition.add(sql, [most.into(), most.into()]);
        }
        if let Some(least) = self.least_plies {
            condition.add("g.plies >= ?", [Value::from(i64::from(least))]);
        }
        if let Some(most) = self.most_plies {
            condition.add("g.plies <= ?", [Value::from(i64::from(most))]);
        }
        if let Some(position) = &self.position {
            let key = Value::from(position.key().cast_signed());
            let sql = "g.id IN (SELECT game FROM moves WHERE key = ? UNION
                SELECT id FROM games WHERE final_key = ?)";
            condition.add(sql, [key.clone(), key]);
        }
    }

    /// Whether a condition refers to a side and the filter has no player, so that our own side is meant.
    const fn needs_own_side(&self) -> bool {
        self.player.is_none()
            && (matches!(self.result, Some(WantedResult::Win | WantedResult::Loss))
                || self.color.is_some())
    }
}

fn text(text: &str) -> Value {
    Value::from(text.to_owned())
}

/// Escapes a pattern for GLOB so that only `*` is special.
fn literal_but_star(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        match c {
            '?' | '[' => text.extend(['[', c, ']']),
            c => text.push(c),
        }
    }
    text
}
