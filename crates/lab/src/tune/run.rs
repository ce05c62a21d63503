//! A tuning run, iteration after iteration, and its folder.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use kyomi::matches::{Folder, LabError, StoreError, read_lines, read_plan};

use super::state::TuneState;
use super::{PairResult, PlayedPair, TuneProgress, TuneReport, TuneSettings, Tuned};

/// The games of one iteration: pairs between two sets of values of the same parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationGames<'a> {
    /// The iteration, from 1.
    pub iteration: u64,
    /// The parameters.
    pub parameters: &'a [Tuned],
    /// Their values on the one side.
    pub plus: &'a [i32],
    /// Their values on the other.
    pub minus: &'a [i32],
    /// The indices within the iteration of the pairs to play, from 0.
    pub pairs: Vec<usize>,
    /// The index of the iteration's first pair in the whole run, from 0.
    pub first: usize,
}

/// Plays the games of a tuning run.
pub trait PairPlayer {
    /// Everything that the results depend on, for the plan of the run.
    fn plan(&self) -> Value;

    /// Plays the pairs of an iteration and calls `on_pair` with each as soon as it is over, in any order. Pairs may be
    /// missing at the end if the user requests to stop.
    ///
    /// # Errors
    /// The reason it cannot continue, or the error of `on_pair`.
    fn play(
        &mut self,
        games: &IterationGames<'_>,
        on_pair: &mut dyn FnMut(PairResult) -> Result<(), StoreError>,
    ) -> Result<(), LabError>;
}

/// Tunes until all iterations are done or the user requests to stop. Resumes the run in the folder. `show` receives the
/// progress after every pair, and once before the first.
///
/// # Errors
/// The reason it cannot continue. The results so far are kept.
pub fn run(
    settings: &TuneSettings,
    dir: &Path,
    player: &mut impl PairPlayer,
    stop: &CancellationToken,
    mut show: impl FnMut(&TuneProgress),
) -> Result<TuneReport, LabError> {
    let mut folder = Folder::open("tuning", dir, LINES)?;
    let plan = json!({ "format": 1, "tuning": settings, "games": player.plan() });
    folder.check_plan(PLAN, &plan, || json!({}))?;
    let mut lines: Vec<PlayedPair> = Vec::new();
    folder.each(|line| {
        lines.push(line);
        Ok(())
    })?;
    let mut state = replay(settings, lines, &dir.join(LINES))?;
    let (started, before) = (Instant::now(), state.wdl.games());
    let progress = |state: &TuneState| TuneProgress {
        report: TuneReport::new(settings, state),
        new_games: state.wdl.games() - before,
        elapsed: started.elapsed(),
    };
    show(&progress(&state));
    while state.spsa.done() < settings.iterations && !stop.is_cancelled() {
        let iteration = state.iteration();
        let values = state.perturbation.clone();
        let games = IterationGames {
            iteration,
            parameters: &settings.parameters,
            plus: &values.plus,
            minus: &values.minus,
            pairs: state.missing(),
            first: (iteration - 1) as usize * settings.pairs.max(1),
        };
        player.play(&games, &mut |result| {
            let mut line = state.line(result);
            let invalid = |reason| invalid_line(&dir.join(LINES), 0, reason);
            state.add(&mut line).map_err(invalid)?;
            folder.append(&line)?;
            show(&progress(&state));
            Ok(())
        })?;
        if state.iteration() == iteration {
            // The user stopped the run during the iteration.
            break;
        }
    }
    Ok(TuneReport::new(settings, &state))
}

/// Reports the state of the run in a folder. Another process may be playing the run.
///
/// # Errors
/// The folder does not contain a readable run.
pub fn report(dir: &Path) -> Result<TuneReport, StoreError> {
    let path = dir.join(PLAN);
    let mut plan = read_plan(&path)?;
    let settings = plan.get_mut("tuning").map(Value::take).unwrap_or_default();
    let settings: TuneSettings = serde_json::from_value(settings)
        .map_err(|error| invalid_line(&path, 1, error.to_string()))?;
    settings.check().map_err(|error| invalid_line(&path, 1, error.to_string()))?;
    let mut lines: Vec<PlayedPair> = Vec::new();
    let path = dir.join(LINES);
    read_lines(&path, |line| {
        lines.push(line);
        Ok(())
    })?;
    Ok(TuneReport::new(&settings, &replay(&settings, lines, &path)?))
}

fn replay(
    settings: &TuneSettings,
    lines: Vec<PlayedPair>,
    path: &Path,
) -> Result<TuneState, StoreError> {
    let mut state = settings.state();
    for (mut line, number) in lines.into_iter().zip(1..) {
        state.add(&mut line).map_err(|reason| invalid_line(path, number, reason))?;
    }
    Ok(state)
}

fn invalid_line(path: &Path, line: usize, reason: String) -> StoreError {
    StoreError::Broken { path: PathBuf::from(path), line, reason }
}

/// The file of the plan, which must be the same when the run is resumed.
const PLAN: &str = "tune.json";
/// The file with a line for each pair of games.
const LINES: &str = "pairs.jsonl";
