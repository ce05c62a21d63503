//! One kind of work, stated once for those that give it out and those that do it.

use futures_util::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use kyomi_engine::search::{StopFlag, lower_priority};

/// A piece of work that any worker of a room, or a thread of this machine, can do.
pub trait Job: Serialize + DeserializeOwned + Send + 'static {
    /// The name of this kind of work at the broker.
    const KIND: &'static str;

    /// What serves for all jobs of a run, such as a search engine.
    type Tools: Send;

    /// The result. Of one that a worker has sent, only the form is checked.
    type Done: Serialize + DeserializeOwned + Send;

    /// Checks a job that comes from another machine.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn check(&self) -> Result<(), String>;

    /// Makes what this job and others of its run need.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn tools(&self) -> Result<Self::Tools, String>;

    /// Does the job, or ends with an error soon after it was abandoned.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn run(&self, tools: &mut Self::Tools, abandon: &Abandon) -> Result<Self::Done, String>;

    /// Reads and checks a job.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn read(work: Value) -> Result<Self, String> {
        let job: Self = serde_json::from_value(work).map_err(|error| error.to_string())?;
        job.check()?;
        Ok(job)
    }

    /// The job as the broker stores it.
    fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// The result of a job to come, or why it cannot be done. Dropping it abandons the job.
pub type JobFuture = BoxFuture<'static, Result<Value, String>>;

/// A kind of work that a worker does.
#[derive(Debug, Clone, Copy)]
pub struct JobKind {
    /// Its name.
    pub name: &'static str,
    /// Reads, checks and does a job.
    pub run: fn(Value) -> JobFuture,
}

impl JobKind {
    /// The work of this type.
    pub const fn of<J: Job>() -> Self {
        Self { name: J::KIND, run: |work| Box::pin(run_message::<J>(work)) }
    }
}

/// Does a job on a thread of its own.
async fn run_message<J: Job>(work: Value) -> Result<Value, String> {
    let job = J::read(work)?;
    let abandon = AbandonAtEnd::default();
    let abandoned = abandon.0.clone();
    let run = move || {
        lower_priority();
        let done = job.run(&mut job.tools()?, &abandoned)?;
        serde_json::to_value(done).map_err(|error| error.to_string())
    };
    tokio::task::spawn_blocking(run).await.map_err(|_| ENDED.to_owned())?
}

/// Tells running jobs that nobody needs their results.
#[derive(Debug, Clone, Default)]
pub struct Abandon {
    /// For jobs that wait.
    pub token: CancellationToken,
    /// For jobs that search.
    pub search: StopFlag,
}

impl Abandon {
    pub(super) fn abandon(&self) {
        self.token.cancel();
        self.search.stop();
    }
}

/// Abandons jobs when it is dropped.
#[derive(Debug, Default)]
pub(super) struct AbandonAtEnd(pub(super) Abandon);

impl Drop for AbandonAtEnd {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Why there is no result of a job that panicked.
const ENDED: &str = "it ended unexpectedly";
