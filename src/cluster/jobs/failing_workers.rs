//! Workers that are killed and a broker that is disconnected, both at random, for the tests of each kind of job on
//! paused time.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::{
    task::{JoinHandle, JoinSet},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{
    BrokerFaults, Job, JobBroker as _, JobKind, JobOutcome, Jobs, Queue, ResultMessage,
    VirtualBroker, program_hash, work,
};

/// For tests: a broker that loses messages, and two workers that are killed at random, until this value is dropped.
pub struct FailingWorkers {
    broker: VirtualBroker,
    task: JoinHandle<()>,
}

impl FailingWorkers {
    /// Starts workers that do jobs of this kind.
    pub fn start<J: Job>() -> Self {
        let broker = VirtualBroker::new(BrokerFaults {
            latency: Duration::from_millis(2),
            lost: 0.03,
            unanswered: 0.03,
            seed: 5,
        });
        let task = tokio::spawn(cause_failures(broker.clone(), JobKind::of::<J>()));
        Self { broker, task }
    }

    /// The queue of their jobs.
    pub fn queue(&self) -> Queue {
        Queue::new(Arc::new(self.broker.clone()))
    }

    /// Sends false results to a run.
    pub async fn send_false_results(&self, run: &str) {
        // One false result of a job is tolerated; three for the same job end the run.
        let values = [json!("a lie"), json!([]), json!([null, null, null]), json!([{ "game": 1 }])];
        for (value, id) in values.into_iter().zip(0..) {
            let result = ResultMessage::new(id, "liar", JobOutcome::Done(value));
            let message = fastrand::u64(..).to_string();
            let result = result.write().expect("a small result");
            let _ = self.broker.put_result(run, &message, result).await;
        }
        let message = fastrand::u64(..).to_string();
        let _ = self.broker.put_result(run, &message, b"rubbish".to_vec()).await;
    }
}

impl Drop for FailingWorkers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn cause_failures(broker: VirtualBroker, kind: JobKind) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut workers = JoinSet::new();
    loop {
        while workers.len() < 2 {
            let slowly = move |_, work| async move {
                // Time in which the worker can be killed during a job.
                sleep(Duration::from_secs(5)).await;
                (kind.run)(work).await
            };
            let jobs = Jobs {
                kinds: vec![kind.name],
                hash: program_hash().expect("memory for a short search"),
                worker: "w".to_owned(),
            };
            let queue = Queue::new(Arc::new(broker.clone()));
            workers.spawn(work(queue, jobs, slowly, CancellationToken::new()));
        }
        sleep(Duration::from_millis(random.u64(2_000..40_000))).await;
        if random.bool() {
            workers.shutdown().await;
        } else {
            broker.set_away(true);
            sleep(Duration::from_millis(random.u64(..20_000))).await;
            broker.set_away(false);
        }
    }
}
