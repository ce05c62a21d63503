//! Matches whose games the workers of a room play: a pair of games is a job.

#[cfg(test)]
mod tests;

use super::{
    LabError, MatchSettings, Progress, Report, Stop,
    match_games::MatchGames,
    pair_job::{PairJob, PairedGame, unfit_for_workers},
    run_name::load_or_create_run_name,
};
use crate::cluster::jobs::{JobList, JobRunError, Taken, Workers};

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
    if let Some(reason) = unfit_for_workers(&settings.players) {
        return Err(LabError::Workers(reason));
    }
    let mut pairs = MatchPairs { games: MatchGames::open(settings)?, next: 0 };
    let run_name = load_or_create_run_name(&pairs.games.settings.dir.join("run"))?;
    show(&pairs.games.progress());
    let mut notes = Vec::new();
    let mut outcome = Ok(());
    if !pairs.is_done() {
        let run = workers.open::<PairJob>(run_name).await;
        let mut run = run.map_err(LabError::Workers)?;
        let worked = run.work(&mut pairs, &stop.finish, |pairs| show(&pairs.games.progress()));
        outcome = worked.await.map_err(|error| match error {
            JobRunError::Failed(reason) => LabError::Workers(reason),
            JobRunError::List(error) => error,
        });
        notes = run.failures();
        run.close(pairs.is_done()).await;
    }
    let report = pairs.games.report(&notes)?;
    outcome.map(|()| report)
}

/// The pairs of a match. The number of a job is that of its pair, from 0.
struct MatchPairs {
    games: MatchGames,
    /// The first pair that has not been given out yet.
    next: usize,
}

impl MatchPairs {
    fn pair(&self, id: u64) -> Option<usize> {
        usize::try_from(id).ok().filter(|pair| *pair < self.games.schedule.games() / 2)
    }
}

impl JobList for MatchPairs {
    type Job = PairJob;
    type Error = LabError;

    fn next_job(&mut self) -> Option<u64> {
        self.next += 1;
        let id = self.next as u64 - 1;
        self.pair(id).map(|_| id)
    }

    fn job(&mut self, id: u64) -> Option<PairJob> {
        let MatchGames { settings, schedule, .. } = &self.games;
        self.pair(id).map(|pair| PairJob::new(settings, schedule.round(2 * pair)))
    }

    fn wants(&self, id: u64) -> bool {
        let has = |game| self.games.tally.has(game);
        self.pair(id).is_some_and(|pair| !has(2 * pair) || !has(2 * pair + 1))
    }

    fn take(&mut self, id: u64, played: Vec<PairedGame>) -> Result<Taken, LabError> {
        let Some(job) = self.job(id) else { return Ok(Taken::Stored) };
        let played = match job.result(played) {
            Ok(played) => played,
            Err(reason) => return Ok(Taken::Refused(reason)),
        };
        let games = &mut self.games;
        for (PairedGame { game, record }, number) in played.into_iter().zip(2 * id as usize..) {
            if !games.tally.has(number) {
                let round = games.schedule.round(number);
                let game = games.store.add_of_worker(&games.settings, round, game, &record)?;
                games.count(&game);
            }
        }
        Ok(Taken::Stored)
    }

    fn is_done(&self) -> bool {
        self.games.is_done()
    }
}
