//! Plays games in parallel until the requested number is reached.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{io, thread};

use parking_lot::Mutex;
use serde_json::{Value, json};

use kyomi::matches::{Fingerprint, Stop};
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::{Searcher, SearcherError};

use super::play::{GamePlayer, Played};
use super::starts::SampledStart;
use super::store::{SelfplayStoreError, Store};
use super::{SelfplayProgress, SelfplaySettings, SettingsFault, Starts};

/// The games to play.
#[derive(Debug, Clone)]
pub struct SelfplayTask {
    /// The folder of the games.
    pub dir: PathBuf,
    /// The seed of the games. Each seed has a separate file.
    pub seed: u64,
    /// The number of games requested in the file of the seed; `None`: until the user stops.
    pub games: Option<u32>,
    /// The number of parallel games.
    pub threads: usize,
    /// The settings of the games.
    pub settings: SelfplaySettings,
    /// The openings of the games.
    pub starts: Starts,
}

impl SelfplayTask {
    /// The starts that are tried for the game with this number, one after the other.
    pub(super) fn starts_of(&self, number: u32) -> impl Iterator<Item = SampledStart> {
        let SelfplaySettings { random_plies, max_moves, .. } = self.settings;
        self.starts.of_game(self.seed, number, random_plies, max_moves)
    }
}

/// The reason games cannot be played. Finished games are kept.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] SettingsFault),
    /// The games cannot be stored.
    #[error(transparent)]
    Store(#[from] SelfplayStoreError),
    /// The searcher cannot be created.
    #[error(transparent)]
    Searcher(#[from] SearcherError),
    /// A thread cannot be started.
    #[error("starting a game: {0}")]
    Thread(io::Error),
    /// No suitable start was found.
    #[error(
        "game {0}: no start was found that is about even and not used by another game; give more --records, more \
         --random-plies or a wider --start-score"
    )]
    NoStart(u32),
    /// The workers of a room cannot play them.
    #[error("{0}")]
    Workers(String),
    /// A thread panicked.
    #[error("the thread of a game panicked; the log has more")]
    Broken,
}

/// Plays the missing games of a seed. `show` receives the progress after every game, and once before the first.
///
/// # Errors
/// The reason it could not continue. Finished games are kept.
pub fn run(
    task: &SelfplayTask,
    stop: &Stop,
    mut show: impl FnMut(&SelfplayProgress),
) -> Result<SelfplayProgress, SelfplayError> {
    task.settings.check()?;
    task.settings.check_starts(&task.starts)?;
    let evaluation = task.settings.evaluation()?;
    let plan = task.settings.plan(&task.starts, &evaluation);
    let mut done = BTreeSet::new();
    let mut progress = SelfplayProgress::default();
    let mut store = Store::open(&task.dir, task.seed, &plan, |game| {
        done.insert(game.number);
        progress.games += 1;
        progress.rows += game.moves.len() as u64;
    })?;
    progress.planned = task.games;
    show(&progress);
    // A thread without a game would only take memory.
    let missing = task.games.map_or(usize::MAX, |games| {
        games as usize - done.iter().filter(|number| (1..=games).contains(*number)).count()
    });
    if missing == 0 || stop.finish.is_cancelled() {
        return Ok(progress);
    }
    store.begin(&run_description(task, &plan))?;
    let shared = Shared {
        task,
        evaluation,
        stop,
        games: Mutex::new(SharedGames {
            store,
            numbers: Numbers { done, next: 1, returned: Vec::new() },
        }),
        failed: Mutex::new(None),
    };
    let started = Instant::now();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for number in 0..task.threads.max(1).min(missing) {
            let (shared, sender) = (&shared, sender.clone());
            let named = thread::Builder::new().name(format!("self-play {number}"));
            if let Err(error) = named.spawn_scoped(scope, move || shared.work(&sender)) {
                shared.fail(SelfplayError::Thread(error));
                break;
            }
        }
        drop(sender);
        for rows in receiver {
            progress.games += 1;
            progress.rows += rows;
            progress.new_games += 1;
            progress.new_rows += rows;
            progress.elapsed = started.elapsed();
            show(&progress);
        }
    });
    shared.games.into_inner().store.sync()?;
    match shared.failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(progress),
    }
}

/// The state that all threads share.
struct Shared<'a> {
    task: &'a SelfplayTask,
    evaluation: Evaluation,
    stop: &'a Stop,
    games: Mutex<SharedGames>,
    failed: Mutex<Option<SelfplayError>>,
}

/// The stored games and the numbers of the games to play.
struct SharedGames {
    store: Store,
    numbers: Numbers,
}

/// The numbers of the games to play. No number is given to two threads.
struct Numbers {
    /// The numbers of stored games.
    done: BTreeSet<u32>,
    /// All games with smaller numbers are stored, being played, or in `returned`.
    next: u32,
    /// The numbers of games to play again, because another game has their start.
    returned: Vec<u32>,
}

impl Numbers {
    /// The number of the next game to play; `None` if all up to `most` are stored or being played.
    fn take(&mut self, most: Option<u32>) -> Option<u32> {
        if let Some(number) = self.returned.pop() {
            return Some(number);
        }
        while self.done.contains(&self.next) {
            self.next = self.next.checked_add(1)?;
        }
        let number = self.next;
        if most.is_some_and(|most| number > most) {
            return None;
        }
        self.next = number.checked_add(1)?;
        Some(number)
    }
}

impl Shared<'_> {
    /// Plays games one after another. Sends the number of rows of each.
    fn work(&self, sender: &mpsc::Sender<u64>) {
        let task = self.task;
        let searcher = match Searcher::new(task.settings.search_options(&self.evaluation)) {
            Ok(searcher) => searcher,
            Err(error) => return self.fail(error.into()),
        };
        let mut player = GamePlayer { settings: &task.settings, searcher };
        while let Some(number) = self.next() {
            let starts = task.starts_of(number);
            let claim = |key| self.games.lock().store.claim(key);
            let is_abandoned = || self.stop.abandon.is_cancelled() || self.failed.lock().is_some();
            let game = match player.play(task.seed, number, starts, claim, is_abandoned) {
                Played::Game(game) => game,
                Played::Abandoned => return,
                Played::NoStart => return self.fail(SelfplayError::NoStart(number)),
            };
            let rows = game.moves.len() as u64;
            let mut games = self.games.lock();
            match games.store.add(game) {
                Ok(true) => {
                    games.numbers.done.insert(number);
                    drop(games);
                    // The receiver is gone at the end of the run.
                    let _ = sender.send(rows);
                }
                // Another process stored a game with this start first: the game is played again with another start.
                Ok(false) => games.numbers.returned.push(number),
                Err(error) => {
                    drop(games);
                    return self.fail(error.into());
                }
            }
        }
    }

    /// The number of the next missing game; `None` if no further game is requested.
    fn next(&self) -> Option<u32> {
        if self.stop.finish.is_cancelled() || self.failed.lock().is_some() {
            return None;
        }
        self.games.lock().numbers.take(self.task.games)
    }

    fn fail(&self, error: SelfplayError) {
        self.failed.lock().get_or_insert(error);
    }
}

/// The description of a run, for its block in the file.
pub(super) fn run_description(task: &SelfplayTask, plan: &Value) -> Value {
    let program = std::env::current_exe().and_then(|path| Fingerprint::of_file(&path));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    json!({
        "kyomi": env!("CARGO_PKG_VERSION"),
        "program": program.map(|number| format!("{number:016x}")).ok(),
        "began": now,
        "seed": task.seed,
        "threads": task.threads,
        "settings": plan,
    })
}

impl std::fmt::Display for SelfplayProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.planned.map(u64::from) {
            Some(planned) if planned < self.games => {
                write!(f, "{} games ({planned} wanted)", self.games)?;
            }
            Some(planned) => write!(f, "{}/{planned} games", self.games)?,
            None => write!(f, "{} games", self.games)?,
        }
        write!(f, "  {} rows", self.rows)?;
        let seconds = self.elapsed.as_secs_f64();
        if self.new_games > 0 && seconds > 0.0 {
            write!(f, "  {:.0} rows an hour", self.new_rows as f64 / seconds * 3600.0)?;
            if let Some(left) =
                self.planned.and_then(|planned| u64::from(planned).checked_sub(self.games))
            {
                let left = left as f64 / (self.new_games as f64 / seconds);
                let left = Duration::from_secs_f64(left.clamp(0.0, 1e9)).as_secs();
                write!(f, "  {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playing_a_number_again_does_not_repeat_numbers_of_other_threads() {
        let mut numbers = Numbers { done: [2].into(), next: 1, returned: Vec::new() };
        let mut take = |again: &[u32]| {
            numbers.returned.extend(again);
            numbers.take(Some(5))
        };
        assert_eq!([take(&[]), take(&[]), take(&[])], [Some(1), Some(3), Some(4)]);
        // The start of game 1 was taken, while games 3 and 4 are being played.
        assert_eq!([take(&[1]), take(&[]), take(&[])], [Some(1), Some(5), None]);
        assert_eq!([take(&[5]), take(&[])], [Some(5), None]);
    }
}
