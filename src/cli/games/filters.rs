//! The options that choose games.

use std::path::Path;

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use crate::archive::index::{Filter, Index, WantedResult};
use crate::cli::ResultExt as _;
use crate::terminal::clean;
use kyomi_csa::text::nearest_word;
use kyomi_record::{EndKind, Format, Opening, RecordTime};
use kyomi_shogi::{
    Color, Position,
    notation::{csa, usi},
};

/// The options that choose games. All that are given must hold.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterArgs {
    /// Games of this player; `*` in a name stands for any text
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Games against this player
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,
    /// Games in which the player, or else kyomi, has this colour
    #[arg(long, value_name = "COLOUR")]
    color: Option<ColorName>,
    /// Games of this event; `*` stands for any text
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Games from this day on: 2026-11-22
    #[arg(long, value_name = "DATE", value_parser = day)]
    since: Option<String>,
    /// Games up to this day
    #[arg(long, value_name = "DATE", value_parser = day)]
    until: Option<String>,
    /// win and loss are those of the player, or else of kyomi
    #[arg(long, value_name = "RESULT")]
    result: Option<ResultName>,
    /// Games with this end: `TORYO`, `TIME_UP`, `SENNICHITE`, `KACHI` …
    #[arg(long, value_name = "WORD")]
    reason: Option<String>,
    /// yagura, kakugawari, aigakari, yokofudori, black-shikenbisha …; shikenbisha alone: by either side
    #[arg(long, value_name = "OPENING", value_parser = openings)]
    opening: Option<Openings>,
    /// Both players have at least this rating
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    min_rating: Option<f64>,
    /// Both players have at most this rating
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    max_rating: Option<f64>,
    /// Games of at least this number of moves
    #[arg(long, value_name = "N")]
    min_plies: Option<u32>,
    /// Games of at most this number of moves
    #[arg(long, value_name = "N")]
    max_plies: Option<u32>,
    /// Games in which this position occurs: an SFEN, or `startpos moves 7g7f …`
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
}

/// A side.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ColorName {
    Black,
    White,
}

/// A result.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ResultName {
    Win,
    Loss,
    Draw,
    Black,
    White,
    None,
}

impl FilterArgs {
    fn check_days(&self) -> anyhow::Result<()> {
        match (&self.since, &self.until) {
            (Some(since), Some(until)) if since > until => {
                Err(anyhow!("no day is from {since} on and up to {until}"))
                    .written_by_user()
                    .hint("--since names the first day, --until the last")
            }
            _ => Ok(()),
        }
    }

    /// The filter for the games of a database.
    ///
    /// # Errors
    /// A player or an end word that no game has, and a span of days that ends before it begins.
    pub(super) fn filter(&self, index: &Index) -> anyhow::Result<Filter> {
        self.check_days()?;
        if let Some(word) = &self.reason {
            check_reason(word, index)?;
        }
        check_players([&self.player, &self.opponent].into_iter().flatten(), index)?;
        let position = self.position.as_deref().map(position).transpose()?;
        Ok(Filter {
            player: self.player.clone(),
            opponent: self.opponent.clone(),
            is_own: false,
            files_in: None,
            color: self.color.map(|color| match color {
                ColorName::Black => Color::Black,
                ColorName::White => Color::White,
            }),
            event: self.event.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            result: self.result.map(|result| match result {
                ResultName::Win => WantedResult::Win,
                ResultName::Loss => WantedResult::Loss,
                ResultName::Draw => WantedResult::Draw,
                ResultName::Black => WantedResult::Black,
                ResultName::White => WantedResult::White,
                ResultName::None => WantedResult::None,
            }),
            reason: self.reason.clone(),
            openings: self.opening.clone().map(|openings| openings.0).unwrap_or_default(),
            least_rating: self.min_rating,
            most_rating: self.max_rating,
            least_plies: self.min_plies,
            most_plies: self.max_plies,
            position: position.map(Box::new),
        })
    }
}

/// Refuses a name without `*` that no player of the database has, unless the database has no players.
fn check_players<'a>(
    wanted: impl Iterator<Item = &'a String>,
    index: &Index,
) -> anyhow::Result<()> {
    let mut wanted = wanted.filter(|name| !name.contains('*')).peekable();
    if wanted.peek().is_none() {
        return Ok(());
    }
    let names = index.player_names()?;
    for name in wanted.filter(|_| !names.is_empty()) {
        let lower = name.to_lowercase();
        if names.iter().any(|known| known.to_lowercase() == lower) {
            continue;
        }
        let near = nearest_word(name, names.iter().map(String::as_str));
        let hint = near.map_or_else(
            || "`kyomi games stats -n 0` lists the players; * stands for any text".to_owned(),
            |near| format!("did you mean '{}'?", clean(near)),
        );
        return Err(anyhow!("no game of a player '{}'", clean(name))).written_by_user().hint(hint);
    }
    Ok(())
}

/// Refuses a word that neither CSA nor a game of the database has.
fn check_reason(word: &str, index: &Index) -> anyhow::Result<()> {
    let upper = word.to_uppercase();
    if !matches!(EndKind::from_word(&upper), EndKind::Unknown(_)) {
        return Ok(());
    }
    let filter = Filter { reason: Some(upper.clone()), ..Filter::default() };
    if index.count(&filter)? > 0 {
        return Ok(());
    }
    let kinds: Vec<EndKind> = EndKind::known().collect();
    let known: Vec<&str> = kinds.iter().map(EndKind::word).collect();
    let hint = match nearest_word(&upper, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("known are {}", known.join(", ")),
    };
    Err(anyhow!("--reason: '{}' is no end word of CSA", clean(word))).written_by_user().hint(hint)
}

/// The position of an SFEN, or after the moves of a line; of moves alone, from the usual start position.
pub(super) fn position(text: &str) -> anyhow::Result<Position> {
    let text = text.trim();
    if let Some(position) = after_moves(text) {
        return Ok(position);
    }
    let game = usi::parse_position_line(text).written_by_user().hint(
        "write an SFEN, or moves: startpos moves 7g7f 3c3d, +7776FU -3334FU, ▲７六歩 △３四歩",
    )?;
    Ok(game.position().clone())
}

/// The position after these moves from the start position: of USI, of CSA, or in Japanese. `None` for anything else.
fn after_moves(text: &str) -> Option<Position> {
    let text = text.strip_prefix("moves ").unwrap_or(text);
    if usi::parse_move(text.split_whitespace().next()?).is_ok() {
        let game = usi::parse_position_line(&format!("startpos moves {text}")).ok()?;
        return Some(game.position().clone());
    }
    if text.starts_with(['+', '-']) {
        let mut position = Position::startpos();
        for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|it| !it.is_empty())
        {
            let mv = csa::parse_move(&position, word).ok().filter(|mv| position.is_legal(*mv))?;
            position.do_move(mv);
        }
        return Some(position);
    }
    if !text.starts_with(['▲', '△', '☗', '☖', '▼', '▽']) {
        return None;
    }
    let read = Format::Ki2.read_each(text.as_bytes()).next()?.ok()?;
    if read.fault.is_some() || read.record.moves.is_empty() {
        return None;
    }
    let mut position = read.record.start.clone();
    for made in &read.record.moves {
        position.do_move(made.mv);
    }
    Some(position)
}

/// A day, `2026-11-22` or `2026/11/22`.
fn day(text: &str) -> Result<String, String> {
    RecordTime::parse(&text.replace('-', "/"))
        .map(|time| time.date.to_string())
        .ok_or_else(|| "expected a day such as 2026-11-22".to_owned())
}

/// The openings of a name.
#[derive(Debug, Clone)]
struct Openings(Vec<Opening>);

fn openings(text: &str) -> Result<Openings, String> {
    let text = text.to_lowercase();
    if let Ok(opening) = text.parse() {
        return Ok(Openings(vec![opening]));
    }
    let of_either = |opening: &Opening| {
        opening.to_string().split_once('-').is_some_and(|(_, name)| name == text)
    };
    let found: Vec<_> = Opening::all().filter(of_either).collect();
    if found.is_empty() {
        return text.parse::<Opening>().map(|_| Openings(Vec::new())).map_err(|it| it.to_string());
    }
    Ok(Openings(found))
}

/// The name of a file for a message.
pub(super) fn file_name(path: &Path, member: &str) -> String {
    if member.is_empty() {
        path.display().to_string()
    } else {
        format!("{} ({member})", path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_given_by_moves_of_any_notation() {
        let wanted = position("startpos moves 7g7f 3c3d").unwrap();
        for text in [
            "7g7f 3c3d",
            "moves 7g7f 3c3d",
            "position startpos moves 7g7f 3c3d",
            "+7776FU -3334FU",
            "+7776FU,-3334FU",
            "▲７六歩 △３四歩",
            "☗７六歩☖３四歩",
        ] {
            assert_eq!(position(text).unwrap(), wanted, "{text}");
        }
        for text in ["7g7f 7g7f", "+7776FU +3334FU", "+7776KI", "▲７五歩", "▲", "", "x"] {
            let error = format!("{:#}", position(text).unwrap_err());
            assert_eq!(error.lines().count(), 1, "{text}: {error}");
        }
    }
}
