//! Matches whose games the workers of a room play: a pair of games is a job.

use std::{collections::BTreeSet, time::Instant};

use serde_json::Value;

#[cfg(test)]
mod tests;

use super::{
    LabError, MatchSettings, Progress, Report, Schedule, Stop,
    pair_job::{PairJob, PairedGame, unfit_for_workers},
    run_name::load_or_create_run_name,
    store::Store,
    tally::Tally,
    workers::Workers,
};
use crate::cluster::jobs::{JobList, JobRunError, Taken};

/// Plays a match on the workers of a room, or resumes the one in its folder, and returns its report. Calls `show` as
/// [`run`](super::run) does.
///
/// # Errors
/// The reason the match could not be played to its end. Finished games are kept.
pub async fn run_on_workers(
    settings: MatchSettings,
    workers: Workers,
    stop: Stop,
    mut show: impl FnMut(&Progress),
) -> Result<Report, LabError> {
    settings.check()?;
    if let Some(reason) = unfit_for_workers(&settings.players) {
        return Err(LabError::Workers(reason));
    }
    let mut tally = Tally::new(&settings);
    let store = Store::open(&settings, |game| {
        tally.add(&game);
    })?;
    let schedule = settings.schedule();
    let run_name = load_or_create_run_name(&settings.dir.join("run"))?;
    let mut games = MatchGames {
        next: 0,
        returned: BTreeSet::new(),
        schedule,
        settings,
        store,
        tally,
        new_games: 0,
        started: Instant::now(),
    };
    show(&games.progress());
    let mut notes = Vec::new();
    let mut outcome = Ok(());
    if !games.is_done() {
        let run = workers.open(PairJob::KIND, run_name).await;
        let mut run = run.map_err(LabError::Workers)?;
        let mut changed = |games: &MatchGames| show(&games.progress());
        let mut result = run.take_waiting(&mut games, &mut changed).await;
        if result.is_ok() {
            result = run.work(&mut games, &stop.finish, &mut changed).await;
        }
        notes = run.failures();
        run.close(games.is_done()).await;
        outcome = result.map_err(|error| match error {
            JobRunError::Failed(reason) => LabError::Workers(reason),
            JobRunError::List(error) => error,
        });
    }
    let report = Report::new(&games.settings, &games.tally, &notes);
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    games.store.write_whole("report.json", &(text + "\n"))?;
    outcome.map(|()| report)
}

/// The games of a match. The number of a job is that of its pair, from 0.
struct MatchGames {
    settings: MatchSettings,
    schedule: Schedule,
    store: Store,
    tally: Tally,
    /// The first pair that has not been given out yet.
    next: usize,
    /// The pairs that workers did not finish; they are given out first.
    returned: BTreeSet<usize>,
    new_games: usize,
    started: Instant,
}

impl MatchGames {
    fn progress(&self) -> Progress {
        Progress::new(&self.tally, self.schedule.games(), self.new_games, self.started.elapsed())
    }

    fn pairs(&self) -> usize {
        self.schedule.games() / 2
    }

    fn is_played(&self, pair: usize) -> bool {
        self.tally.has(2 * pair) && self.tally.has(2 * pair + 1)
    }

    fn job(&self, pair: usize) -> PairJob {
        PairJob::new(&self.settings, self.schedule.round(2 * pair))
    }
}

impl JobList for MatchGames {
    type Error = LabError;

    fn next_job(&mut self) -> Option<(u64, Value)> {
        let pair = loop {
            let pair = self.returned.pop_first().or_else(|| {
                self.next += 1;
                Some(self.next - 1).filter(|pair| *pair < self.pairs())
            })?;
            if !self.is_played(pair) {
                break pair;
            }
        };
        Some((pair as u64, self.job(pair).write()))
    }

    fn put_back(&mut self, id: u64) {
        self.returned.insert(id as usize);
    }

    fn wants(&self, id: u64) -> bool {
        usize::try_from(id).is_ok_and(|pair| pair < self.pairs() && !self.is_played(pair))
    }

    fn take(&mut self, id: u64, result: Value) -> Result<Taken, LabError> {
        let pair = id as usize;
        let games = match self.job(pair).result(result) {
            Ok(games) => games,
            Err(reason) => return Ok(Taken::Refused(reason)),
        };
        for (PairedGame { game, record }, number) in games.into_iter().zip(2 * pair..) {
            if !self.tally.has(number) {
                let round = self.schedule.round(number);
                let game = self.store.add_of_worker(&self.settings, round, game, &record)?;
                self.tally.add(&game);
                self.new_games += 1;
            }
        }
        Ok(Taken::Stored)
    }

    fn is_done(&self) -> bool {
        self.tally.is_decided() || self.tally.games >= self.schedule.games()
    }
}
