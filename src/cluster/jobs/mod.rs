//! Work by the thousand: jobs that any worker of a room may do, kept by the broker until they are done.
//!
//! A job is given out at least once and may be done twice, after a worker or the broker died: [`JobRun`] removes doubles
//! by the job's number. Jobs and results wait in files of the broker, so that nobody needs to be there all the time.
//!
//! ```text
//!  JobList ──▶ JobRun ──▶ kyomi.ROOM.jobs.KIND.HASH.RUN ──▶ work (one durable consumer for each such subject)
//!  JobList ◀── JobRun ◀── kyomi.ROOM.results.RUN ◀───────────┘
//! ```
//!
//! - [`JobBroker`]: what keeps them: streams of a NATS server, or a [`VirtualBroker`] in tests.
//! - [`Queue`]: the jobs and results of a room, as messages that are checked for their form.
//! - [`JobRun`]: gives out the jobs of a [`JobList`], which checks and stores the results.
//!
//! Not here: what the jobs are about.

mod broker;
mod jetstream;
mod job_run;
mod message;
mod program;
mod queue;
#[cfg(test)]
mod restless_workers;
#[cfg(test)]
mod tests;
mod virtual_broker;
mod work;

pub use broker::{Answer, Delivery, Inbox, JobBroker, JobError, JobName, Reply, RunJobs};
pub use job_run::{JobList, JobRun, JobRunError, Taken};
pub use message::{JobMessage, JobMessageError, JobOutcome, LONGEST, ResultMessage, VERSION};
pub use program::program_hash;
pub use queue::{Collected, Collector, Queue};
#[cfg(test)]
pub(crate) use restless_workers::RestlessWorkers;
pub use virtual_broker::{BrokerFaults, VirtualBroker};
pub use work::{Jobs, compute, work};
