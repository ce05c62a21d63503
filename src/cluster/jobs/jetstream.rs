//! The broker of a room: streams of a NATS server, in files (`JetStream`).

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use async_nats::{
    connection::State,
    jetstream::{
        self, AckKind, Context, Message,
        consumer::{AckPolicy, Info, PullConsumer, pull},
        message::PublishMessage,
        stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream},
    },
};
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture};
use tokio::time::{sleep, timeout};

use super::broker::{
    Answer, Delivery, Inbox, JobBroker, JobError, JobName, OpenRuns, Reply, RunJobs,
};
use crate::cluster::{NatsTransport, Room, message::printable};

/// The jobs and results of a room, at a NATS server.
#[derive(Debug)]
pub(super) struct JetStream {
    context: Context,
    room: Room,
    transport: Arc<NatsTransport>,
}

impl JetStream {
    pub(super) fn new(transport: Arc<NatsTransport>, room: Room) -> Self {
        let context = jetstream::new(transport.client().clone());
        Self { context, room, transport }
    }

    async fn open_streams(&self, name: &JobName, lease: Duration) -> Result<(), JobError> {
        const WHAT: &str = "opening the queue of jobs";
        for (stream, subjects) in [
            (self.room.jobs_stream(), format!("kyomi.{}.jobs.*.*.*", self.room)),
            (self.room.results_stream(), format!("kyomi.{}.results.*", self.room)),
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
                duplicate_window: RECOGNISED,
                ..Config::default()
            };
            let made = timeout(LIMIT, self.context.get_or_create_stream(config)).await;
            let made = made.map_err(|_| JobError::new(WHAT, NO_ANSWER))?;
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
        self.consumer(WHAT, &self.room.jobs_stream(), config).await.map(drop)
    }

    /// Stores a message as soon as the broker is connected. A message that is published without a connection would be
    /// sent later, when the caller has given up and tried again.
    async fn store(
        &self,
        what: &'static str,
        subject: String,
        message: PublishMessage,
    ) -> Result<(), JobError> {
        let stored = async {
            while self.transport.client().connection_state() != State::Connected {
                sleep(CONNECTION_POLL).await;
            }
            let sent = self.context.send_publish(subject, message).await;
            sent.map_err(|error| JobError::new(what, error))?
                .await
                .map_err(|error| JobError::new(what, error))
        };
        let stored = timeout(LIMIT, stored).await;
        stored.map_err(|_| JobError::new(what, NO_ANSWER))?.map(drop)
    }

    async fn purge(&self, name: &JobName) -> Result<(), JobError> {
        const WHAT: &str = "taking back jobs";
        let stream = self.stream(WHAT, &self.room.jobs_stream()).await?;
        let purged = timeout(LIMIT, stream.purge().filter(self.subject(name)).into_future()).await;
        let purged = purged.map_err(|_| JobError::new(WHAT, NO_ANSWER))?;
        purged.map(drop).map_err(|error| JobError::new(WHAT, error))
    }

    /// Replaces the consumer of a run. After a kill the server may number the messages of an empty stream from 1 again,
    /// while the old consumer remembers a higher number and delivers nothing. A new consumer delivers all.
    async fn replace_consumer(&self, name: &JobName, lease: Duration) -> Result<(), JobError> {
        self.purge(name).await?;
        self.delete_consumer(&consumer_name(name), self.room.jobs_stream()).await;
        self.open_streams(name, lease).await
    }

    /// Deletes a consumer, if it is there.
    async fn delete_consumer(&self, consumer: &str, stream: String) {
        let _ = timeout(LIMIT, self.context.delete_consumer_from_stream(consumer, stream)).await;
    }

    async fn delete(&self, name: &JobName) -> Result<(), JobError> {
        const WHAT: &str = "forgetting a run";
        self.purge(name).await?;
        for (consumer, stream) in [
            (name.run.clone(), self.room.results_stream()),
            (consumer_name(name), self.room.jobs_stream()),
        ] {
            let deleted = self.context.delete_consumer_from_stream(consumer, stream);
            let deleted = timeout(LIMIT, deleted).await;
            let deleted = deleted.map_err(|_| JobError::new(WHAT, NO_ANSWER))?;
            deleted.map_err(|error| JobError::new(WHAT, error))?;
        }
        Ok(())
    }

    async fn unfinished_jobs(&self, name: &JobName) -> Result<u64, JobError> {
        const WHAT: &str = "counting jobs";
        let asked = async {
            let stream = self.stream(WHAT, &self.room.jobs_stream()).await?;
            let consumer = stream.get_consumer::<pull::Config>(&consumer_name(name)).await;
            let consumer = consumer.map_err(|error| JobError::new(WHAT, error))?;
            Ok(unfinished(consumer.cached_info()))
        };
        timeout(LIMIT, asked).await.map_err(|_| JobError::new(WHAT, NO_ANSWER))?
    }

    async fn collect(&self, run: &str) -> Result<Box<dyn Inbox>, JobError> {
        let config = pull::Config {
            durable_name: Some(run.to_owned()),
            filter_subject: self.room.results(run),
            ack_policy: AckPolicy::Explicit,
            ack_wait: RESULT_LEASE,
            ..pull::Config::default()
        };
        self.delete_consumer(run, self.room.results_stream()).await;
        let consumer =
            self.consumer("collecting results", &self.room.results_stream(), config).await?;
        Ok(Box::new(Consumer(consumer)))
    }

    async fn runs(&self, kinds: &[&'static str], hash: &str) -> Result<OpenRuns, JobError> {
        const WHAT: &str = "asking for jobs";
        let stream = self.stream(WHAT, &self.room.jobs_stream()).await?;
        let mut names = stream.consumer_names();
        let (mut busy, mut newest): (Vec<_>, Option<(&'static str, PullConsumer)>) =
            (Vec::new(), None);
        let mut other_programs = BTreeSet::new();
        let asked = async {
            while let Some(name) = names.next().await {
                let name = name.map_err(|error| JobError::new(WHAT, error))?;
                let of_kind = |kind: &&'static str| {
                    let (program, _) =
                        name.strip_prefix(*kind)?.strip_prefix('-')?.split_once('-')?;
                    Some((*kind, program))
                };
                let Some((kind, program)) = kinds.iter().find_map(of_kind) else { continue };
                if busy.len() + other_programs.len() >= MOST_RUNS {
                    break;
                }
                // It may have been deleted in the meantime.
                let Ok(consumer) = stream.get_consumer::<pull::Config>(&name).await else {
                    continue;
                };
                let info = consumer.cached_info();
                if program != hash {
                    if unfinished(info) > 0 {
                        other_programs.insert(printable(program, LONGEST_WORD));
                    }
                } else if unfinished(info) > 0 {
                    busy.push((kind, consumer));
                } else if newest.as_ref().is_none_or(|it| it.1.cached_info().created < info.created)
                {
                    newest = Some((kind, consumer));
                }
            }
            Ok(())
        };
        timeout(LISTING, asked).await.map_err(|_| JobError::new(WHAT, NO_ANSWER))??;
        if busy.is_empty() {
            busy.extend(newest);
        } else {
            other_programs.clear();
        }
        let jobs = |(kind, consumer): (_, PullConsumer)| {
            let lease = consumer.cached_info().config.ack_wait;
            RunJobs { kind, lease, inbox: Box::new(Consumer(consumer)) }
        };
        Ok(OpenRuns { runs: busy.into_iter().map(jobs).collect(), other_programs })
    }

    async fn stream(&self, what: &'static str, name: &str) -> Result<Stream<()>, JobError> {
        let stream = self.context.get_stream_no_info(name).await;
        stream.map_err(|error| JobError::new(what, error))
    }

    async fn consumer(
        &self,
        what: &'static str,
        stream: &str,
        config: pull::Config,
    ) -> Result<PullConsumer, JobError> {
        let name = config.durable_name.clone().unwrap_or_default();
        let stream = self.stream(what, stream).await?;
        let made = timeout(LIMIT, stream.get_or_create_consumer(&name, config)).await;
        let made = made.map_err(|_| JobError::new(what, NO_ANSWER))?;
        made.map_err(|error| JobError::new(what, error))
    }

    fn subject(&self, name: &JobName) -> String {
        format!("{}.{}", self.room.jobs(name.kind, &name.hash), name.run)
    }
}

impl JobBroker for JetStream {
    fn open<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()> {
        self.open_streams(name, lease).boxed()
    }

    fn put_job<'a>(&'a self, name: &'a JobName, job: Vec<u8>) -> Answer<'a, ()> {
        let message = PublishMessage::build().payload(job.into());
        self.store("giving out a job", self.subject(name), message).boxed()
    }

    fn put_result<'a>(&'a self, run: &'a str, message: &'a str, result: Vec<u8>) -> Answer<'a, ()> {
        let message = PublishMessage::build().payload(result.into()).message_id(message);
        self.store("sending a result", self.room.results(run), message).boxed()
    }

    fn unfinished<'a>(&'a self, name: &'a JobName) -> Answer<'a, u64> {
        self.unfinished_jobs(name).boxed()
    }

    fn withdraw<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()> {
        self.purge(name).boxed()
    }

    fn reset<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()> {
        self.replace_consumer(name, lease).boxed()
    }

    fn forget<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()> {
        self.delete(name).boxed()
    }

    fn results<'a>(&'a self, run: &'a str) -> Answer<'a, Box<dyn Inbox>> {
        self.collect(run).boxed()
    }

    fn jobs<'a>(&'a self, kinds: &'a [&'static str], hash: &'a str) -> Answer<'a, OpenRuns> {
        self.runs(kinds, hash).boxed()
    }
}

fn consumer_name(name: &JobName) -> String {
    format!("{}-{}-{}", name.kind, name.hash, name.run)
}

fn unfinished(info: &Info) -> u64 {
    info.num_pending.saturating_add(info.num_ack_pending as u64)
}

#[derive(Debug)]
struct Consumer(PullConsumer);

impl Inbox for Consumer {
    fn next(&self, longest: Duration) -> Answer<'_, Option<Box<dyn Delivery>>> {
        const WHAT: &str = "waiting for the queue";
        async move {
            let asked = async {
                let batch = self.0.batch().max_messages(1).expires(longest).messages().await;
                let mut batch = batch.map_err(|error| JobError::new(WHAT, error))?;
                match batch.next().await {
                    Some(Ok(message)) => {
                        Ok(Some(Box::new(Delivered(message)) as Box<dyn Delivery>))
                    }
                    Some(Err(error)) => Err(JobError::new(WHAT, error)),
                    None => Ok(None),
                }
            };
            timeout(longest + LIMIT, asked).await.map_err(|_| JobError::new(WHAT, NO_ANSWER))?
        }
        .boxed()
    }
}

#[derive(Debug)]
struct Delivered(Message);

impl Delivery for Delivered {
    fn payload(&self) -> &[u8] {
        &self.0.payload
    }

    fn deliveries(&self) -> u64 {
        self.0.info().map_or(1, |info| u64::try_from(info.delivered).unwrap_or(1))
    }

    fn reply(&self, reply: Reply) -> BoxFuture<'_, ()> {
        async move {
            let kind = match reply {
                Reply::Done => AckKind::Ack,
                Reply::Working => AckKind::Progress,
                Reply::Back => AckKind::Nak(None),
                Reply::Drop => AckKind::Term,
            };
            let _ = timeout(LIMIT, self.0.ack_with(kind)).await;
        }
        .boxed()
    }
}

/// How long jobs and results of abandoned runs are kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long a result that is sent again is recognised: longer than a worker tries to send it.
const RECOGNISED: Duration = Duration::from_secs(15 * 60);
/// The size of a stream in the files of the broker.
const MOST_BYTES: i64 = 1 << 30;
/// The time in which a result is stored.
const RESULT_LEASE: Duration = Duration::from_secs(30);
/// The pause between two looks whether the broker is connected.
const CONNECTION_POLL: Duration = Duration::from_millis(50);
/// The longest wait for an answer of the broker.
const LIMIT: Duration = Duration::from_secs(5);
/// The longest time for the list of all runs.
const LISTING: Duration = Duration::from_secs(30);
/// The largest number of runs that a worker takes jobs from.
const MOST_RUNS: usize = 64;
/// The longest hash of a program that is shown.
const LONGEST_WORD: usize = 40;
const NO_ANSWER: &str = "no answer of the broker";
