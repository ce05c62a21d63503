//! The worker's side: takes one job after another.

use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::queue::{JobOutcome, Queue, ResultMessage, VERSION, next_message, read_job};
use crate::cluster::message::printable;

/// What a worker works on.
#[derive(Debug, Clone)]
pub struct Jobs {
    /// The kind of work.
    pub kind: &'static str,
    /// What this program is; jobs for others are left to them.
    pub hash: String,
    /// The name of the worker, for people.
    pub worker: String,
}

/// Does one job after another with `run`, until `stop` is cancelled. A job that is running then goes back to the queue.
///
/// `run` gets the work as the coordinator wrote it, and checks it. Its error is the reason why the job cannot be done by
/// anybody. A job that was given out three times without an end is reported as failed.
pub async fn work<F, R>(queue: Queue, jobs: Jobs, run: F, stop: CancellationToken)
where
    F: Fn(Value) -> R,
    R: Future<Output = Result<Value, String>>,
{
    let all = async {
        let mut told = None;
        loop {
            let mut problem = None;
            let runs = queue.jobs(jobs.kind, &jobs.hash).await.unwrap_or_else(|error| {
                // Nobody has given out jobs in this room yet, or the broker is away.
                problem = Some(error.to_string());
                Vec::new()
            });
            let patience = if runs.len() > 1 { SHORT_PATIENCE } else { PATIENCE };
            for consumer in &runs {
                let lease = consumer.cached_info().config.ack_wait;
                loop {
                    match next_message(consumer, patience).await {
                        Ok(Some(message)) => {
                            one(&queue, &jobs, &run, &message, lease, &stop).await;
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
    message: &Message,
    lease: Duration,
    stop: &CancellationToken,
) where
    F: Fn(Value) -> R,
    R: Future<Output = Result<Value, String>>,
{
    let job = match read_job(&message.payload) {
        Ok(job) => job,
        Err(reason) => {
            tracing::warn!("a job is dropped: {reason}");
            let _ = message.ack_with(AckKind::Term).await;
            return;
        }
    };
    let deliveries = message.info().map_or(1, |info| info.delivered);
    let done = async {
        let outcome = if deliveries > MOST_DELIVERIES {
            JobOutcome::Failed(format!("it was given out {MOST_DELIVERIES} times and not finished"))
        } else {
            match run(job.work).await {
                Ok(result) => JobOutcome::Done(result),
                Err(reason) => JobOutcome::Failed(printable(&reason, 300)),
            }
        };
        let (id, worker) = (job.id, jobs.worker.clone());
        let mut result = ResultMessage { v: VERSION, id, worker, outcome };
        let mut attempts = 0;
        while let Err(error) = queue.answer(&job.run, &result).await {
            attempts += 1;
            if attempts == 1 {
                tracing::warn!("job {id}: {error}; trying again");
            }
            if error.to_string().contains("more than") {
                result.outcome = JobOutcome::Failed(error.to_string());
            }
            if attempts == MOST_ATTEMPTS {
                return false;
            }
            sleep(PAUSE).await;
        }
        true
    };
    let progress = async {
        let mut ticks = interval((lease / 3).max(Duration::from_millis(100)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let _ = message.ack_with(AckKind::Progress).await;
        }
    };
    let is_answered = tokio::select! {
        is_answered = done => is_answered,
        never = progress => match never {},
        () = stop.cancelled() => {
            let _ = message.ack_with(AckKind::Nak(None)).await;
            false
        }
    };
    if is_answered {
        let last = deliveries > MOST_DELIVERIES;
        let _ = message.ack_with(if last { AckKind::Term } else { AckKind::Ack }).await;
    }
}

/// How long one question for a job waits at the broker: where one run has jobs, or where several have.
const PATIENCE: Duration = Duration::from_secs(2);
const SHORT_PATIENCE: Duration = Duration::from_millis(500);
/// The pause after an error.
const PAUSE: Duration = Duration::from_secs(1);
/// The time for giving a job back when the worker stops.
const LAST_WORDS: Duration = Duration::from_millis(500);
const MOST_DELIVERIES: i64 = 3;
/// The number of attempts to send a result: about ten minutes. Then the job is given out again.
const MOST_ATTEMPTS: u32 = 100;
