//! The workers of a room, for all experiments that give out jobs.

use std::time::Duration;

use crate::cluster::jobs::{JobName, JobRun, Queue, program_hash};

/// The workers of a room.
#[derive(Debug, Clone)]
pub struct Workers {
    /// The queue of the room.
    pub queue: Queue,
    /// The time after which the jobs of a silent worker go to another one.
    pub lease: Duration,
}

impl Workers {
    /// Begins a run of jobs, or takes it up again.
    ///
    /// # Errors
    /// The broker refuses, or there is not enough memory for a short search.
    pub async fn open(&self, kind: &'static str, run: String) -> Result<JobRun, String> {
        let hash = program_hash().map_err(|error| error.to_string())?;
        let run = JobRun::open(self.queue.clone(), JobName { kind, hash, run }, self.lease).await;
        run.map_err(|error| error.to_string())
    }
}
