//! Work by the thousand: jobs that any worker of a room may do, kept by the broker (`JetStream`) until they are done.
//!
//! A job is given out at least once and may be done twice, after a worker or the broker died: who collects results removes
//! doubles by the job's number. Jobs and results wait in files of the broker, so that nobody needs to be there all the time.
//!
//! ```text
//!  Queue::submit ──▶ kyomi.ROOM.jobs.KIND.HASH.RUN ──▶ work (one durable consumer for each such subject)
//!  Collector::next ◀── kyomi.ROOM.results.RUN ◀───────────┘
//! ```

mod queue;
mod work;

pub use queue::{Collected, Collector, JobError, JobName, JobOutcome, Queue};
pub use work::{Jobs, work};
