//! The file that describes an event (`kyomi serve --event`).

use std::time::Duration;

use jiff::{civil::DateTime, tz::TimeZone};
use serde::Deserialize;

use kyomi_csa::league::{Event, Format, Opening, Player, RoundStart, Schedule};
use kyomi_csa::text::Secret;
use kyomi_shogi::clock::{GameTime, parse_duration};
use kyomi_shogi::notation::usi::parse_position_line;
use kyomi_shogi::{Handicap, Position};

/// Why a file does not describe an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// It is not TOML of this form; the text has the line.
    #[error("{0}")]
    Syntax(String),
    /// A value is wrong.
    #[error("{key}: {problem}")]
    Value {
        /// The key.
        key: String,
        /// What is wrong, and which values are valid.
        problem: String,
    },
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEvent {
    name: String,
    format: String,
    rounds: Option<usize>,
    double: Option<bool>,
    #[serde(default)]
    seed: u64,
    max_moves: Option<u32>,
    #[serde(default)]
    openings: Vec<String>,
    player: Vec<RawPlayer>,
    time: RawTime,
    #[serde(default)]
    schedule: RawSchedule,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPlayer {
    name: String,
    password: Option<String>,
}

/// The name alone.
impl std::fmt::Debug for RawPlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTime {
    total: String,
    byoyomi: Option<String>,
    increment: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawSchedule {
    rounds: Vec<String>,
    pause: Option<String>,
    forfeit_after: Option<String>,
}

/// Reads an event from the text of its file. Times of day are of this machine's time zone.
///
/// # Errors
/// The first thing that is wrong.
pub fn read_event(text: &str) -> Result<Event, EventError> {
    // The lines of the file that the error shows may hold a password, so only its message is kept.
    let raw: RawEvent = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| {
            let before = &text.as_bytes()[..span.start.min(text.len())];
            before.split(|byte| *byte == b'\n').count()
        });
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        EventError::Syntax(format!("{line}{}", error.message()))
    })?;
    let word = |b: u8| b.is_ascii_alphanumeric() || b"_.".contains(&b);
    if !(1..=32).contains(&raw.name.len()) || !raw.name.bytes().all(word) {
        return Err(wrong("name", "1 to 32 of A-Z a-z 0-9 _ . are right"));
    }
    let players = players(raw.player)?;
    let format = format(&raw.format, raw.rounds, raw.double, players.len())?;
    let part = |key: &str, text: Option<String>| match text {
        Some(text) => duration(&format!("time.{key}"), &text),
        None => Ok(Duration::ZERO),
    };
    let time = GameTime {
        total: part("total", Some(raw.time.total))?,
        byoyomi: part("byoyomi", raw.time.byoyomi)?,
        increment: part("increment", raw.time.increment)?,
    };
    if time.total.is_zero() && time.byoyomi.is_zero() && time.increment.is_zero() {
        return Err(wrong("time", "all times are zero; nobody could move"));
    }
    let mut openings =
        raw.openings.iter().enumerate().map(opening).collect::<Result<Vec<_>, _>>()?;
    if openings.is_empty() {
        openings.push(Opening { start: Position::startpos(), moves: Vec::new() });
    }
    let schedule = schedule(&raw.schedule)?;
    let (name, seed, max_moves) = (raw.name, raw.seed, raw.max_moves);
    Ok(Event { name, players, format, seed, time, max_moves, openings, schedule })
}

fn players(raw: Vec<RawPlayer>) -> Result<Vec<Player>, EventError> {
    let mut players: Vec<Player> = Vec::new();
    for player in raw {
        let fine = |b: u8| b.is_ascii_alphanumeric() || b"_@.-".contains(&b);
        if !(1..=32).contains(&player.name.len()) || !player.name.bytes().all(fine) {
            let problem = format!("{:?}: 1 to 32 of A-Z a-z 0-9 _ @ . - are right", player.name);
            return Err(wrong("player.name", &problem));
        }
        if players.iter().any(|known| known.name == player.name) {
            return Err(wrong("player.name", &format!("{} is there twice", player.name)));
        }
        let password = player.password.map(Secret::new);
        let is_word = |it: &Secret| it.expose().bytes().all(|b| b.is_ascii_graphic());
        if password.as_ref().is_some_and(|it| it.expose().is_empty() || !is_word(it)) {
            let problem = format!("of {}: printable ASCII without blanks is right", player.name);
            return Err(wrong("player.password", &problem));
        }
        players.push(Player { name: player.name, password });
    }
    if !(2..=MOST_PLAYERS).contains(&players.len()) {
        let problem = format!("{} players; 2 to {MOST_PLAYERS} are right", players.len());
        return Err(wrong("player", &problem));
    }
    Ok(players)
}

fn format(
    format: &str,
    rounds: Option<usize>,
    double: Option<bool>,
    players: usize,
) -> Result<Format, EventError> {
    match (format, rounds, double) {
        ("swiss", Some(rounds), None) if (1..=100).contains(&rounds) => {
            Ok(Format::Swiss { rounds })
        }
        ("swiss", Some(_), None) => Err(wrong("rounds", "1 to 100 are right")),
        ("swiss", None, None) => {
            // Enough to find a winner who has won all games.
            Ok(Format::Swiss { rounds: players.next_power_of_two().ilog2().max(1) as usize })
        }
        ("swiss", _, Some(_)) => Err(wrong("double", "is for round_robin")),
        ("round_robin", None, double) => Ok(Format::RoundRobin { double: double.unwrap_or(false) }),
        ("round_robin", Some(_), _) => {
            Err(wrong("rounds", "follows from the players in round_robin"))
        }
        _ => Err(wrong("format", "\"swiss\" or \"round_robin\" is right")),
    }
}

fn opening((index, text): (usize, &String)) -> Result<Opening, EventError> {
    if let Some(handicap) = Handicap::by_name(text) {
        return Ok(Opening { start: handicap.position(), moves: Vec::new() });
    }
    let fail = |problem: String| wrong(&format!("openings, number {}", index + 1), &problem);
    let game = parse_position_line(text).map_err(|error| fail(error.to_string()))?;
    game.start().check_playable().map_err(|error| fail(error.to_string()))?;
    if game.position().legal_moves().is_empty() {
        return Err(fail("the game is over there".to_owned()));
    }
    Ok(Opening { start: game.start().clone(), moves: game.moves().to_vec() })
}

fn schedule(raw: &RawSchedule) -> Result<Schedule, EventError> {
    let mut rounds = Vec::new();
    for text in &raw.rounds {
        rounds.push(if text == "when all are there" {
            RoundStart::WhenAllAreThere
        } else {
            let at = DateTime::strptime("%Y-%m-%d %H:%M", text).ok();
            let at = at.and_then(|at| at.to_zoned(TimeZone::system()).ok());
            let problem = format!(
                "{text:?}: \"when all are there\" or a time like \"2026-11-23 10:00\" is right"
            );
            RoundStart::At(at.ok_or_else(|| wrong("schedule.rounds", &problem))?.timestamp())
        });
    }
    let pause =
        raw.pause.as_deref().map_or(Ok(Duration::ZERO), |it| duration("schedule.pause", it))?;
    let forfeit_after = raw
        .forfeit_after
        .as_deref()
        .map(|it| duration("schedule.forfeit_after", it))
        .transpose()?;
    Ok(Schedule { rounds, pause, forfeit_after })
}

fn duration(key: &str, text: &str) -> Result<Duration, EventError> {
    let time = parse_duration(text).map_err(|error| wrong(key, &error.to_string()))?;
    if time > Duration::from_secs(7 * 24 * 3600) || time.subsec_nanos() % 1_000_000 != 0 {
        return Err(wrong(key, "whole milliseconds up to seven days are right"));
    }
    Ok(time)
}

fn wrong(key: &str, problem: &str) -> EventError {
    EventError::Value { key: key.to_owned(), problem: problem.to_owned() }
}

const MOST_PLAYERS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        name = "autumn"
        format = "swiss"
        rounds = 3
        openings = ["startpos moves 7g7f 3c3d", "rook"]
        [[player]]
        name = "a"
        password = "secret"
        [[player]]
        name = "b"
        [time]
        total = "60s"
        increment = "1s"
        [schedule]
        rounds = ["when all are there", "2026-11-23 10:00"]
        pause = "1m"
        forfeit_after = "10m"
    "#;

    #[test]
    fn an_event_is_read() {
        let event = read_event(FILE).unwrap();
        assert_eq!(event.format, Format::Swiss { rounds: 3 });
        assert_eq!(event.players.len(), 2);
        assert_eq!(event.time.increment, Duration::from_secs(1));
        assert_eq!(event.openings[0].moves.len(), 2);
        assert_ne!(event.openings[1].start, Position::startpos());
        assert_eq!(event.schedule.rounds[0], RoundStart::WhenAllAreThere);
        assert_eq!(event.schedule.forfeit_after, Some(Duration::from_secs(600)));
        assert!(!format!("{event:?}").contains("secret"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (old, new, said) in [
            ("\"swiss\"", "\"swis\"", "format: "),
            ("rounds = 3", "rounds = 0", "rounds: "),
            ("rounds = 3", "round = 3", "line 4: unknown field"),
            ("rounds = 3", "double = true", "double: "),
            ("autumn", "../x", "name: "),
            ("name = \"b\"", "name = \"a\"", "player.name: a is there twice"),
            ("name = \"b\"", "name = \"b/c\"", "player.name: "),
            ("7g7f 3c3d", "7g7f 7g7f", "openings, number 1: "),
            ("\"rook\"", "\"bishp\"", "openings, number 2: "),
            ("10:00", "10 Uhr", "schedule.rounds: "),
            ("\"1m\"", "\"soon\"", "schedule.pause: "),
            ("secret", "se cret", "player.password: "),
        ] {
            let error = read_event(&FILE.replacen(old, new, 1)).unwrap_err().to_string();
            assert!(error.starts_with(said), "{new}: {error}");
            assert!(!error.contains("cret"), "{error}");
        }
        let broken = FILE.replacen("\"secret\"", "\"secret", 1);
        let error = read_event(&broken).unwrap_err().to_string();
        assert!(error.starts_with("line 8: ") && !error.contains("secret"), "{error}");
    }
}
