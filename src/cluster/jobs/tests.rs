//! Runs of jobs on virtual time: requests and answers that are lost, workers, coordinators and brokers that die,
//! forgery.

use std::{collections::BTreeMap, sync::Arc, thread, time::Duration};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::*;

const KIND: &str = "test";
/// The number of a job that ends when it is abandoned only.
const NEVER_DONE: u64 = 50;
/// The number of a job that panics.
const BROKEN: u64 = 100;
const LEASE: Duration = Duration::from_secs(30);
const QUIET: BrokerFaults =
    BrokerFaults { latency: Duration::from_millis(2), lost: 0.0, unanswered: 0.0, seed: 1 };

/// The squares of the numbers below `all`, as they are stored by number: how often, which must be once.
struct Squares {
    all: u64,
    next: u64,
    stored: Arc<Mutex<BTreeMap<u64, u32>>>,
}

impl Squares {
    fn new(all: u64, stored: &Arc<Mutex<BTreeMap<u64, u32>>>) -> Self {
        Self { all, next: 0, stored: Arc::clone(stored) }
    }
}

/// A number to square.
#[derive(Serialize, Deserialize)]
struct Square(u64);

impl Job for Square {
    const KIND: &'static str = KIND;
    type Tools = ();
    type Done = u64;

    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    fn tools(&self) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, (): &mut (), abandon: &Abandon) -> Result<u64, String> {
        assert_ne!(self.0, BROKEN);
        if self.0 == NEVER_DONE {
            while !abandon.token.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            return Err("abandoned".to_owned());
        }
        Ok(self.0.pow(2))
    }
}

impl JobList for Squares {
    type Job = Square;
    type Error = String;

    fn next_job(&mut self) -> Option<u64> {
        self.next += 1;
        Some(self.next - 1).filter(|id| *id < self.all)
    }

    fn job(&mut self, id: u64) -> Option<Square> {
        Some(Square(id))
    }

    fn wants(&self, id: u64) -> bool {
        id < self.all && !self.stored.lock().contains_key(&id)
    }

    fn take(&mut self, id: u64, done: u64) -> Result<Taken, String> {
        if done != id * id {
            return Ok(Taken::Refused("it is not the square".to_owned()));
        }
        *self.stored.lock().entry(id).or_insert(0) += 1;
        Ok(Taken::Stored)
    }

    fn is_done(&self) -> bool {
        self.stored.lock().len() as u64 == self.all
    }
}

fn queue(broker: &VirtualBroker) -> Queue {
    Queue::new(Arc::new(broker.clone()))
}

fn name() -> JobName {
    JobName { kind: KIND, hash: "abc".to_owned(), run: "run1".to_owned() }
}

/// Takes a second for each job.
fn worker(broker: &VirtualBroker) -> JoinHandle<()> {
    let square = async |_: &'static str, work: Value| {
        sleep(Duration::from_secs(1)).await;
        let number = work.as_u64().ok_or("no number")?;
        Ok(json!(number * number))
    };
    let jobs = Jobs { kinds: vec![KIND], hash: "abc".to_owned(), worker: "w".to_owned() };
    tokio::spawn(work(queue(broker), jobs, square, CancellationToken::new()))
}

/// Opens the run, as often as that is necessary, and works until all are stored.
async fn coordinate(
    broker: VirtualBroker,
    mut squares: Squares,
) -> Result<(), JobRunError<String>> {
    let mut run = loop {
        match JobRun::open(queue(&broker), name(), LEASE).await {
            Ok(run) => break run,
            Err(_) => sleep(Duration::from_secs(1)).await,
        }
    };
    run.work(&mut squares, &CancellationToken::new(), |_| {}).await?;
    run.close(true).await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn every_job_is_stored_once_though_messages_are_lost_and_everybody_dies() {
    for seed in 1..=20 {
        let all = 100;
        let faults = BrokerFaults { lost: 0.05, unanswered: 0.05, seed, ..QUIET };
        let broker = VirtualBroker::new(faults);
        let stored = Arc::default();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut workers: Vec<_> = (0..3).map(|_| worker(&broker)).collect();
        let coordinator = || tokio::spawn(coordinate(broker.clone(), Squares::new(all, &stored)));
        let mut coordinating = coordinator();
        let until = Instant::now() + Duration::from_secs(24 * 3600);
        while !coordinating.is_finished() {
            assert!(Instant::now() < until, "seed {seed}: {} of {all}", stored.lock().len());
            sleep(Duration::from_millis(random.u64(1000..20_000))).await;
            match random.u32(..6) {
                0 => {
                    // Its job is lost in the middle.
                    let one = random.usize(..workers.len());
                    workers.swap_remove(one).abort();
                    workers.push(worker(&broker));
                }
                1 if !coordinating.is_finished() => {
                    coordinating.abort();
                    coordinating = coordinator();
                }
                2 => {
                    broker.set_away(true);
                    sleep(Duration::from_millis(random.u64(..40_000))).await;
                    broker.set_away(false);
                }
                _ => {}
            }
        }
        coordinating.await.unwrap().unwrap();
        let stored = stored.lock().clone();
        assert_eq!(stored, (0..all).map(|id| (id, 1)).collect(), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_result_and_a_double_are_dropped() {
    let broker = VirtualBroker::new(QUIET);
    let stored = Arc::default();
    // It answers when others have answered for it.
    let slow = async |_: &'static str, work: Value| {
        sleep(LEASE * 3).await;
        Ok(json!(work.as_u64().unwrap().pow(2)))
    };
    let jobs = Jobs { kinds: vec![KIND], hash: "abc".to_owned(), worker: "slow".to_owned() };
    let away = CancellationToken::new();
    let working = tokio::spawn(work(queue(&broker), jobs, slow, away));
    let mut squares = Squares::new(4, &stored);
    let mut run = JobRun::open(queue(&broker), name(), LEASE).await.unwrap();
    let queue_of_doubles = queue(&broker);
    for (id, message) in [(0, "a"), (1, "b"), (0, "c"), (3, "d")] {
        let result = ResultMessage::new(id, "quick", JobOutcome::Done(json!(id * id)));
        queue_of_doubles.answer("run1", message, result.write().unwrap()).await.unwrap();
    }
    run.work(&mut squares, &CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(*stored.lock(), (0..4).map(|id| (id, 1)).collect());
    // The results that come when nobody wants them any more.
    let go_on = CancellationToken::new();
    let again = run.take_waiting(&mut Squares::new(5, &stored), &go_on, |_| {}).await;
    assert_eq!(again, Ok(()));
    sleep(LEASE * 10).await;
    run.take_waiting(&mut Squares::new(5, &stored), &go_on, |_| {}).await.unwrap();
    assert_eq!(stored.lock().len(), 4);
    working.abort();
}

#[tokio::test(start_paused = true)]
async fn waiting_results_are_left_where_the_user_stops_or_the_run_is_new() {
    let broker = VirtualBroker::new(QUIET);
    let stored = Arc::default();
    let mut run = JobRun::open(queue(&broker), name(), LEASE).await.unwrap();
    let result = ResultMessage::new(1, "w", JobOutcome::Done(json!(1)));
    queue(&broker).answer("run1", "a", result.write().unwrap()).await.unwrap();
    let finish = CancellationToken::new();
    finish.cancel();
    run.take_waiting(&mut Squares::new(5, &stored), &finish, |_| {}).await.unwrap();
    assert_eq!(stored.lock().len(), 0);
    // A new run submits its jobs without a wait.
    let workers = Workers { queue: queue(&broker), lease: LEASE };
    let mut run = workers.open_new::<Square>().await.unwrap();
    let mut squares = Squares::new(5, &stored);
    let go_on = CancellationToken::new();
    let working = run.work(&mut squares, &go_on, |_| {});
    assert!(timeout(Duration::from_millis(100), working).await.is_err());
    assert_eq!(squares.next, 6);
}

#[tokio::test(start_paused = true)]
async fn forged_messages_are_dropped_and_cost_no_job() {
    let broker = VirtualBroker::new(QUIET);
    let stored = Arc::default();
    queue(&broker).open(&name(), LEASE).await.unwrap();
    let done = |id, value| ResultMessage::new(id, "liar", JobOutcome::Done(value));
    let forged = [
        b"no message".to_vec(),
        br#"{"v":9,"id":1,"worker":"x","outcome":{"done":1}}"#.to_vec(),
        done(1, json!("x".repeat(1000))).write().unwrap(),
        done(2, json!(5)).write().unwrap(),
        done(u64::MAX, json!(1)).write().unwrap(),
        ResultMessage::new(3, "liar", JobOutcome::Failed("\u{1b}[2J".to_owned())).write().unwrap(),
    ];
    for result in forged {
        let message = fastrand::u64(..).to_string();
        broker.put_result("run1", &message, result).await.unwrap();
    }
    let coordinating = tokio::spawn(coordinate(broker.clone(), Squares::new(10, &stored)));
    sleep(Duration::from_secs(3)).await;
    for job in [b"[]".to_vec(), JobMessage::new("run1", 77, json!("no number")).write().unwrap()] {
        broker.put_job(&name(), job).await.unwrap();
    }
    let working = worker(&broker);
    timeout(Duration::from_secs(3600), coordinating).await.unwrap().unwrap().unwrap();
    assert_eq!(*stored.lock(), (0..10).map(|id| (id, 1)).collect());
    working.abort();
}

#[tokio::test(start_paused = true)]
async fn a_job_that_fails_three_times_ends_the_run_with_the_reason() {
    let broker = VirtualBroker::new(QUIET);
    let refuse = async |_: &'static str, _: Value| Err("no \u{1b}[31mreason".to_owned());
    let jobs = Jobs { kinds: vec![KIND], hash: "abc".to_owned(), worker: "w".to_owned() };
    let working = tokio::spawn(work(queue(&broker), jobs, refuse, CancellationToken::new()));
    let done = coordinate(broker, Squares::new(10, &Arc::default())).await;
    assert_eq!(done, Err(JobRunError::Failed("the worker w: no [31mreason".to_owned())));
    working.abort();
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_fails_every_job_does_not_end_the_run_of_another() {
    let broker = VirtualBroker::new(QUIET);
    let stored = Arc::default();
    let refuse = async |_: &'static str, _: Value| Err("no memory".to_owned());
    let jobs = Jobs { kinds: vec![KIND], hash: "abc".to_owned(), worker: "poor".to_owned() };
    let poor = tokio::spawn(work(queue(&broker), jobs, refuse, CancellationToken::new()));
    let good = worker(&broker);
    let coordinating = coordinate(broker, Squares::new(100, &stored));
    timeout(Duration::from_secs(3600), coordinating).await.unwrap().unwrap();
    assert_eq!(*stored.lock(), (0..100).map(|id| (id, 1)).collect());
    good.abort();
    poor.abort();
}

#[tokio::test(start_paused = true)]
async fn a_job_that_kills_its_workers_fails() {
    let broker = VirtualBroker::new(QUIET);
    let coordinating = tokio::spawn(coordinate(broker.clone(), Squares::new(1, &Arc::default())));
    let until = Instant::now() + Duration::from_secs(24 * 3600);
    while !coordinating.is_finished() {
        assert!(Instant::now() < until);
        let dying = worker(&broker);
        sleep(Duration::from_millis(700)).await;
        dying.abort();
        sleep(LEASE).await;
    }
    let error = coordinating.await.unwrap().unwrap_err();
    let JobRunError::Failed(reason) = error else { panic!("{error:?}") };
    assert!(reason.contains("given out 3 times"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn jobs_that_the_broker_has_lost_are_given_out_again() {
    let broker = VirtualBroker::new(QUIET);
    let stored = Arc::default();
    let coordinating = tokio::spawn(coordinate(broker.clone(), Squares::new(20, &stored)));
    sleep(Duration::from_secs(10)).await;
    broker.lose_files();
    let working = worker(&broker);
    timeout(Duration::from_secs(3600), coordinating).await.unwrap().unwrap().unwrap();
    assert_eq!(stored.lock().len(), 20);
    working.abort();
}

#[tokio::test(start_paused = true)]
async fn a_broker_that_has_lost_count_is_made_to_deliver_again() {
    let broker = VirtualBroker::new(QUIET);
    let stored = Arc::default();
    let coordinating = tokio::spawn(coordinate(broker.clone(), Squares::new(20, &stored)));
    let working = worker(&broker);
    sleep(Duration::from_millis(5500)).await;
    broker.lose_count(&name());
    timeout(Duration::from_secs(3600), coordinating).await.unwrap().unwrap().unwrap();
    assert_eq!(*stored.lock(), (0..20).map(|id| (id, 1)).collect());
    working.abort();
}

#[tokio::test(start_paused = true)]
async fn a_worker_leaves_jobs_of_other_kinds_and_programs_alone() {
    let broker = VirtualBroker::new(QUIET);
    for (kind, hash) in [("other", "abc"), (KIND, "def")] {
        let name = JobName { kind, hash: hash.to_owned(), run: "run2".to_owned() };
        queue(&broker).open(&name, LEASE).await.unwrap();
        queue(&broker).submit(&name, 1, json!(1)).await.unwrap();
    }
    let working = worker(&broker);
    sleep(Duration::from_secs(600)).await;
    assert_eq!(broker.kept(), 2);
    working.abort();
    // It warns of the program that the jobs of its kind are for, as long as it has none itself.
    let open = queue(&broker).jobs(&[KIND], "abc").await.unwrap();
    assert_eq!(open.other_programs, ["def".to_owned()].into());
    let own = JobName { kind: KIND, hash: "abc".to_owned(), run: "run3".to_owned() };
    queue(&broker).open(&own, LEASE).await.unwrap();
    queue(&broker).submit(&own, 1, json!(1)).await.unwrap();
    let open = queue(&broker).jobs(&[KIND], "abc").await.unwrap();
    assert_eq!((open.runs.len(), open.other_programs.len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_stops_gives_its_job_back_at_once() {
    let broker = VirtualBroker::new(QUIET);
    let stop = CancellationToken::new();
    let never = async |_: &'static str, _: Value| {
        sleep(Duration::from_secs(3600)).await;
        Ok(Value::Null)
    };
    let jobs = Jobs { kinds: vec![KIND], hash: "abc".to_owned(), worker: "w".to_owned() };
    let leaving = tokio::spawn(work(queue(&broker), jobs, never, stop.clone()));
    let stored = Arc::default();
    let coordinating = tokio::spawn(coordinate(broker.clone(), Squares::new(1, &stored)));
    sleep(Duration::from_secs(5)).await;
    stop.cancel();
    leaving.await.unwrap();
    let began = Instant::now();
    let working = worker(&broker);
    coordinating.await.unwrap().unwrap();
    assert!(began.elapsed() < LEASE, "{:?}", began.elapsed());
    working.abort();
}

#[tokio::test(start_paused = true)]
async fn a_result_is_stored_once_though_the_answers_of_the_broker_are_lost() {
    let broker = VirtualBroker::new(BrokerFaults { unanswered: 0.7, ..QUIET });
    while queue(&broker).open(&name(), LEASE).await.is_err() {}
    for id in 0..5 {
        // It is stored, answered or not.
        let _ = queue(&broker).submit(&name(), id, json!(id)).await;
    }
    let fail = async |_: &'static str, _: Value| Err("no memory".to_owned());
    let jobs = Jobs { kinds: vec![KIND], hash: "abc".to_owned(), worker: "poor".to_owned() };
    let working = tokio::spawn(work(queue(&broker), jobs, fail, CancellationToken::new()));
    sleep(Duration::from_secs(3600)).await;
    working.abort();
    assert_eq!(broker.kept(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_second_run_need_not_wait_for_the_end_of_the_first() {
    let broker = VirtualBroker::new(QUIET);
    let _worker = worker(&broker);
    let first: Arc<Mutex<BTreeMap<u64, u32>>> = Arc::default();
    let _first = tokio::spawn(coordinate(broker.clone(), Squares::new(1000, &first)));
    sleep(Duration::from_secs(20)).await;
    let name = JobName { run: "run2".to_owned(), ..name() };
    let second = Arc::default();
    let mut squares = Squares::new(3, &second);
    let mut run = JobRun::open(queue(&broker), name, LEASE).await.unwrap();
    let finish = CancellationToken::new();
    let work = run.work(&mut squares, &finish, |_| {});
    timeout(Duration::from_secs(60), work).await.expect("it gets its turns").unwrap();
    assert!((20..200).contains(&first.lock().len()), "{}", first.lock().len());
}

#[tokio::test]
async fn threads_do_all_jobs_once_and_finish_or_abandon_the_running_ones() {
    let (stored, abandon, finish) =
        (Arc::default(), CancellationToken::new(), CancellationToken::new());
    let mut here = Executor::Threads { count: 3, abandon: abandon.clone() };
    here.work(&mut Squares::new(40, &stored), &finish, |_| {}).await.unwrap();
    assert_eq!(*stored.lock(), (0..40).map(|id| (id, 1)).collect());
    // The job that is never done is abandoned with the others.
    let mut more = Squares::new(60, &stored);
    let stop_late = |list: &Squares| {
        if list.stored.lock().len() == 59 {
            abandon.cancel();
        }
    };
    here.work(&mut more, &finish, stop_late).await.unwrap();
    assert_eq!(stored.lock().len(), 59);
    finish.cancel();
    let mut here = Executor::Threads { count: 3, abandon: CancellationToken::new() };
    here.work(&mut Squares::new(90, &stored), &finish, |_| {}).await.unwrap();
    assert_eq!(stored.lock().len(), 59);
}

#[tokio::test]
async fn a_job_that_panics_on_a_thread_ends_the_work() {
    let mut broken = Squares { next: BROKEN, ..Squares::new(BROKEN + 1, &Arc::default()) };
    let mut here = Executor::Threads { count: 1, abandon: CancellationToken::new() };
    let ended = here.work(&mut broken, &CancellationToken::new(), |_| {}).await;
    let reason = "the thread of a job panicked; the log has more (test)";
    assert_eq!(ended, Err(JobRunError::Failed(reason.to_owned())));
}
