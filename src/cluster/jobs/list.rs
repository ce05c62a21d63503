//! The jobs of a run and their results.

use std::collections::BTreeSet;

use super::job::Job;

/// The jobs of a run, and a store for their results.
pub trait JobList {
    /// The kind of the jobs.
    type Job: Job;

    /// Why a result cannot be stored.
    type Error;

    /// The number of the next job that was never given out; `None` if there is none at the moment.
    fn next_job(&mut self) -> Option<u64>;

    /// The job with a number that [`next_job`](Self::next_job) gave; `None` if it cannot be given out.
    fn job(&mut self, id: u64) -> Option<Self::Job>;

    /// Whether the result of this job is still to come.
    fn wants(&self, id: u64) -> bool;

    /// Checks a result that is wanted, and stores it.
    ///
    /// # Errors
    /// It cannot be stored.
    fn take(&mut self, id: u64, done: <Self::Job as Job>::Done) -> Result<Taken, Self::Error>;

    /// Whether no further results are needed.
    fn is_done(&self) -> bool;
}

/// The outcome of taking a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// It is stored.
    Stored,
    /// It is not a valid result of its job, for this reason.
    Refused(String),
}

/// The number of the next job to do: first those that are to be done again.
pub(super) fn next_wanted(again: &mut BTreeSet<u64>, list: &mut impl JobList) -> Option<u64> {
    loop {
        let id = again.pop_first().or_else(|| list.next_job())?;
        if list.wants(id) {
            return Some(id);
        }
    }
}
