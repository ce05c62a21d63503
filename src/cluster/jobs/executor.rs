//! Where the jobs of a list are done: on threads of this machine or by the workers of a room.

use std::{collections::BTreeSet, time::Duration};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    broker::JobName,
    job::{AbandonAtEnd, Job},
    job_run::{JobRun, JobRunError},
    list::{JobList, Taken, next_wanted},
    program::program_hash,
    queue::Queue,
};
use crate::cluster::subject::random_name;
use kyomi_engine::search::lower_priority;

/// The workers of a room.
#[derive(Debug, Clone)]
pub struct Workers {
    /// The queue of the room.
    pub queue: Queue,
    /// The time after which the jobs of a silent worker go to another one.
    pub lease: Duration,
}

impl Workers {
    /// Begins a run of jobs, or resumes it.
    ///
    /// # Errors
    /// The broker refuses, or there is not enough memory for a short search.
    pub async fn open<J: Job>(&self, run: String) -> Result<JobRun, String> {
        let hash = program_hash().map_err(|error| error.to_string())?;
        let name = JobName { kind: J::KIND, hash, run };
        let run = JobRun::open(self.queue.clone(), name, self.lease).await;
        run.map_err(|error| error.to_string())
    }

    /// Begins a run that no other process has begun or resumes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_new<J: Job>(&self) -> Result<JobRun, String> {
        Ok(self.open::<J>(random_name()).await?.without_waiting_results())
    }
}

/// Does the jobs of a list.
#[derive(Debug)]
pub enum Executor {
    /// On threads of this machine.
    Threads {
        /// How many.
        count: usize,
        /// Abandons the running jobs.
        abandon: CancellationToken,
    },
    /// By the workers of a room.
    Room(Box<JobRun>),
}

impl Executor {
    /// Does jobs and stores their results until the list is done, or `finish` is cancelled: then threads finish the
    /// running jobs, and [`close`](Self::close) takes back those of a room. Calls `changed` after each result.
    ///
    /// # Errors
    /// A job cannot be done, or a result cannot be stored.
    pub async fn work<L: JobList>(
        &mut self,
        list: &mut L,
        finish: &CancellationToken,
        changed: impl FnMut(&L),
    ) -> Result<(), JobRunError<L::Error>> {
        match self {
            Self::Threads { count, abandon } => {
                work_here(*count, abandon, list, finish, changed).await
            }
            Self::Room(run) => run.work(list, finish, changed).await,
        }
    }

    /// Ends the work, which is complete or is to be resumed.
    pub async fn close(self, is_whole: bool) {
        if let Self::Room(run) = self {
            run.close(is_whole).await;
        }
    }
}

/// Does jobs on threads of this machine. At the end of the list and after an error the running ones are abandoned.
async fn work_here<L: JobList>(
    count: usize,
    abandon: &CancellationToken,
    list: &mut L,
    finish: &CancellationToken,
    mut changed: impl FnMut(&L),
) -> Result<(), JobRunError<L::Error>> {
    let running = AbandonAtEnd::default();
    let mut threads = JoinSet::new();
    let mut idle_tools = Vec::new();
    while !list.is_done() {
        while threads.len() < count.max(1)
            && !(finish.is_cancelled() || abandon.is_cancelled())
            && let Some(id) = next_wanted(&mut BTreeSet::new(), list)
            && let Some(job) = list.job(id)
        {
            let (tools, running) = (idle_tools.pop(), running.0.clone());
            threads.spawn_blocking(move || {
                lower_priority();
                let mut tools = tools.map_or_else(|| job.tools(), Ok)?;
                let done = job.run(&mut tools, &running)?;
                Ok((id, done, tools))
            });
        }
        let ended = tokio::select! {
            ended = threads.join_next() => ended,
            () = abandon.cancelled(), if !running.0.token.is_cancelled() => {
                running.0.abandon();
                continue;
            }
        };
        let Some(ended) = ended else { break };
        let panicked =
            || format!("the thread of a job panicked; the log has more ({})", L::Job::KIND);
        match ended.unwrap_or_else(|_| Err(panicked())) {
            Ok((id, done, tools)) => {
                idle_tools.push(tools);
                match list.take(id, done).map_err(JobRunError::List)? {
                    Taken::Stored => changed(list),
                    Taken::Refused(reason) => return Err(JobRunError::Failed(reason)),
                }
            }
            Err(_) if abandon.is_cancelled() => {}
            Err(reason) => return Err(JobRunError::Failed(reason)),
        }
    }
    Ok(())
}
