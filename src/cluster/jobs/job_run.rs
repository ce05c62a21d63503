//! The coordinator's side of the job queue: submits jobs, and stores each result once.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    broker::{JobError, JobName},
    job::Job as _,
    list::{JobList, Taken, next_wanted},
    message::JobOutcome,
    queue::{Collected, Collector, Queue},
};

/// Why a run of jobs cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobRunError<E> {
    /// A job has failed too often, and not on one of several workers alone; the worker and its reason.
    Failed(String),
    /// A result cannot be stored.
    List(E),
}

/// One run of jobs at the broker.
#[derive(Debug)]
pub struct JobRun {
    queue: Queue,
    name: JobName,
    lease: Duration,
    collector: Collector,
    given_out: BTreeSet<u64>,
    /// The jobs to give out again.
    again: BTreeSet<u64>,
    has_begun: bool,
    /// The failures of each job.
    failed: BTreeMap<u64, Failures>,
    /// The workers of which a result was stored.
    useful: BTreeSet<String>,
    /// The messages of the failures.
    failures: BTreeSet<String>,
    last_heard: Instant,
    /// Whether there was no result for so long that the broker may have lost jobs or results.
    may_have_lost_jobs: bool,
    /// The last error of the broker that was logged.
    last_warning: String,
}

impl JobRun {
    /// Begins or resumes a run. Jobs that an earlier process has submitted are taken back, its results are kept.
    /// `lease` is the time after which the jobs of a silent worker go to another one.
    ///
    /// # Errors
    /// The broker refuses.
    pub async fn open(queue: Queue, name: JobName, lease: Duration) -> Result<Self, JobError> {
        queue.open(&name, lease).await?;
        queue.reset(&name, lease).await?;
        let collector = queue.collect(&name.run).await?;
        Ok(Self {
            queue,
            name,
            lease,
            collector,
            given_out: BTreeSet::new(),
            again: BTreeSet::new(),
            has_begun: false,
            failed: BTreeMap::new(),
            useful: BTreeSet::new(),
            failures: BTreeSet::new(),
            last_heard: Instant::now(),
            may_have_lost_jobs: false,
            last_warning: String::new(),
        })
    }

    /// The run, which no earlier process has begun.
    pub(super) fn without_waiting_results(self) -> Self {
        Self { has_begun: true, ..self }
    }

    /// Stores the results that came before this process started, until `finish` is cancelled.
    ///
    /// # Errors
    /// A result cannot be stored.
    pub(super) async fn take_waiting<L: JobList>(
        &mut self,
        list: &mut L,
        finish: &CancellationToken,
        mut changed: impl FnMut(&L),
    ) -> Result<(), JobRunError<L::Error>> {
        while !(list.is_done() || finish.is_cancelled())
            && let Ok(Some(collected)) = self.collector.next(WAITING).await
        {
            self.take(&collected, list).await?;
            changed(list);
        }
        Ok(())
    }

    /// Submits jobs and stores their results, with those that came before this process started, until the list is done
    /// or `finish` is cancelled. Calls `changed` after each result.
    ///
    /// # Errors
    /// A job has failed too often, or a result cannot be stored.
    pub async fn work<L: JobList>(
        &mut self,
        list: &mut L,
        finish: &CancellationToken,
        mut changed: impl FnMut(&L),
    ) -> Result<(), JobRunError<L::Error>> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.take_waiting(list, finish, &mut changed).await?;
        }
        while !list.is_done() {
            let mut problem = self.give_out(list).await.err();
            let collected = tokio::select! {
                collected = self.collector.next(PATIENCE) => collected,
                () = finish.cancelled() => break,
            };
            match collected {
                Ok(Some(collected)) => {
                    (self.last_heard, self.may_have_lost_jobs) = (Instant::now(), false);
                    self.take(&collected, list).await?;
                    changed(list);
                }
                Ok(None) if self.last_heard.elapsed() >= SILENCE_WARNING => {
                    (self.last_heard, self.may_have_lost_jobs) = (Instant::now(), true);
                    tracing::warn!(
                        "no results have come for {} s; workers do these jobs with `kyomi worker --jobs N`, and print \
                         `program {}` when they begin",
                        SILENCE_WARNING.as_secs(),
                        self.name.hash
                    );
                    problem = self.reopen_collector().await.err().or(problem);
                }
                Ok(None) if self.may_have_lost_jobs => {
                    self.may_have_lost_jobs = false;
                    problem = self.give_out_lost().await.err().or(problem);
                }
                Ok(None) => {}
                Err(error) => problem = Some(error),
            }
            if let Some(error) = problem {
                let error = error.to_string();
                if error != self.last_warning {
                    tracing::warn!("{error}; trying again");
                    self.last_warning = error;
                }
                sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// Ends a run. A complete one is deleted from the broker; of an incomplete one the jobs are taken back.
    pub async fn close(self, is_whole: bool) {
        let ended = if is_whole {
            self.queue.forget(&self.name).await
        } else {
            self.queue.withdraw(&self.name).await
        };
        if let Err(error) = ended {
            tracing::warn!("{error}; workers may still do jobs that nobody needs");
        }
    }

    /// The messages of all failures of workers so far.
    pub fn failures(&self) -> Vec<String> {
        self.failures.iter().cloned().collect()
    }

    async fn give_out<L: JobList>(&mut self, list: &mut L) -> Result<(), JobError> {
        while self.given_out.len() < MOST_PENDING
            && let Some(id) = next_wanted(&mut self.again, list)
            && let Some(job) = list.job(id)
        {
            if let Err(error) = self.queue.submit(&self.name, id, job.write()).await {
                self.again.insert(id);
                return Err(error);
            }
            self.given_out.insert(id);
        }
        Ok(())
    }

    /// Opens the queue and the collector again, to get results that the broker has stored but not delivered.
    async fn reopen_collector(&mut self) -> Result<(), JobError> {
        self.queue.open(&self.name, self.lease).await?;
        self.collector = self.queue.collect(&self.name.run).await?;
        Ok(())
    }

    /// Submits jobs again that the broker has lost or does not deliver.
    async fn give_out_lost(&mut self) -> Result<(), JobError> {
        if self.given_out.is_empty() || self.queue.unfinished(&self.name).await? > 0 {
            return Ok(());
        }
        let lost = self.given_out.len();
        tracing::warn!(
            "the broker has lost {lost} jobs or their results; they are given out again"
        );
        self.queue.reset(&self.name, self.lease).await?;
        self.again.append(&mut self.given_out);
        Ok(())
    }

    /// Stores a result, unless it is a duplicate, and acknowledges it.
    async fn take<L: JobList>(
        &mut self,
        collected: &Collected,
        list: &mut L,
    ) -> Result<(), JobRunError<L::Error>> {
        let id = collected.id;
        if !list.wants(id) {
            // It is a duplicate, or belongs to no job of this run.
            self.given_out.remove(&id);
            collected.acknowledge().await;
            return Ok(());
        }
        let taken = match &collected.outcome {
            JobOutcome::Done(result) => match serde_json::from_value(result.clone()) {
                Ok(done) => list.take(id, done).map_err(JobRunError::List)?,
                Err(error) => Taken::Refused(error.to_string()),
            },
            JobOutcome::Failed(reason) => Taken::Refused(reason.clone()),
        };
        collected.acknowledge().await;
        let was_given_out = self.given_out.remove(&id);
        let Taken::Refused(reason) = taken else {
            self.useful.insert(collected.worker.clone());
            return Ok(());
        };
        let reason: String = reason.chars().filter(|it| !it.is_control()).take(300).collect();
        let reason = format!("the worker {}: {reason}", collected.worker);
        if self.failures.insert(reason.clone()) {
            tracing::warn!("{reason}; the job is given out again");
        }
        if was_given_out {
            self.again.insert(id);
        }
        let failures = self.failed.entry(id).or_default();
        failures.count += 1;
        failures.workers.insert(collected.worker.clone());
        let has_other_worker = self.useful.iter().any(|worker| !failures.workers.contains(worker));
        let may_succeed = failures.may_be_the_worker() && has_other_worker;
        if failures.count >= MOST_FAILURES && !may_succeed {
            return Err(JobRunError::Failed(reason));
        }
        Ok(())
    }
}

/// The failures of one job.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// The workers that failed it.
    workers: BTreeSet<String>,
}

impl Failures {
    /// Whether one worker alone has failed the job, so that the reason may be that worker.
    fn may_be_the_worker(&self) -> bool {
        self.workers.len() == 1
    }
}

/// The number of failures of one job that end the run, unless only one worker fails it and others do jobs.
const MOST_FAILURES: u32 = 3;
/// The largest number of jobs at the broker at a time.
const MOST_PENDING: usize = 256;
/// How long to wait for a result that may already be at the broker.
const WAITING: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(5);
/// The time without results after which a warning is logged.
const SILENCE_WARNING: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(1);
