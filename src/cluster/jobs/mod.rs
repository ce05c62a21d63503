//! Job queues: independent jobs that any worker of a room may do, stored by the broker until they are done.
//!
//! A job is delivered at least once. It may be done twice if a worker or the broker dies, so [`JobRun`] drops duplicate
//! results by the job's number. The broker stores jobs and results in files, so that neither the coordinator nor the
//! workers need to be connected all the time.
//!
//! ```text
//!  JobList ──▶ JobRun ──▶ kyomi.ROOM.jobs.KIND.HASH.RUN ──▶ work (one durable consumer for each such subject)
//!  JobList ◀── JobRun ◀── kyomi.ROOM.results.RUN ◀───────────┘
//! ```
//!
//! - [`JobBroker`]: stores them: streams of a NATS server, or a [`VirtualBroker`] in tests.
//! - [`Queue`]: the jobs and results of a room, as messages whose format has been checked.
//! - [`Job`]: a kind of work: its message, how it is done, its result.
//! - [`JobRun`]: submits the jobs of a [`JobList`], which checks and stores the results.
//! - [`Executor`]: does the jobs of a list in a room, or on threads of this machine.
//!
//! Not here: the kinds of work.

mod broker;
mod executor;
mod failing_workers;
mod jetstream;
mod job;
mod job_run;
mod list;
mod message;
mod permissions;
mod program;
mod queue;
#[cfg(test)]
mod tests;
mod virtual_broker;
mod work;

pub use broker::{Answer, Delivery, Inbox, JobBroker, JobError, JobName, OpenRuns, Reply, RunJobs};
pub use executor::{Executor, Workers};
pub use failing_workers::FailingWorkers;
pub use job::{Abandon, Job, JobFuture, JobKind};
pub use job_run::{JobRun, JobRunError};
pub use list::{JobList, Taken};
pub(crate) use message::LONGEST_TIME;
pub use message::{JobMessage, JobMessageError, JobOutcome, LONGEST, ResultMessage, VERSION};
pub use permissions::{JobRole, TriedPermission, try_permissions};
pub use program::program_hash;
pub use queue::{Collected, Collector, Queue};
pub use virtual_broker::{BrokerFaults, VirtualBroker};
pub use work::{Jobs, work};
