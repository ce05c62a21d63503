//! The queue of a room: its jobs and their results, as messages whose format has been checked.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    broker::{Delivery, Inbox, JobBroker, JobError, JobName, OpenRuns, Reply},
    jetstream::JetStream,
    message::{JobMessage, JobOutcome, ResultMessage},
};
use crate::cluster::{NatsTransport, Room};

/// The jobs and results of a room.
#[derive(Debug, Clone)]
pub struct Queue(Arc<dyn JobBroker>);

impl Queue {
    /// A queue that this broker stores.
    pub fn new(broker: Arc<dyn JobBroker>) -> Self {
        Self(broker)
    }

    /// The queue of a room at a NATS server, which coordinators open first ([`Queue::open`]).
    pub fn of_room(transport: Arc<NatsTransport>, room: Room) -> Self {
        Self::new(Arc::new(JetStream::new(transport, room)))
    }

    /// Prepares the broker for jobs of this name; existing ones are kept. `lease` is the time after which a job goes to
    /// another worker if its worker has been silent.
    ///
    /// # Errors
    /// The broker refuses, or gives no answer within five seconds.
    pub async fn open(&self, name: &JobName, lease: Duration) -> Result<(), JobError> {
        self.0.open(name, lease).await
    }

    /// Submits a job.
    ///
    /// # Errors
    /// The broker has not taken it.
    pub async fn submit(&self, name: &JobName, id: u64, work: Value) -> Result<(), JobError> {
        let job = JobMessage::new(&name.run, id, work).write();
        let job = job.map_err(|error| JobError::new("giving out a job", error))?;
        self.0.put_job(name, job).await
    }

    /// The number of jobs of this name that wait or are being done.
    ///
    /// # Errors
    /// The broker gives no answer.
    pub async fn unfinished(&self, name: &JobName) -> Result<u64, JobError> {
        self.0.unfinished(name).await
    }

    /// Takes back the waiting jobs of this name. Those in progress are finished, and their results still come.
    ///
    /// # Errors
    /// The broker has not done it.
    pub async fn withdraw(&self, name: &JobName) -> Result<(), JobError> {
        self.0.withdraw(name).await
    }

    /// Takes back the jobs of this name and prepares for new ones, even if the delivery state at the broker is damaged.
    ///
    /// # Errors
    /// The broker has not done it.
    pub async fn reset(&self, name: &JobName, lease: Duration) -> Result<(), JobError> {
        self.0.reset(name, lease).await
    }

    /// Starts collecting the results of a run, including those that are already waiting.
    ///
    /// # Errors
    /// The broker refuses.
    pub async fn collect(&self, run: &str) -> Result<Collector, JobError> {
        Ok(Collector(self.0.results(run).await?))
    }

    /// Deletes a run whose results have all been collected.
    ///
    /// # Errors
    /// The broker has not done it.
    pub async fn forget(&self, name: &JobName) -> Result<(), JobError> {
        self.0.forget(name).await
    }

    /// The runs with jobs of these kinds for programs with this hash.
    pub(super) async fn jobs(
        &self,
        kinds: &[&'static str],
        hash: &str,
    ) -> Result<OpenRuns, JobError> {
        self.0.jobs(kinds, hash).await
    }

    /// Stores a result. If the answer of the broker is lost, it may be sent again with the same name of its `message`:
    /// it is stored once.
    pub(super) async fn answer(
        &self,
        run: &str,
        message: &str,
        result: Vec<u8>,
    ) -> Result<(), JobError> {
        self.0.put_result(run, message, result).await
    }
}

/// Collects the results of a run.
#[derive(Debug)]
pub struct Collector(Box<dyn Inbox>);

impl Collector {
    /// Waits for the next result, at most this long. It comes again unless it is
    /// [acknowledged](Collected::acknowledge).
    ///
    /// # Errors
    /// The broker is not reached; it may be asked again.
    pub async fn next(&self, longest: Duration) -> Result<Option<Collected>, JobError> {
        while let Some(delivery) = self.0.next(longest).await? {
            match ResultMessage::read(delivery.payload()) {
                Ok(ResultMessage { id, worker, outcome, .. }) => {
                    return Ok(Some(Collected { id, worker, outcome, delivery }));
                }
                Err(reason) => {
                    tracing::warn!("a result is dropped: {reason}");
                    delivery.reply(Reply::Drop).await;
                }
            }
        }
        Ok(None)
    }
}

/// A result that was received. Only its format has been checked.
#[derive(Debug)]
pub struct Collected {
    /// The number of the job.
    pub id: u64,
    /// The display name of its worker.
    pub worker: String,
    /// The outcome of the job.
    pub outcome: JobOutcome,
    delivery: Box<dyn Delivery>,
}

impl Collected {
    /// Acknowledges the result, after it was stored or found superfluous, so that it does not come again. It does come
    /// again if the acknowledgement is lost.
    pub async fn acknowledge(&self) {
        self.delivery.reply(Reply::Done).await;
    }
}
