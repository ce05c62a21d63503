//! The worker's side of the job queue: does one job after another.

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    broker::{Delivery, OpenRuns, Reply, RunJobs},
    message::{JobMessage, JobMessageError, JobOutcome, LONGEST_REASON, ResultMessage},
    queue::Queue,
};
use crate::cluster::{message::printable, subject::random_name};

/// The jobs that a worker does.
#[derive(Debug, Clone)]
pub struct Jobs {
    /// The kinds of work.
    pub kinds: Vec<&'static str>,
    /// The hash of this program; only jobs with this hash are taken.
    pub hash: String,
    /// The display name of the worker.
    pub worker: String,
}

/// Does one job after another with `run`, until `stop` is cancelled. A job that is running then goes back to the queue.
///
/// `run` gets the kind of the work, and the work as the coordinator wrote it, which it must check. Its error is the
/// reason why no worker can do the job. A job that was delivered three times without a result is reported as failed.
pub async fn work<F, R>(queue: Queue, jobs: Jobs, run: F, stop: CancellationToken)
where
    F: Fn(&'static str, Value) -> R,
    R: Future<Output = Result<Value, String>>,
{
    let all = async {
        let mut reported = None;
        // The other programs of which a warning has been shown.
        let mut warned = BTreeSet::new();
        // The jobs in a row that failed here.
        let mut failed = 0;
        loop {
            let mut problem = None;
            let open = queue.jobs(&jobs.kinds, &jobs.hash).await;
            let OpenRuns { runs, other_programs } = open.unwrap_or_else(|error| {
                // No jobs were ever submitted in this room, or the broker cannot be reached.
                problem = Some(error.to_string());
                OpenRuns::default()
            });
            for program in other_programs {
                if warned.len() < MOST_WARNINGS && warned.insert(program.clone()) {
                    tracing::warn!("{}", not_this_program(&program, &jobs.hash));
                }
            }
            let poll = if runs.len() > 1 { SHORT_POLL } else { POLL_LIMIT };
            for of_run in &runs {
                // Other runs, also those that begin later, get their turns.
                let until = Instant::now() + TURN;
                while Instant::now() < until {
                    match of_run.inbox.next(poll).await {
                        Ok(Some(delivery)) => {
                            let is_done =
                                do_job(&queue, &jobs, &run, of_run, &*delivery, &stop).await;
                            if stop.is_cancelled() {
                                return;
                            }
                            failed = if is_done { 0 } else { failed + 1 };
                            if failed >= MOST_FAILED {
                                // Other workers may be able to do them.
                                tracing::warn!(
                                    "{failed} jobs in a row have failed here; the next one in {} s",
                                    FAILURE_PAUSE.as_secs()
                                );
                                sleep(FAILURE_PAUSE).await;
                            }
                        }
                        Ok(None) => break,
                        Err(error) => {
                            problem = Some(error.to_string());
                            break;
                        }
                    }
                }
            }
            if problem.is_some() && problem != reported {
                tracing::debug!("no jobs: {}", problem.as_deref().unwrap_or_default());
            }
            if problem.is_some() || runs.is_empty() {
                sleep(PAUSE).await;
            }
            reported = problem;
        }
    };
    tokio::select! {
        () = all => {}
        () = async { stop.cancelled().await; sleep(GIVE_BACK_LIMIT).await } => {}
    }
}

/// Does one job. If the worker is stopped, the job goes back to the queue. Returns whether the job has not failed.
async fn do_job<F, R>(
    queue: &Queue,
    jobs: &Jobs,
    run: &F,
    of_run: &RunJobs,
    delivery: &dyn Delivery,
    stop: &CancellationToken,
) -> bool
where
    F: Fn(&'static str, Value) -> R,
    R: Future<Output = Result<Value, String>>,
{
    let job = match JobMessage::read(delivery.payload()) {
        Ok(job) => job,
        Err(reason) => {
            tracing::warn!("a job is dropped: {reason}");
            delivery.reply(Reply::Drop).await;
            return true;
        }
    };
    let is_last = delivery.deliveries() > MOST_DELIVERIES;
    let done = async {
        let outcome = if is_last {
            JobOutcome::Failed(format!("it was given out {MOST_DELIVERIES} times and not finished"))
        } else {
            match run(of_run.kind, job.work).await {
                Ok(result) => JobOutcome::Done(result),
                Err(reason) => JobOutcome::Failed(printable(&reason, LONGEST_REASON)),
            }
        };
        let has_failed = !is_last && matches!(outcome, JobOutcome::Failed(_));
        let result = result_bytes(job.id, &jobs.worker, outcome);
        // Each attempt to send it has the same name, so that the broker stores it once.
        let message = format!("{}-{}-{}", job.run, job.id, random_name());
        for attempt in 1..=MOST_ATTEMPTS {
            match queue.answer(&job.run, &message, result.clone()).await {
                Ok(()) => return (true, has_failed),
                Err(error) if attempt == 1 => {
                    tracing::warn!("job {}: {error}; trying again", job.id);
                }
                Err(_) => {}
            }
            sleep(PAUSE).await;
        }
        (false, has_failed)
    };
    let progress = async {
        let mut ticks = interval((of_run.lease / 3).max(Duration::from_millis(100)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick fires at once, when the lease has only begun.
        ticks.tick().await;
        loop {
            ticks.tick().await;
            delivery.reply(Reply::Working).await;
        }
    };
    let (is_answered, has_failed) = tokio::select! {
        done = done => done,
        never = progress => match never {},
        () = stop.cancelled() => {
            delivery.reply(Reply::Back).await;
            (false, false)
        }
    };
    if is_answered {
        delivery.reply(if is_last { Reply::Drop } else { Reply::Done }).await;
    }
    !has_failed
}

/// Why a worker does none of the jobs of a room.
fn not_this_program(program: &str, own: &str) -> String {
    format!(
        "the jobs of this room are for the program {program}, and this is {own}: workers need the same kyomi as the \
         machine that gives them out"
    )
}

/// Serializes a result. One that is too long becomes a failure.
fn result_bytes(id: u64, worker: &str, outcome: JobOutcome) -> Vec<u8> {
    let failed = |error: JobMessageError| {
        let outcome = JobOutcome::Failed(format!("the result: {error}"));
        ResultMessage::new(id, worker, outcome).write().unwrap_or_default()
    };
    ResultMessage::new(id, worker, outcome).write().unwrap_or_else(failed)
}

/// How long one request for a job waits at the broker if a single run has jobs.
const POLL_LIMIT: Duration = Duration::from_secs(2);
/// The same if several runs have jobs.
const SHORT_POLL: Duration = Duration::from_millis(500);
/// How long jobs of one run are begun before the runs are listed again.
const TURN: Duration = Duration::from_secs(2);
/// The largest number of other programs of which a worker warns.
const MOST_WARNINGS: usize = 16;
/// The pause after an error.
const PAUSE: Duration = Duration::from_secs(1);
/// The number of jobs in a row that fail before the worker pauses.
const MOST_FAILED: u32 = 3;
/// The pause of a worker whose jobs fail.
const FAILURE_PAUSE: Duration = Duration::from_secs(20);
/// The time for giving a job back when the worker stops.
const GIVE_BACK_LIMIT: Duration = Duration::from_millis(500);
const MOST_DELIVERIES: u64 = 3;
/// The number of attempts to send a result: about ten minutes. Then the job is given out again.
const MOST_ATTEMPTS: u32 = 100;
