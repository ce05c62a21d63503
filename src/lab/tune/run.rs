//! A run of tuning: iteration after iteration, kept in a folder.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::lab::{
    LabError, StoreError,
    folder::{Folder, read_lines, read_plan},
};

use super::{
    PairResult, PlayedPair, TuneProgress, TuneReport, TuneSettings, Tuned, state::TuneState,
};

/// What is asked of a judge: two sets of values of the same numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Bout<'a> {
    /// The iteration, from 1.
    pub iteration: u64,
    /// The numbers.
    pub parameters: &'a [Tuned],
    /// Their values on the one side.
    pub plus: &'a [i32],
    /// Their values on the other.
    pub minus: &'a [i32],
    /// The pairs of games of the iteration that are wanted, from 0.
    pub pairs: Vec<usize>,
    /// The number of its first pair, counted through the whole run from 0.
    pub first: usize,
}

/// Who finds out which of two sets of values is better.
pub trait Judge {
    /// Everything that the results depend on.
    fn plan(&self) -> Value;

    /// Plays the pairs of a bout, and reports each as soon as it is over, in any order. Some may be missing at the end if
    /// the user wants to stop.
    ///
    /// # Errors
    /// Why it cannot continue, or the error of `told`.
    fn play(
        &mut self,
        bout: &Bout<'_>,
        told: &mut dyn FnMut(PairResult) -> Result<(), StoreError>,
    ) -> Result<(), LabError>;
}

/// Tunes until all iterations are done or the user stops, resuming the run in the folder. `show` receives the progress
/// after every pair, and once before the first.
///
/// # Errors
/// Why it cannot continue; the results so far are kept.
pub fn run(
    settings: &TuneSettings,
    dir: &Path,
    judge: &mut impl Judge,
    stop: &CancellationToken,
    mut show: impl FnMut(&TuneProgress),
) -> Result<TuneReport, LabError> {
    let mut folder = Folder::open("tuning", dir, LINES)?;
    let plan = json!({ "format": 1, "tuning": settings, "games": judge.plan() });
    folder.check_plan(PLAN, &plan, || json!({}))?;
    let mut lines: Vec<PlayedPair> = Vec::new();
    folder.each(|line| lines.push(line))?;
    let mut state = replay(settings, lines, &dir.join(LINES))?;
    let (begun, before) = (Instant::now(), state.wdl.games());
    let progress = |state: &TuneState| TuneProgress {
        report: TuneReport::new(settings, state),
        now: state.wdl.games() - before,
        elapsed: begun.elapsed(),
    };
    show(&progress(&state));
    while state.spsa.done() < settings.iterations && !stop.is_cancelled() {
        let iteration = state.iteration();
        let values = state.now.clone();
        let bout = Bout {
            iteration,
            parameters: &settings.parameters,
            plus: &values.plus,
            minus: &values.minus,
            pairs: state.missing(),
            first: (iteration - 1) as usize * settings.pairs.max(1),
        };
        judge.play(&bout, &mut |result| {
            let mut line = state.line(result);
            let broken = |reason| broken(&dir.join(LINES), 0, reason);
            state.take(&mut line).map_err(broken)?;
            folder.append(&line)?;
            show(&progress(&state));
            Ok(())
        })?;
        if state.iteration() == iteration {
            // The user stopped it half-way.
            break;
        }
    }
    Ok(TuneReport::new(settings, &state))
}

/// The state of the run in a folder, which another process may be playing.
///
/// # Errors
/// The folder contains no readable run.
pub fn report(dir: &Path) -> Result<TuneReport, StoreError> {
    let path = dir.join(PLAN);
    let mut plan = read_plan(&path)?;
    let settings = plan.get_mut("tuning").map(Value::take).unwrap_or_default();
    let settings: TuneSettings =
        serde_json::from_value(settings).map_err(|error| broken(&path, 1, error.to_string()))?;
    let mut lines: Vec<PlayedPair> = Vec::new();
    let path = dir.join(LINES);
    read_lines(&path, |line| lines.push(line))?;
    Ok(TuneReport::new(&settings, &replay(&settings, lines, &path)?))
}

fn replay(
    settings: &TuneSettings,
    lines: Vec<PlayedPair>,
    path: &Path,
) -> Result<TuneState, StoreError> {
    let mut state = settings.state();
    for (mut line, number) in lines.into_iter().zip(1..) {
        state.take(&mut line).map_err(|reason| broken(path, number, reason))?;
    }
    Ok(state)
}

fn broken(path: &Path, line: usize, reason: String) -> StoreError {
    StoreError::Broken { path: PathBuf::from(path), line, reason }
}

/// The plan of the run, which must be the same when it is resumed.
const PLAN: &str = "tune.json";
/// A line for each pair of games.
const LINES: &str = "pairs.jsonl";
