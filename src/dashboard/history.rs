//! The games of earlier runs, and the ratings, from the database.
//!
//! A thread of low priority reads them when the program starts, and at the start and the end of each game. Before that
//! it adds the records that the database lacks: that of the game that has just ended, and those left by a killed
//! client.

use std::{
    io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use serde_json::{Value, json};

use crate::archive::{
    import::catch_up,
    index::{Filter, Index, IndexError, Order, OwnGame},
    performance::{CURVE_WINDOW, rating_curve},
    ratings::Rating,
};
use kyomi_engine::search::lower_priority;
use kyomi_shogi::Outcome;

use super::{
    game::{LONGEST_NAME, LONGEST_TEXT, past_brief, past_game, text},
    hub::Hub,
};

/// Where the games of earlier runs are.
#[derive(Debug, Clone)]
pub struct PastGames {
    /// The database.
    pub database: PathBuf,
    /// The folders of our own records. Other games of the database are not shown.
    pub records: Vec<PathBuf>,
}

impl PastGames {
    /// The folders that exist: the canonical path, as in the database, and the configured path.
    fn folders(&self) -> Vec<(PathBuf, &Path)> {
        let folders = self.records.iter();
        folders.filter_map(|folder| Some((folder.canonicalize().ok()?, folder.as_path()))).collect()
    }

    /// The text of an error for viewers, without the folder of the database.
    fn public_text(&self, error: &IndexError) -> String {
        let mut words = error.to_string();
        for path in [Some(self.database.as_path()), self.database.parent()].into_iter().flatten() {
            if let Some(name) = path.file_name().filter(|_| path.has_root()) {
                words = words.replace(&*path.to_string_lossy(), &name.to_string_lossy());
            }
        }
        text(&words, LONGEST_TEXT)
    }
}

/// The path of a file of one of these folders, as the configuration names the folder.
fn path_in(folders: &[(PathBuf, &Path)], file: &Path) -> Option<PathBuf> {
    folders.iter().find_map(|(real, named)| Some(named.join(file.strip_prefix(real).ok()?)))
}

/// The handle of the thread that reads the database. The thread ends with it.
#[derive(Debug)]
pub(super) struct History {
    wake: SyncSender<()>,
}

impl History {
    /// Starts the thread, which shows the games when it has read them.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(past: PastGames, hub: Hub) -> io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let run = move || follow(&past, &hub, &woken);
        thread::Builder::new().name("kyomi-history".to_owned()).spawn(run)?;
        Ok(Self { wake })
    }

    /// Requests another read. Never waits.
    pub(super) fn refresh(&self) {
        // If one is queued already, it comes after this call too.
        let _ = self.wake.try_send(());
    }
}

fn follow(past: &PastGames, hub: &Hub, woken: &Receiver<()>) {
    lower_priority();
    let mut shown = Value::Null;
    loop {
        let now = read(past, &hub.records()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the games of earlier runs are not shown");
            json!({ "games": [], "players": [], "fault": past.public_text(&error) })
        });
        if now != shown {
            shown = now;
            hub.set_history(shown.clone());
        }
        if woken.recv().is_err() {
            return;
        }
    }
}

/// Our own latest games, except those of this run, and the ratings.
fn read(past: &PastGames, of_this_run: &[PathBuf]) -> Result<Value, IndexError> {
    let index = Index::open(&past.database)?;
    catch_up(&index, &past.records)?;
    let full = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let of_this_run: Vec<_> = of_this_run.iter().map(full).collect();
    let folders = past.folders();
    let files_in = Some(folders.iter().map(|(real, _)| real.clone()).collect());
    let own = Filter { is_own: true, files_in, ..Filter::default() };
    let lines = index.games(&own, Order::Latest, Some(MOST_GAMES + of_this_run.len()))?;
    let games: Vec<Value> = lines
        .iter()
        .filter(|line| !of_this_run.contains(&line.file.0))
        .take(MOST_GAMES)
        .filter_map(|line| Some(past_brief(line, &path_in(&folders, &line.file.0)?)))
        .collect();
    Ok(json!({ "games": games, "players": players(&index.own_games(&own)?), "fault": null }))
}

/// The results and the rating curve under each of our names, the name used last first.
fn players(games: &[OwnGame]) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    for game in games.iter().rev() {
        if !names.contains(&game.name.as_str()) && names.len() < MOST_NAMES {
            names.push(&game.name);
        }
    }
    let player = |name: &str| {
        let own = || games.iter().filter(|game| game.name == name);
        let count = |outcome| own().filter(|game| game.outcome == outcome).count();
        let counted: Vec<_> =
            own().filter_map(|game| Some((game.opponent_rating, points(game)?))).collect();
        let curve = rating_curve(&counted);
        let known = || curve.points.iter().filter_map(|(_, rating)| *rating);
        let tenths = |number: f64| (number * 10.0).round() / 10.0;
        let point = |(number, rating): &(usize, Option<Rating>)| {
            json!([number, rating.map(|it| tenths(it.elo)), rating.map(|it| tenths(it.error))])
        };
        json!({
            "name": text(name, LONGEST_NAME),
            "games": own().count(),
            "won": count(Outcome::Win),
            "lost": count(Outcome::Loss),
            "drawn": count(Outcome::Draw),
            "anchored": known().any(|it| it.is_anchored),
            "window": CURVE_WINDOW.min(curve.games),
            "curve": curve.points.iter().map(point).collect::<Vec<_>>(),
        })
    };
    names.into_iter().map(player).collect()
}

/// The points made in a game with a result.
fn points(game: &OwnGame) -> Option<f64> {
    match game.outcome {
        Outcome::Win => Some(1.0),
        Outcome::Draw => Some(0.5),
        Outcome::Loss => Some(0.0),
        Outcome::None => None,
    }
}

/// One of our own games, and the path of its record if it is a file of its own.
pub(super) fn load_past_game(past: &PastGames, id: i64) -> Option<(Value, Option<PathBuf>)> {
    let load = || -> Result<_, IndexError> {
        let index = Index::open_existing(&past.database)?;
        Ok(index.game(id)?.zip(index.record(id)?))
    };
    match load() {
        Ok(found) => {
            let (line, record) = found.filter(|(line, _)| line.own.is_some())?;
            let shown = path_in(&past.folders(), &line.file.0)?;
            let path = line.file.1.is_empty().then(|| line.file.0.clone());
            Some((past_game(&line, &shown, &record), path))
        }
        Err(error) => {
            tracing::warn!(%error, id, "a game of an earlier run is not shown");
            None
        }
    }
}

/// The largest number of games of earlier runs in the list.
const MOST_GAMES: usize = 50;

/// The largest number of our names with a rating curve.
const MOST_NAMES: usize = 4;
