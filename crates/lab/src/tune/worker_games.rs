//! Plays the games of a tuning run on the workers of a room: a pair of games is a job.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use tokio::runtime::Handle;

use kyomi::cluster::jobs::{JobList, JobRun, JobRunError, Taken};
use kyomi::matches::{
    LabError, MatchSettings, PairJob, PairedGame, Round, Stop, StoreError, Workers,
    load_or_create_run_name, plan, unfit_for_workers,
};

#[cfg(test)]
mod tests;

use super::games::{result as result_of, sides};
use super::{IterationGames, PairPlayer, PairResult};

/// Lets the workers of a room play the games of a tuning run. They are those that [`Games`](super::Games) plays.
#[derive(Debug)]
pub struct WorkerGames {
    settings: MatchSettings,
    workers: Workers,
    /// The folder of the run.
    dir: PathBuf,
    stop: Stop,
    runtime: Handle,
    /// `None` before the first games.
    run: Option<JobRun>,
}

impl WorkerGames {
    /// Plays with the settings of a match, of which the first player is tuned, as [`Games::new`](super::Games::new)
    /// does. The run in the folder `dir` is taken up again. Do not play inside of a task of the runtime.
    ///
    /// # Errors
    /// The player does not play on workers.
    pub fn new(
        settings: MatchSettings,
        workers: Workers,
        dir: PathBuf,
        stop: Stop,
        runtime: Handle,
    ) -> Result<Self, LabError> {
        if let Some(reason) = unfit_for_workers(&settings.players) {
            return Err(LabError::Workers(reason));
        }
        Ok(Self { settings, workers, dir, stop, runtime, run: None })
    }

    /// Ends the run of jobs, which is `whole` or is to be resumed.
    pub fn close(self, whole: bool) {
        if let Some(run) = self.run {
            self.runtime.block_on(run.close(whole));
        }
    }
}

impl PairPlayer for WorkerGames {
    fn plan(&self) -> Value {
        plan(&self.settings)
    }

    fn play(
        &mut self,
        games: &IterationGames<'_>,
        on_pair: &mut dyn FnMut(PairResult) -> Result<(), StoreError>,
    ) -> Result<(), LabError> {
        let mut pairs = IterationPairs {
            settings: sides(&self.settings, games)?,
            first: games.first,
            left: games.pairs.iter().copied().collect(),
            awaited: games.pairs.iter().copied().collect(),
            on_pair,
        };
        let Self { workers, dir, stop, runtime, run, .. } = self;
        let is_new = run.is_none();
        let run = if let Some(run) = run {
            run
        } else {
            let name = load_or_create_run_name(&dir.join("run"))?;
            let opened = runtime.block_on(workers.open(PairJob::KIND, name));
            run.insert(opened.map_err(LabError::Workers)?)
        };
        let worked = runtime.block_on(async {
            if is_new {
                run.take_waiting(&mut pairs, |_| {}).await?;
            }
            run.work(&mut pairs, &stop.finish, |_| {}).await
        });
        worked.map_err(|error| match error {
            JobRunError::Failed(reason) => LabError::Workers(reason),
            JobRunError::List(error) => error.into(),
        })
    }
}

/// The pairs of an iteration. The number of a job is that of its pair in the whole run, from 0.
struct IterationPairs<'a> {
    settings: MatchSettings,
    first: usize,
    /// The pairs to give out.
    left: BTreeSet<usize>,
    /// The pairs whose results are still to come.
    awaited: BTreeSet<usize>,
    on_pair: &'a mut dyn FnMut(PairResult) -> Result<(), StoreError>,
}

impl IterationPairs<'_> {
    fn job(&self, pair: usize) -> PairJob {
        // Seeds and openings follow from the number of the pair in the whole run.
        let opening = self.first + pair;
        PairJob::new(
            &self.settings,
            Round { game: 2 * opening, pairing: 0, opening, players: [0, 1] },
        )
    }

    fn pair(&self, id: u64) -> Option<usize> {
        usize::try_from(id).ok()?.checked_sub(self.first)
    }
}

impl JobList for IterationPairs<'_> {
    type Error = StoreError;

    fn next_job(&mut self) -> Option<(u64, Value)> {
        let pair = loop {
            // The result of a pair may have arrived after the pair was returned.
            let pair = self.left.pop_first()?;
            if self.awaited.contains(&pair) {
                break pair;
            }
        };
        Some(((self.first + pair) as u64, self.job(pair).write()))
    }

    fn put_back(&mut self, id: u64) {
        self.left.extend(self.pair(id));
    }

    fn wants(&self, id: u64) -> bool {
        self.pair(id).is_some_and(|pair| self.awaited.contains(&pair))
    }

    fn take(&mut self, id: u64, result: Value) -> Result<Taken, StoreError> {
        let Some(pair) = self.pair(id).filter(|pair| self.awaited.contains(pair)) else {
            return Ok(Taken::Stored);
        };
        let games = match self.job(pair).result(result) {
            Ok(games) => games.map(|PairedGame { game, .. }| game),
            Err(reason) => return Ok(Taken::Refused(reason)),
        };
        (self.on_pair)(result_of(pair, &games))?;
        self.awaited.remove(&pair);
        Ok(Taken::Stored)
    }

    fn is_done(&self) -> bool {
        self.awaited.is_empty()
    }
}
