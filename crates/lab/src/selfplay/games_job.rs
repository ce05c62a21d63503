//! Some games of self-play as a job for another machine.
//!
//! The job names the starts that are tried, so that a worker needs no records.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use kyomi::cluster::jobs::compute;
use kyomi::matches::fit_engine;
use kyomi::players::EngineOption;
use kyomi_engine::search::Searcher;
use kyomi_shogi::Position;

use super::play::{GamePlayer, Played};
use super::starts::SampledStart;
use super::{Block, OpeningSource, SelfplayGame, SelfplaySettings};

/// Some games of self-play, as the broker keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesJob {
    seed: u64,
    nodes: u64,
    start_score: i32,
    win: String,
    max_moves: u16,
    hash_mib: u64,
    /// `NAME=VALUE`.
    options: Vec<String>,
    games: Vec<GameToPlay>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameToPlay {
    number: u32,
    /// The starts to try, one after the other, in SFEN.
    starts: Vec<String>,
}

impl GamesJob {
    /// The kind of these jobs.
    pub const KIND: &'static str = "selfplay";

    /// Games with these numbers, and the starts to try for each.
    pub(super) fn new<'a>(
        seed: u64,
        settings: &SelfplaySettings,
        games: impl Iterator<Item = (u32, &'a [SampledStart])>,
    ) -> Self {
        let option = |it: &EngineOption| format!("{}={}", it.name, it.value);
        let game = |(number, starts): (u32, &[SampledStart])| {
            let starts = starts.iter().map(|start| start.position.to_sfen()).collect();
            GameToPlay { number, starts }
        };
        Self {
            seed,
            nodes: settings.nodes,
            start_score: settings.start_score,
            win: settings.win.to_string(),
            max_moves: settings.max_moves,
            hash_mib: settings.hash_mib,
            options: settings.options.iter().map(option).collect(),
            games: games.map(game).collect(),
        }
    }

    /// The games that a message asks for.
    ///
    /// # Errors
    /// Why they cannot be played.
    pub fn read(work: Value) -> Result<Self, String> {
        let job: Self = serde_json::from_value(work).map_err(|error| error.to_string())?;
        job.settings()?;
        let most = |what: &str, number: usize, most: usize| {
            if (1..=most).contains(&number) {
                Ok(())
            } else {
                Err(format!("{number} {what}; expected 1 to {most}"))
            }
        };
        most("games", job.games.len(), MOST_GAMES)?;
        for game in &job.games {
            most("starts", game.starts.len(), MOST_STARTS)?;
            for sfen in &game.starts {
                start(sfen)?;
            }
        }
        Ok(job)
    }

    /// The job as the broker keeps it.
    pub fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Plays the games. Dropping the future abandons them.
    ///
    /// # Errors
    /// Why they cannot be played.
    pub async fn play(self) -> Result<Value, String> {
        compute(move |abandon| self.play_here(&abandon)).await
    }

    fn play_here(&self, abandon: &CancellationToken) -> Result<Value, String> {
        let settings = self.settings()?;
        let evaluation = settings.evaluation().map_err(|error| error.to_string())?;
        let searcher = Searcher::new(settings.search_options(&evaluation));
        let searcher = searcher.map_err(|error| error.to_string())?;
        let mut player = GamePlayer { settings: &settings, searcher };
        let mut played = Vec::new();
        for GameToPlay { number, starts } in &self.games {
            let starts: Vec<Position> =
                starts.iter().map(|sfen| start(sfen)).collect::<Result<_, _>>()?;
            // Where a start comes from is known to who gave it out.
            let (source, random_plies) = (OpeningSource::BuiltIn, 0);
            let sampled = |position| SampledStart { position, source, random_plies };
            let starts = starts.into_iter().map(sampled);
            let is_abandoned = || abandon.is_cancelled();
            played.push(match player.play(self.seed, *number, starts, |_| true, is_abandoned) {
                Played::Game(game) => Some(STANDARD.encode(Block::Game(game).to_bytes())),
                Played::NoStart => None,
                Played::Abandoned => return Err("the games were abandoned".to_owned()),
            });
        }
        serde_json::to_value(played).map_err(|error| error.to_string())
    }

    fn settings(&self) -> Result<SelfplaySettings, String> {
        let option = |text: &String| {
            let (name, value) = text.split_once('=').ok_or("an option has a name and a value")?;
            Ok::<_, String>(EngineOption { name: name.to_owned(), value: value.to_owned() })
        };
        let settings = SelfplaySettings {
            nodes: self.nodes,
            random_plies: (0, 0),
            start_score: self.start_score,
            win: self.win.parse().map_err(|error| format!("{error}"))?,
            max_moves: self.max_moves,
            hash_mib: self.hash_mib,
            options: self.options.iter().map(option).collect::<Result<_, _>>()?,
        };
        check_for_workers(&settings)?;
        Ok(settings)
    }
}

/// Checks that workers can play games with these settings.
///
/// # Errors
/// The reason they cannot.
pub fn check_for_workers(settings: &SelfplaySettings) -> Result<(), String> {
    // An option that names a file is refused before the file is read.
    fit_engine(&settings.spec())?;
    settings.check().map_err(|error| error.to_string())
}

/// The games of a result in the order of the job; `None` where no start suited. They are checked for their form only.
///
/// # Errors
/// It is no such result.
pub fn read_games(result: Value) -> Result<Vec<Option<Box<SelfplayGame>>>, String> {
    let texts: Vec<Option<String>> =
        serde_json::from_value(result).map_err(|error| error.to_string())?;
    let game = |text: &String| {
        let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
        match Block::read(&bytes) {
            Ok((Block::Game(game), length)) if length == bytes.len() => Ok(game),
            Ok(_) => Err("it is not one game".to_owned()),
            Err(fault) => Err(fault.to_string()),
        }
    };
    texts.iter().map(|text| text.as_ref().map(game).transpose()).collect()
}

fn start(sfen: &str) -> Result<Position, String> {
    let position = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    position.check_playable().map_err(|error| error.to_string())?;
    Ok(position)
}

/// The largest number of games of a job.
pub(super) const MOST_GAMES: usize = 32;
/// The largest number of starts of a game.
pub(super) const MOST_STARTS: usize = 24;
