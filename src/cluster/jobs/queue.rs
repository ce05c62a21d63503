//! The queue of a room: its streams, its jobs and their results.

use std::{fmt::Display, sync::Arc, time::Duration};

use async_nats::jetstream::{
    self, AckKind, Context, Message,
    consumer::{AckPolicy, PullConsumer, pull},
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType},
};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;

use crate::cluster::{NatsTransport, Room, message::printable, subject::is_token};

/// The jobs and results of a room.
#[derive(Debug, Clone)]
pub struct Queue {
    context: Context,
    room: Room,
    /// Keeps the connection.
    _transport: Arc<NatsTransport>,
}

/// Why the broker did not do what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {reason}")]
pub struct JobError {
    what: &'static str,
    reason: String,
}

impl JobError {
    fn new(what: &'static str, reason: impl Display) -> Self {
        Self { what, reason: printable(&reason.to_string(), 200) }
    }
}

/// What jobs are about. Each part is a word of letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobName {
    /// The kind of work.
    pub kind: &'static str,
    /// What a program must be to do it: only workers with the same hash get it.
    pub hash: String,
    /// Who gave it out; results come back to this name.
    pub run: String,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobOutcome {
    /// It was done; this is its result.
    Done(Value),
    /// It cannot be done, with the reason.
    Failed(String),
}

/// A job as the broker keeps it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobMessage {
    pub(super) v: u32,
    pub(super) run: String,
    pub(super) id: u64,
    pub(super) work: Value,
}

/// A result as the broker keeps it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultMessage {
    pub(super) v: u32,
    pub(super) id: u64,
    pub(super) worker: String,
    pub(super) outcome: JobOutcome,
}

impl Queue {
    /// The queue of a room, which coordinators open first ([`Queue::open`]).
    pub fn of_room(transport: Arc<NatsTransport>, room: Room) -> Self {
        let context = jetstream::new(transport.client().clone());
        Self { context, room, _transport: transport }
    }

    /// Creates what the broker needs for jobs of this name. `lease` is the time after which a job goes to another worker
    /// if nothing is heard of its worker.
    ///
    /// # Errors
    /// The broker refuses, or gives no answer within five seconds.
    pub async fn open(&self, name: &JobName, lease: Duration) -> Result<(), JobError> {
        const WHAT: &str = "opening the queue of jobs";
        for (stream, subjects) in [
            (self.jobs_stream(), format!("kyomi.{}.jobs.*.*.*", self.room)),
            (self.results_stream(), format!("kyomi.{}.results.*", self.room)),
        ] {
            let config = Config {
                name: stream,
                subjects: vec![subjects],
                retention: RetentionPolicy::WorkQueue,
                storage: StorageType::File,
                discard: DiscardPolicy::New,
                num_replicas: 1,
                max_age: KEPT,
                max_bytes: MOST_BYTES,
                ..Config::default()
            };
            let made = self.context.get_or_create_stream(config).await;
            made.map_err(|error| JobError::new(WHAT, error))?;
        }
        let config = pull::Config {
            durable_name: Some(consumer_name(name)),
            filter_subject: self.subject(name),
            inactive_threshold: KEPT,
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            ..pull::Config::default()
        };
        self.consumer(&self.jobs_stream(), config)
            .await
            .map_err(|error| JobError::new(WHAT, error))?;
        Ok(())
    }

    /// Gives out a job.
    ///
    /// # Errors
    /// The broker has not taken it.
    pub async fn submit(&self, name: &JobName, id: u64, work: Value) -> Result<(), JobError> {
        let message = JobMessage { v: VERSION, run: name.run.clone(), id, work };
        let subject = self.subject(name);
        self.store("giving out a job", subject, &message).await
    }

    /// Takes back the jobs of this name that nobody has begun. What runs goes on, and its result comes.
    ///
    /// # Errors
    /// The broker has not done it.
    pub async fn withdraw(&self, name: &JobName) -> Result<(), JobError> {
        const WHAT: &str = "taking back jobs";
        let stream = self.context.get_stream_no_info(self.jobs_stream()).await;
        let stream = stream.map_err(|error| JobError::new(WHAT, error))?;
        let purged = timeout(LIMIT, stream.purge().filter(self.subject(name)).into_future()).await;
        let purged = purged.map_err(|_| JobError::new(WHAT, NO_ANSWER))?;
        purged.map(drop).map_err(|error| JobError::new(WHAT, error))
    }

    /// Begins to collect the results of a run. Those that came before are still there.
    ///
    /// # Errors
    /// The broker refuses.
    pub async fn collect(&self, run: &str) -> Result<Collector, JobError> {
        let config = pull::Config {
            durable_name: Some(run.to_owned()),
            filter_subject: self.results_subject(run),
            ack_policy: AckPolicy::Explicit,
            ack_wait: RESULT_LEASE,
            ..pull::Config::default()
        };
        let consumer = self.consumer(&self.results_stream(), config).await;
        consumer
            .map(|consumer| Collector { consumer })
            .map_err(|error| JobError::new("collecting results", error))
    }

    /// Forgets a run whose results are all there.
    ///
    /// # Errors
    /// The broker has not done it.
    pub async fn forget(&self, name: &JobName) -> Result<(), JobError> {
        const WHAT: &str = "forgetting a run";
        self.withdraw(name).await?;
        let deleted =
            self.context.delete_consumer_from_stream(&name.run, self.results_stream()).await;
        deleted.map_err(|error| JobError::new(WHAT, error))?;
        let name = consumer_name(name);
        let deleted = self.context.delete_consumer_from_stream(name, self.jobs_stream()).await;
        deleted.map(drop).map_err(|error| JobError::new(WHAT, error))
    }

    /// The consumers of the runs with such jobs: those that have some, or otherwise the newest one.
    pub(super) async fn jobs(&self, kind: &str, hash: &str) -> Result<Vec<PullConsumer>, JobError> {
        const WHAT: &str = "asking for jobs";
        let stream = self.context.get_stream_no_info(self.jobs_stream()).await;
        let stream = stream.map_err(|error| JobError::new(WHAT, error))?;
        let (mut names, prefix) = (stream.consumer_names(), format!("{kind}-{hash}-"));
        let (mut busy, mut newest): (Vec<PullConsumer>, Option<PullConsumer>) = (Vec::new(), None);
        let asked = async {
            while let Some(name) = names.next().await {
                let name = name.map_err(|error| JobError::new(WHAT, error))?;
                if !name.starts_with(&prefix) || busy.len() >= MOST_RUNS {
                    continue;
                }
                // It may have been deleted in the meantime.
                let Ok(consumer) = stream.get_consumer::<pull::Config>(&name).await else {
                    continue;
                };
                let info = consumer.cached_info();
                if info.num_pending > 0 || info.num_ack_pending > 0 {
                    busy.push(consumer);
                } else if newest.as_ref().is_none_or(|it| it.cached_info().created < info.created) {
                    newest = Some(consumer);
                }
            }
            Ok(())
        };
        timeout(LISTING, asked).await.map_err(|_| JobError::new(WHAT, NO_ANSWER))??;
        if busy.is_empty() {
            busy.extend(newest);
        }
        Ok(busy)
    }

    /// Stores a result.
    pub(super) async fn answer(&self, run: &str, result: &ResultMessage) -> Result<(), JobError> {
        self.store("sending a result", self.results_subject(run), result).await
    }

    async fn store(
        &self,
        what: &'static str,
        subject: String,
        message: &impl Serialize,
    ) -> Result<(), JobError> {
        let bytes = serde_json::to_vec(message).map_err(|error| JobError::new(what, error))?;
        if bytes.len() > LONGEST {
            let reason = format!("{} bytes, more than {LONGEST}", bytes.len());
            return Err(JobError::new(what, reason));
        }
        let stored = async {
            let sent = self.context.publish(subject, bytes.into()).await;
            sent.map_err(|error| JobError::new(what, error))?
                .await
                .map_err(|error| JobError::new(what, error))
        };
        let stored = timeout(LIMIT, stored).await;
        stored.map_err(|_| JobError::new(what, NO_ANSWER))?.map(drop)
    }

    async fn consumer(&self, stream: &str, config: pull::Config) -> Result<PullConsumer, String> {
        let name = config.durable_name.clone().unwrap_or_default();
        let stream = self.context.get_stream_no_info(stream).await;
        let stream = stream.map_err(|error| error.to_string())?;
        let made = timeout(LIMIT, stream.get_or_create_consumer(&name, config)).await;
        made.map_err(|_| NO_ANSWER.to_owned())?.map_err(|error| error.to_string())
    }

    fn jobs_stream(&self) -> String {
        format!("kyomi-{}-jobs", self.room)
    }

    fn results_stream(&self) -> String {
        format!("kyomi-{}-results", self.room)
    }

    fn subject(&self, name: &JobName) -> String {
        format!("{}.{}", self.room.jobs(name.kind, &name.hash), name.run)
    }

    fn results_subject(&self, run: &str) -> String {
        format!("kyomi.{}.results.{run}", self.room)
    }
}

fn consumer_name(name: &JobName) -> String {
    format!("{}-{}-{}", name.kind, name.hash, name.run)
}

/// Collects the results of a run.
#[derive(Debug)]
pub struct Collector {
    consumer: PullConsumer,
}

impl Collector {
    /// The next result, waiting for it at most this long. It comes again unless it is [acknowledged](Collected::acknowledge).
    ///
    /// # Errors
    /// The broker is not reached; it may be asked again.
    pub async fn next(&self, longest: Duration) -> Result<Option<Collected>, JobError> {
        while let Some(message) = next_message(&self.consumer, longest).await? {
            match read_result(&message.payload) {
                Ok(ResultMessage { id, worker, outcome, .. }) => {
                    let worker = printable(&worker, 60);
                    return Ok(Some(Collected { id, worker, outcome, message }));
                }
                Err(reason) => {
                    tracing::warn!("a result is dropped: {reason}");
                    let _ = message.ack_with(AckKind::Term).await;
                }
            }
        }
        Ok(None)
    }
}

/// A result that has come. It was checked for its form only.
#[derive(Debug)]
pub struct Collected {
    /// The number of the job.
    pub id: u64,
    /// The name of its worker, for people.
    pub worker: String,
    /// What became of it.
    pub outcome: JobOutcome,
    message: Message,
}

impl Collected {
    /// It is stored, or not wanted: it does not come again. A lost acknowledgement makes it come again.
    pub async fn acknowledge(&self) {
        let _ = timeout(LIMIT, self.message.ack()).await;
    }
}

/// The next message of a consumer, waiting for it at most this long.
pub(super) async fn next_message(
    consumer: &PullConsumer,
    longest: Duration,
) -> Result<Option<Message>, JobError> {
    const WHAT: &str = "waiting for the queue";
    let asked = async {
        let batch = consumer.batch().max_messages(1).expires(longest).messages().await;
        let mut batch = batch.map_err(|error| JobError::new(WHAT, error))?;
        match batch.next().await {
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(JobError::new(WHAT, error)),
            None => Ok(None),
        }
    };
    timeout(longest + LIMIT, asked).await.map_err(|_| JobError::new(WHAT, NO_ANSWER))?
}

pub(super) fn read_job(bytes: &[u8]) -> Result<JobMessage, String> {
    let job: JobMessage = read(bytes)?;
    match (job.v, is_token(&job.run)) {
        (VERSION, true) => Ok(job),
        (VERSION, false) => Err("its run is not valid".to_owned()),
        (other, _) => {
            Err(format!("it has version {other} of the jobs, this program has {VERSION}"))
        }
    }
}

fn read_result(bytes: &[u8]) -> Result<ResultMessage, String> {
    let result: ResultMessage = read(bytes)?;
    match result.v {
        VERSION => Ok(result),
        other => Err(format!("it has version {other} of the jobs, this program has {VERSION}")),
    }
}

fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, String> {
    if bytes.len() > LONGEST {
        return Err(format!("{} bytes, more than {LONGEST}", bytes.len()));
    }
    serde_json::from_slice(bytes).map_err(|error| printable(&error.to_string(), 120))
}

/// The version of jobs and results.
pub(super) const VERSION: u32 = 1;
/// The longest job or result in bytes; servers take a MiB by default.
const LONGEST: usize = 1_000_000;
/// How long jobs and results of runs that nobody continues are kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// The size of a stream in the files of the broker.
const MOST_BYTES: i64 = 1 << 30;
/// The time in which a result is stored.
const RESULT_LEASE: Duration = Duration::from_secs(30);
/// The longest wait for an answer of the broker.
const LIMIT: Duration = Duration::from_secs(5);
/// The longest time for the list of all runs.
const LISTING: Duration = Duration::from_secs(30);
/// The number of runs that a worker looks at.
const MOST_RUNS: usize = 64;
const NO_ANSWER: &str = "no answer of the broker";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_job_or_result_is_refused() {
        let job = JobMessage { v: VERSION, run: "r".to_owned(), id: 7, work: Value::Null };
        let bytes = serde_json::to_vec(&job).unwrap();
        assert_eq!(read_job(&bytes).unwrap().id, 7);
        let text = String::from_utf8(bytes).unwrap();
        for (from, to) in [("\"v\":1", "\"v\":2"), ("\"r\"", "\"r.*\""), ("\"id\":7", "\"id\":-7")]
        {
            assert!(read_job(text.replace(from, to).as_bytes()).is_err(), "{to}");
        }
        assert!(read_result(text.as_bytes()).is_err());
        assert!(read_job(&vec![b' '; LONGEST + 1]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_job(&bytes);
            let _ = read_result(&bytes);
        }
    }
}
