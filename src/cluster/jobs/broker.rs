//! What keeps jobs and results. Nothing above it knows which one it is.

use std::{fmt::Display, time::Duration};

use futures_util::future::BoxFuture;

use crate::cluster::message::printable;

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

/// Why the broker did not do what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {reason}")]
pub struct JobError {
    what: &'static str,
    reason: String,
}

impl JobError {
    pub(super) fn new(what: &'static str, reason: impl Display) -> Self {
        Self { what, reason: printable(&reason.to_string(), 200) }
    }
}

/// The answer of a broker, for which a caller waits some seconds at most.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, JobError>>;

/// Keeps jobs and results until they are acknowledged. To it they are bytes.
pub trait JobBroker: Send + Sync + std::fmt::Debug {
    /// Makes ready for jobs of this name; what is there stays. `lease` is the time after which a job goes to another
    /// worker if nothing is heard of its worker.
    fn open<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()>;

    /// Keeps a job.
    fn put_job<'a>(&'a self, name: &'a JobName, job: Vec<u8>) -> Answer<'a, ()>;

    /// Keeps a result of a run.
    fn put_result<'a>(&'a self, run: &'a str, result: Vec<u8>) -> Answer<'a, ()>;

    /// The number of jobs of this name that wait or are being done.
    fn unfinished<'a>(&'a self, name: &'a JobName) -> Answer<'a, u64>;

    /// Drops the jobs of this name. Those that are being done are done, and their results come.
    fn withdraw<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()>;

    /// Drops the jobs of this name, and what was noted about who had them, and makes ready for new ones.
    fn begin_anew<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()>;

    /// Drops what is kept about this name.
    fn forget<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()>;

    /// The results of a run, those too that were delivered before and not acknowledged.
    fn results<'a>(&'a self, run: &'a str) -> Answer<'a, Box<dyn Inbox>>;

    /// The jobs of these kinds for programs with this hash, by run: the runs that have jobs, or otherwise the newest one.
    fn jobs<'a>(&'a self, kinds: &'a [&'static str], hash: &'a str) -> Answer<'a, Vec<RunJobs>>;
}

/// The jobs of one run.
pub struct RunJobs {
    /// Their kind.
    pub kind: &'static str,
    /// The time after which a job goes to another worker if nothing is heard of its worker.
    pub lease: Duration,
    /// The jobs.
    pub inbox: Box<dyn Inbox>,
}

/// Messages that wait at the broker. Each is delivered until it is acknowledged.
pub trait Inbox: Send + Sync + std::fmt::Debug {
    /// The next message, waiting for it at most this long.
    fn next(&self, longest: Duration) -> Answer<'_, Option<Box<dyn Delivery>>>;
}

/// A message that was delivered.
pub trait Delivery: Send + Sync + std::fmt::Debug {
    /// Its bytes.
    fn payload(&self) -> &[u8];

    /// The number of times that it was delivered, with this one.
    fn deliveries(&self) -> u64;

    /// Says what becomes of it. It may be lost; then the message is delivered again.
    fn reply(&self, reply: Reply) -> BoxFuture<'_, ()>;
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// It is done with, and does not come again.
    Done,
    /// It is being worked on.
    Working,
    /// It is for somebody else.
    Back,
    /// It is of no use to anybody.
    Drop,
}
