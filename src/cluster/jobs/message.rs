//! The messages about jobs, as JSON. None of them is trusted, not even those of our own machines.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cluster::{message::printable, subject::is_token};

/// The version of jobs and results.
pub const VERSION: u32 = 1;

/// The length of the longest job or result in bytes; servers take a MiB by default.
pub const LONGEST: usize = 1_000_000;

/// The longest time in a result. It is longer than that of any game or search, since the machine may have been
/// suspended.
pub(crate) const LONGEST_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// A job as the broker stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobMessage {
    v: u32,
    /// The run to which the result goes.
    pub run: String,
    /// Its number in the run.
    pub id: u64,
    /// What to do. The worker checks it.
    pub work: Value,
}

/// A result as the broker stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultMessage {
    v: u32,
    /// The number of the job.
    pub id: u64,
    /// The display name of the worker.
    pub worker: String,
    /// The outcome of the job.
    pub outcome: JobOutcome,
}

/// The outcome of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobOutcome {
    /// It was done; this is its result. The coordinator checks it.
    Done(Value),
    /// It cannot be done, with the reason.
    Failed(String),
}

/// Why a message about a job was not read, or not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobMessageError {
    /// It is longer than [`LONGEST`].
    #[error("{0} bytes, more than {LONGEST}")]
    Long(usize),
    /// It has another version.
    #[error("it has version {0} of the jobs, this program has {VERSION}")]
    Version(u32),
    /// The name of its run has other characters than letters, digits, `-` and `_`.
    #[error("its run is not valid")]
    Run,
    /// Its worker has no name.
    #[error("its worker has no name")]
    Worker,
    /// It is not JSON of this form.
    #[error("{0}")]
    Form(String),
}

impl JobMessage {
    /// A job of a run.
    pub fn new(run: &str, id: u64, work: Value) -> Self {
        Self { v: VERSION, run: run.to_owned(), id, work }
    }

    /// The message as bytes.
    ///
    /// # Errors
    /// It is too long.
    pub fn write(&self) -> Result<Vec<u8>, JobMessageError> {
        write(self)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, JobMessageError> {
        let job: Self = read(bytes)?;
        match (job.v, is_token(&job.run)) {
            (VERSION, true) => Ok(job),
            (VERSION, false) => Err(JobMessageError::Run),
            (other, _) => Err(JobMessageError::Version(other)),
        }
    }
}

impl ResultMessage {
    /// The result of a job.
    pub fn new(id: u64, worker: &str, outcome: JobOutcome) -> Self {
        Self { v: VERSION, id, worker: worker.to_owned(), outcome }
    }

    /// The message as bytes.
    ///
    /// # Errors
    /// It is too long.
    pub fn write(&self) -> Result<Vec<u8>, JobMessageError> {
        write(self)
    }

    /// Reads a message. Control characters are removed from the worker's name and the reason, which are shown to users.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, JobMessageError> {
        let mut result: Self = read(bytes)?;
        if result.v != VERSION {
            return Err(JobMessageError::Version(result.v));
        }
        result.worker = printable(&result.worker, 60);
        if result.worker.is_empty() {
            return Err(JobMessageError::Worker);
        }
        if let JobOutcome::Failed(reason) = &mut result.outcome {
            *reason = printable(reason, LONGEST_REASON);
            if reason.is_empty() {
                "no reason is given".clone_into(reason);
            }
        }
        Ok(result)
    }
}

fn write(message: &impl Serialize) -> Result<Vec<u8>, JobMessageError> {
    let bytes = serde_json::to_vec(message).map_err(|error| form(&error))?;
    if bytes.len() > LONGEST { Err(JobMessageError::Long(bytes.len())) } else { Ok(bytes) }
}

fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, JobMessageError> {
    if bytes.len() > LONGEST {
        return Err(JobMessageError::Long(bytes.len()));
    }
    serde_json::from_slice(bytes).map_err(|error| form(&error))
}

fn form(error: &serde_json::Error) -> JobMessageError {
    JobMessageError::Form(printable(&error.to_string(), 120))
}

/// The largest number of characters of a reason.
pub(super) const LONGEST_REASON: usize = 300;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_job_or_result_is_refused() {
        let bytes = JobMessage::new("r", 7, Value::Null).write().unwrap();
        assert_eq!(JobMessage::read(&bytes).unwrap().id, 7);
        let text = String::from_utf8(bytes).unwrap();
        for (from, to) in [("\"v\":1", "\"v\":2"), ("\"r\"", "\"r.*\""), ("\"id\":7", "\"id\":-7")]
        {
            assert!(JobMessage::read(text.replace(from, to).as_bytes()).is_err(), "{to}");
        }
        assert!(ResultMessage::read(text.as_bytes()).is_err());
        let long = vec![b' '; LONGEST + 1];
        assert_eq!(JobMessage::read(&long), Err(JobMessageError::Long(LONGEST + 1)));
        let long = Value::String("x".repeat(LONGEST));
        assert!(matches!(JobMessage::new("r", 7, long).write(), Err(JobMessageError::Long(_))));
    }

    #[test]
    fn what_people_read_of_a_result_is_printable() {
        let failed = JobOutcome::Failed("no \u{1b}[31mreason".to_owned());
        let bytes = ResultMessage::new(1, "w\u{7}", failed).write().unwrap();
        let read = ResultMessage::read(&bytes).unwrap();
        assert_eq!(read.worker, "w");
        assert_eq!(read.outcome, JobOutcome::Failed("no [31mreason".to_owned()));
        let failed = JobOutcome::Failed("\u{7}".to_owned());
        let bytes = ResultMessage::new(1, "w", failed.clone()).write().unwrap();
        let outcome = ResultMessage::read(&bytes).unwrap().outcome;
        assert_eq!(outcome, JobOutcome::Failed("no reason is given".to_owned()));
        let bytes = ResultMessage::new(1, "\u{7}", failed).write().unwrap();
        assert_eq!(ResultMessage::read(&bytes), Err(JobMessageError::Worker));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = JobMessage::read(&bytes);
            let _ = ResultMessage::read(&bytes);
        }
    }
}
