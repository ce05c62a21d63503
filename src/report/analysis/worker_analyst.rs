//! The built-in search on the workers of a room: a position is a job.

use std::collections::{BTreeMap, VecDeque};

use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

use super::{
    analyst::{Analyst, AnalystSettings},
    builtin_analyst::BuiltinAnalyst,
    position_job::PositionJob,
    searched::Searched,
};
use crate::cluster::jobs::{JobList, JobRun, JobRunError, Taken, Workers};
use crate::players::EngineError;
use kyomi_engine::search::StopFlag;
use kyomi_shogi::Game;

/// The built-in search on the workers of a room. With a limit in nodes its results equal those of [`BuiltinAnalyst`].
#[derive(Debug)]
pub struct WorkerAnalyst {
    runtime: Handle,
    /// `None` after the end.
    run: Option<JobRun>,
    positions: Positions,
    finish: CancellationToken,
    fingerprint: String,
}

impl WorkerAnalyst {
    /// Checks that workers can search with these settings.
    ///
    /// # Errors
    /// The reason they cannot.
    pub fn check(settings: &AnalystSettings) -> Result<(), String> {
        PositionJob::new(&Game::default(), settings).settings().map(drop)
    }

    /// Opens a run of jobs. `finish` ends the waiting for results. It blocks, so do not call it inside a task of the
    /// runtime.
    ///
    /// # Errors
    /// The broker refuses, or there is not enough memory for a short search.
    pub fn start(
        workers: &Workers,
        settings: AnalystSettings,
        finish: CancellationToken,
        runtime: Handle,
    ) -> Result<Self, EngineError> {
        // The results are stored under the same fingerprint as those of this machine.
        let fingerprint = BuiltinAnalyst::new(settings, StopFlag::new())
            .map_err(|error| workers_failed(error.to_string()))?
            .fingerprint()
            .to_owned();
        let run = runtime.block_on(workers.open_new::<PositionJob>());
        let run = Some(run.map_err(workers_failed)?);
        Ok(Self { runtime, run, positions: Positions::new(settings), finish, fingerprint })
    }
}

impl Analyst for WorkerAnalyst {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn name(&self) -> &'static str {
        concat!("kyomi ", env!("CARGO_PKG_VERSION"))
    }

    fn searches_ahead(&self) -> bool {
        true
    }

    fn expect(&mut self, game: &Game) {
        self.positions.ask(game);
    }

    fn search(&mut self, game: &Game) -> Result<Option<Searched>, EngineError> {
        let Some(run) = &mut self.run else { return Ok(None) };
        let id = self.positions.ask(game);
        self.positions.wanted = Some(id);
        let worked = run.work(&mut self.positions, &self.finish, |_| {});
        match self.runtime.block_on(worked) {
            Ok(()) => Ok(self.positions.found.remove(&id)),
            Err(JobRunError::Failed(reason)) => Err(workers_failed(reason)),
            Err(JobRunError::List(never)) => match never {},
        }
    }
}

impl Drop for WorkerAnalyst {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            self.runtime.block_on(run.close(true));
        }
    }
}

fn workers_failed(reason: String) -> EngineError {
    EngineError::Builtin { reason }
}

/// The requested positions, by the numbers of their jobs.
#[derive(Debug)]
struct Positions {
    settings: AnalystSettings,
    /// Those whose results are still to come.
    jobs: BTreeMap<u64, PositionJob>,
    /// Those of them that are still to be submitted, in this order.
    left: VecDeque<u64>,
    found: BTreeMap<u64, Searched>,
    /// The position whose result is needed now.
    wanted: Option<u64>,
}

impl Positions {
    fn new(settings: AnalystSettings) -> Self {
        let (jobs, left, found) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        Self { settings, jobs, left, found, wanted: None }
    }

    /// The number of a position. Requests a search if it was not requested before, or its result was already taken.
    fn ask(&mut self, game: &Game) -> u64 {
        let job = PositionJob::new(game, &self.settings);
        let digest = Sha256::digest(job.position());
        let id = digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        if !self.found.contains_key(&id) && !self.jobs.contains_key(&id) {
            self.jobs.insert(id, job);
            self.left.push_back(id);
        }
        id
    }
}

impl JobList for Positions {
    type Job = PositionJob;
    type Error = std::convert::Infallible;

    fn next_job(&mut self) -> Option<u64> {
        self.left.pop_front()
    }

    fn job(&mut self, id: u64) -> Option<PositionJob> {
        self.jobs.get(&id).cloned()
    }

    fn wants(&self, id: u64) -> bool {
        self.jobs.contains_key(&id)
    }

    fn take(&mut self, id: u64, text: String) -> Result<Taken, Self::Error> {
        let Some(job) = self.jobs.get(&id) else { return Ok(Taken::Stored) };
        match job.result(&text) {
            Ok(found) => {
                self.found.insert(id, found);
                self.jobs.remove(&id);
                Ok(Taken::Stored)
            }
            Err(reason) => Ok(Taken::Refused(reason)),
        }
    }

    fn is_done(&self) -> bool {
        self.wanted.is_none_or(|id| self.found.contains_key(&id))
    }
}
