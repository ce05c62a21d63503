//! Some games of self-play as a job for a thread or another machine.
//!
//! The job names the starts that are tried, so that a worker needs no records.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use kyomi::cluster::jobs::{Abandon, Job};
use kyomi::matches::fit_engine;
use kyomi::players::EngineOption;
use kyomi_engine::eval::Evaluation;
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
    /// The evaluation of the options for threads of this machine, which share it; workers load their own.
    #[serde(skip)]
    evaluation: Option<Evaluation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameToPlay {
    number: u32,
    /// The starts to try, one after the other, in SFEN.
    starts: Vec<String>,
}

impl GamesJob {
    /// Games with these numbers, and the starts to try for each.
    pub(super) fn new<'a>(
        seed: u64,
        settings: &SelfplaySettings,
        evaluation: &Evaluation,
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
            evaluation: Some(evaluation.clone()),
        }
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
        Ok(settings)
    }
}

impl Job for GamesJob {
    const KIND: &'static str = "selfplay";
    type Tools = Tools;
    /// The games in the order of the job; `None` where no start suited.
    type Done = Vec<Option<GameOfJob>>;

    fn check(&self) -> Result<(), String> {
        check_for_workers(&self.settings()?)?;
        let most = |what: &str, number: usize, most: usize| {
            if (1..=most).contains(&number) {
                Ok(())
            } else {
                Err(format!("{number} {what}; expected 1 to {most}"))
            }
        };
        most("games", self.games.len(), MOST_GAMES)?;
        for game in &self.games {
            most("starts", game.starts.len(), MOST_STARTS)?;
            for sfen in &game.starts {
                start(sfen)?;
            }
        }
        Ok(())
    }

    fn tools(&self) -> Result<Tools, String> {
        let settings = self.settings()?;
        let evaluation = self.evaluation.clone().map_or_else(|| settings.evaluation(), Ok);
        let evaluation = evaluation.map_err(|error| error.to_string())?;
        let searcher = Searcher::new(settings.search_options(&evaluation));
        Ok(Tools { settings, searcher: searcher.map_err(|error| error.to_string())? })
    }

    fn run(&self, tools: &mut Tools, abandon: &Abandon) -> Result<Self::Done, String> {
        let mut player = GamePlayer { settings: &tools.settings, searcher: &mut tools.searcher };
        let mut played = Vec::new();
        for GameToPlay { number, starts } in &self.games {
            let starts: Vec<Position> =
                starts.iter().map(|sfen| start(sfen)).collect::<Result<_, _>>()?;
            // Where a start comes from is known to who gave it out.
            let (source, random_plies) = (OpeningSource::BuiltIn, 0);
            let sampled = |position| SampledStart { position, source, random_plies };
            let starts = starts.into_iter().map(sampled);
            let is_abandoned = || abandon.token.is_cancelled();
            played.push(match player.play(self.seed, *number, starts, is_abandoned) {
                Played::Game(game) => Some(GameOfJob(game)),
                Played::NoStart => None,
                Played::Abandoned => return Err("the games were abandoned".to_owned()),
            });
        }
        Ok(played)
    }
}

/// What plays games with the settings of a run.
#[derive(Debug)]
pub struct Tools {
    settings: SelfplaySettings,
    searcher: Searcher,
}

/// A game of a job: its block in Base64. It is checked for its form only.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct GameOfJob(pub Box<SelfplayGame>);

impl From<GameOfJob> for String {
    fn from(game: GameOfJob) -> Self {
        STANDARD.encode(Block::Game(game.0).to_bytes())
    }
}

impl TryFrom<String> for GameOfJob {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
        match Block::read(&bytes) {
            Ok((Block::Game(game), length)) if length == bytes.len() => Ok(Self(game)),
            Ok(_) => Err("it is not one game".to_owned()),
            Err(fault) => Err(fault.to_string()),
        }
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

fn start(sfen: &str) -> Result<Position, String> {
    let position = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    position.check_playable().map_err(|error| error.to_string())?;
    Ok(position)
}

/// The largest number of games of a job.
pub(super) const MOST_GAMES: usize = 32;
/// The largest number of starts of a game.
pub(super) const MOST_STARTS: usize = 24;
