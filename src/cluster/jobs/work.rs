//! The worker's side: takes one job after another.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    broker::{Delivery, Reply, RunJobs},
    message::{JobMessage, JobMessageError, JobOutcome, LONGEST_REASON, ResultMessage},
    queue::Queue,
};
use crate::{cluster::message::printable, search::lower_priority};

/// What a worker works on.
#[derive(Debug, Clone)]
pub struct Jobs {
    /// The kinds of work.
    pub kinds: &'static [&'static str],
    /// What this program is; jobs for others are left to them.
    pub hash: String,
    /// The name of the worker, for people.
    pub worker: String,
}

/// Does one job after another with `run`, until `stop` is cancelled. A job that is running then goes back to the queue.
///
/// `run` gets the kind of the work, and the work as the coordinator wrote it, and checks it. Its error is the reason why
/// the job cannot be done by anybody. A job that was given out three times without an end is reported as failed.
pub async fn work<F, R>(queue: Queue, jobs: Jobs, run: F, stop: CancellationToken)
where
    F: Fn(&'static str, Value) -> R,
    R: Future<Output = Result<Value, String>>,
{
    let all = async {
        let mut told = None;
        loop {
            let mut problem = None;
            let runs = queue.jobs(jobs.kinds, &jobs.hash).await.unwrap_or_else(|error| {
                // Nobody has given out jobs in this room yet, or the broker is away.
                problem = Some(error.to_string());
                Vec::new()
            });
            let patience = if runs.len() > 1 { SHORT_PATIENCE } else { PATIENCE };
            for of_run in &runs {
                loop {
                    match of_run.inbox.next(patience).await {
                        Ok(Some(delivery)) => {
                            one(&queue, &jobs, &run, of_run, &*delivery, &stop).await;
                            if stop.is_cancelled() {
                                return;
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
            if problem.is_some() && problem != told {
                tracing::debug!("no jobs: {}", problem.as_deref().unwrap_or_default());
            }
            if problem.is_some() || runs.is_empty() {
                sleep(PAUSE).await;
            }
            told = problem;
        }
    };
    tokio::select! {
        () = all => {}
        () = async { stop.cancelled().await; sleep(LAST_WORDS).await } => {}
    }
}

/// Does one job. When the worker stops the job goes back.
async fn one<F, R>(
    queue: &Queue,
    jobs: &Jobs,
    run: &F,
    of_run: &RunJobs,
    delivery: &dyn Delivery,
    stop: &CancellationToken,
) where
    F: Fn(&'static str, Value) -> R,
    R: Future<Output = Result<Value, String>>,
{
    let job = match JobMessage::read(delivery.payload()) {
        Ok(job) => job,
        Err(reason) => {
            tracing::warn!("a job is dropped: {reason}");
            delivery.reply(Reply::Drop).await;
            return;
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
        let result = written(job.id, &jobs.worker, outcome);
        for attempt in 1..=MOST_ATTEMPTS {
            match queue.answer(&job.run, result.clone()).await {
                Ok(()) => return true,
                Err(error) if attempt == 1 => {
                    tracing::warn!("job {}: {error}; trying again", job.id);
                }
                Err(_) => {}
            }
            sleep(PAUSE).await;
        }
        false
    };
    let progress = async {
        let mut ticks = interval((of_run.lease / 3).max(Duration::from_millis(100)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once; the lease has just begun.
        ticks.tick().await;
        loop {
            ticks.tick().await;
            delivery.reply(Reply::Working).await;
        }
    };
    let is_answered = tokio::select! {
        is_answered = done => is_answered,
        never = progress => match never {},
        () = stop.cancelled() => {
            delivery.reply(Reply::Back).await;
            false
        }
    };
    if is_answered {
        delivery.reply(if is_last { Reply::Drop } else { Reply::Done }).await;
    }
}

/// A result as bytes. One that is too long becomes a failure.
fn written(id: u64, worker: &str, outcome: JobOutcome) -> Vec<u8> {
    let failed = |error: JobMessageError| {
        let outcome = JobOutcome::Failed(format!("the result: {error}"));
        ResultMessage::new(id, worker, outcome).write().unwrap_or_default()
    };
    ResultMessage::new(id, worker, outcome).write().unwrap_or_else(failed)
}

/// Runs a computation in a thread of its own, at low priority. Dropping the future cancels the token.
///
/// # Errors
/// That of the computation, or it panicked.
pub async fn compute<T: Send + 'static>(
    run: impl FnOnce(CancellationToken) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let leave = CancellationToken::new();
    let _abandon = leave.clone().drop_guard();
    let computed = tokio::task::spawn_blocking(move || {
        lower_priority();
        run(leave)
    });
    computed.await.map_err(|_| "it ended unexpectedly".to_owned())?
}

/// How long one question for a job waits at the broker: where one run has jobs, or where several have.
const PATIENCE: Duration = Duration::from_secs(2);
const SHORT_PATIENCE: Duration = Duration::from_millis(500);
/// The pause after an error.
const PAUSE: Duration = Duration::from_secs(1);
/// The time for giving a job back when the worker stops.
const LAST_WORDS: Duration = Duration::from_millis(500);
const MOST_DELIVERIES: u64 = 3;
/// The number of attempts to send a result: about ten minutes. Then the job is given out again.
const MOST_ATTEMPTS: u32 = 100;
