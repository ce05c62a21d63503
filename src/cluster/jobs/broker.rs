//! The trait for storing jobs and results. The code above it does not depend on an implementation.

use std::{collections::BTreeSet, fmt::Display, time::Duration};

use futures_util::future::BoxFuture;

use crate::cluster::message::printable;

/// The name under which the jobs of a run are stored. Each part consists of letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobName {
    /// The kind of work.
    pub kind: &'static str,
    /// The hash of the program that can do them: only workers with the same hash get them.
    pub hash: String,
    /// The run that submitted them, to which the results go.
    pub run: String,
}

/// Why a request to the broker failed.
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

/// The answer of a broker. It comes, or fails, within a few seconds.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, JobError>>;

/// Stores jobs and results, as bytes, until they are acknowledged.
pub trait JobBroker: Send + Sync + std::fmt::Debug {
    /// Prepares for jobs of this name; existing ones are kept. `lease` is the time after which a job goes to another
    /// worker if its worker has been silent.
    fn open<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()>;

    /// Stores a job.
    fn put_job<'a>(&'a self, name: &'a JobName, job: Vec<u8>) -> Answer<'a, ()>;

    /// Stores a result of a run. Of several with the same name of the `message`, which come while a worker tries to
    /// send it, one is stored.
    fn put_result<'a>(&'a self, run: &'a str, message: &'a str, result: Vec<u8>) -> Answer<'a, ()>;

    /// The number of jobs of this name that wait or are being done.
    fn unfinished<'a>(&'a self, name: &'a JobName) -> Answer<'a, u64>;

    /// Drops the waiting jobs of this name. Those in progress are finished, and their results still come.
    fn withdraw<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()>;

    /// Drops the jobs of this name with their delivery state, and prepares for new ones.
    fn reset<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()>;

    /// Drops everything that is stored under this name.
    fn forget<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()>;

    /// The results of a run, including those that were delivered before but not acknowledged.
    fn results<'a>(&'a self, run: &'a str) -> Answer<'a, Box<dyn Inbox>>;

    /// The jobs of these kinds for programs with this hash, by run.
    fn jobs<'a>(&'a self, kinds: &'a [&'static str], hash: &'a str) -> Answer<'a, OpenRuns>;
}

/// The runs that a worker may take jobs from.
#[derive(Default)]
pub struct OpenRuns {
    /// The runs that have jobs for this program, or the newest run for it if none has.
    pub runs: Vec<RunJobs>,
    /// The hashes of the programs for which other runs have jobs, if none has jobs for this one.
    pub other_programs: BTreeSet<String>,
}

/// The jobs of one run.
pub struct RunJobs {
    /// Their kind.
    pub kind: &'static str,
    /// The time after which a job goes to another worker if its worker has been silent.
    pub lease: Duration,
    /// The jobs.
    pub inbox: Box<dyn Inbox>,
}

/// Messages that wait at the broker. Each is delivered again until it is acknowledged.
pub trait Inbox: Send + Sync + std::fmt::Debug {
    /// Waits for the next message, at most this long.
    fn next(&self, longest: Duration) -> Answer<'_, Option<Box<dyn Delivery>>>;
}

/// A message that was delivered.
pub trait Delivery: Send + Sync + std::fmt::Debug {
    /// Its bytes.
    fn payload(&self) -> &[u8];

    /// How many times it has been delivered, this time included.
    fn deliveries(&self) -> u64;

    /// Acknowledges the message. If the reply is lost, the message is delivered again.
    fn reply(&self, reply: Reply) -> BoxFuture<'_, ()>;
}

/// The acknowledgement of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// It has been handled and is not delivered again.
    Done,
    /// It is being worked on.
    Working,
    /// It is returned for another worker.
    Back,
    /// It cannot be handled by any worker and is dropped.
    Drop,
}
