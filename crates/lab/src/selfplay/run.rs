//! Plays games until the requested number is reached.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use kyomi::cluster::jobs::{Executor, JobList as _, JobRunError, Workers};
use kyomi::matches::{Fingerprint, Stop, load_or_create_run_name};

use super::games_job::{GamesJob, MOST_GAMES, MOST_STARTS, check_for_workers};
use super::seed_games::SeedGames;
use super::starts::SampledStart;
use super::store::SelfplayStoreError;
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
    /// The number of parallel games on this machine.
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
    /// No suitable start was found.
    #[error(
        "game {0}: no start was found that is about even and not used by another game; give more --records, more \
         --random-plies or a wider --start-score"
    )]
    NoStart(u32),
    /// They cannot be played.
    #[error("{0}")]
    Failed(String),
}

/// Plays the missing games of a seed, on threads of this machine or by the workers of a room. They are those that one
/// thread plays, in another order. `show` receives the progress after every job, and once before the first.
///
/// # Errors
/// The reason it could not continue. Finished games are kept.
pub async fn run(
    task: &SelfplayTask,
    workers: Option<&Workers>,
    stop: &Stop,
    mut show: impl FnMut(&SelfplayProgress),
) -> Result<SelfplayProgress, SelfplayError> {
    task.settings.check()?;
    task.settings.check_starts(&task.starts)?;
    if workers.is_some() {
        check_for_workers(&task.settings).map_err(SelfplayError::Failed)?;
    }
    let evaluation = task.settings.evaluation()?;
    let plan = task.settings.plan(&task.starts, &evaluation);
    // A thread stores each game at once, and is soon given more starts. This thread draws them for all.
    let most = if workers.is_some() { (MOST_GAMES, MOST_STARTS) } else { (1, 2) };
    let mut games = SeedGames::open(task, &plan, evaluation, most)?;
    show(&games.progress);
    if games.is_done() || stop.finish.is_cancelled() {
        return Ok(games.progress);
    }
    games.store.begin(&run_description(task, &plan))?;
    let mut executor = if let Some(workers) = workers {
        let name = load_or_create_run_name(&task.dir.join(format!("{}.run", task.seed)));
        let name = name.map_err(|error| SelfplayError::Failed(error.to_string()))?;
        let run = workers.open::<GamesJob>(name).await.map_err(SelfplayError::Failed)?;
        Executor::Room(run.into())
    } else {
        Executor::Threads { count: task.threads, abandon: stop.abandon.clone() }
    };
    let worked = executor.work(&mut games, &stop.finish, |games| show(&games.progress)).await;
    executor.close(games.left == Some(0)).await;
    games.store.sync()?;
    match (worked, games.without_start) {
        (Err(JobRunError::Failed(reason)), _) => Err(SelfplayError::Failed(reason)),
        (Err(JobRunError::List(error)), _) => Err(error.into()),
        (Ok(()), Some(number)) => Err(SelfplayError::NoStart(number)),
        (Ok(()), None) => Ok(games.progress),
    }
}

/// The description of a run, for its block in the file.
fn run_description(task: &SelfplayTask, plan: &Value) -> Value {
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
