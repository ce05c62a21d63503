//! A broker inside one process, for tests: it stores what a server would store, and may lose answers.
//!
//! It uses tokio's clock, which may be paused.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::broker::{
    Answer, Delivery, Inbox, JobBroker, JobError, JobName, OpenRuns, Reply, RunJobs,
};

/// The properties of a [`VirtualBroker`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrokerFaults {
    /// The time that a request takes.
    pub latency: Duration,
    /// The part of the requests and replies that do not reach the broker, from 0 to 1.
    pub lost: f64,
    /// The part of the requests that are carried out though their answer is lost, from 0 to 1.
    pub unanswered: f64,
    /// The seed of the faults.
    pub seed: u64,
}

/// A broker inside one process. Call its methods inside a tokio runtime.
#[derive(Debug, Clone)]
pub struct VirtualBroker(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    faults: BrokerFaults,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    random: fastrand::Rng,
    is_away: bool,
    runs: Vec<(JobName, Duration)>,
    /// The queues that deliver nothing until they are opened again.
    silent: BTreeSet<String>,
    boxes: BTreeMap<String, Vec<KeptMessage>>,
    /// The names of the messages that were stored once.
    known: BTreeSet<String>,
    messages: u64,
}

#[derive(Debug, Clone)]
struct KeptMessage {
    number: u64,
    bytes: Vec<u8>,
    deliveries: u64,
    hidden_until: Option<Instant>,
}

impl VirtualBroker {
    /// An empty broker with these faults.
    pub fn new(faults: BrokerFaults) -> Self {
        let random = fastrand::Rng::with_seed(faults.seed);
        let kept = Kept {
            random,
            is_away: false,
            runs: Vec::new(),
            silent: BTreeSet::new(),
            boxes: BTreeMap::new(),
            known: BTreeSet::new(),
            messages: 0,
        };
        Self(Arc::new(Inner { faults, kept: Mutex::new(kept) }))
    }

    /// Disconnects the broker, or connects it again with all its stored messages.
    pub fn set_away(&self, is_away: bool) {
        self.0.kept.lock().is_away = is_away;
    }

    /// Forgets everything, like a broker whose files are lost.
    pub fn lose_files(&self) {
        let mut kept = self.0.kept.lock();
        kept.runs.clear();
        kept.boxes.clear();
        kept.known.clear();
    }

    /// Stops delivering the jobs and results of this run until they are opened again.
    pub fn lose_count(&self, name: &JobName) {
        self.0.kept.lock().silent.extend([jobs_of(name), results_of(&name.run)]);
    }

    /// The number of stored messages.
    pub fn kept(&self) -> usize {
        self.0.kept.lock().boxes.values().map(Vec::len).sum()
    }

    /// Carries out a request after the latency, unless it is lost on its way.
    async fn request<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> Result<T, JobError> {
        let Inner { faults, kept } = &*self.0;
        sleep(faults.latency).await;
        let (done, is_answered) = {
            let mut kept = kept.lock();
            let is_lost = kept.is_away || kept.random.f64() < faults.lost;
            let is_answered = kept.random.f64() >= faults.unanswered;
            ((!is_lost).then(|| act(&mut kept)), is_answered)
        };
        match done {
            Some(done) if is_answered => Ok(done),
            _ => {
                sleep(NO_ANSWER).await;
                Err(JobError::new("the virtual broker", "no answer"))
            }
        }
    }
}

impl Kept {
    fn add(&mut self, place: String, bytes: Vec<u8>) {
        self.messages += 1;
        let message =
            KeptMessage { number: self.messages, bytes, deliveries: 0, hidden_until: None };
        self.boxes.entry(place).or_default().push(message);
    }

    fn find(&mut self, place: &str, number: u64) -> Option<&mut KeptMessage> {
        self.boxes.get_mut(place)?.iter_mut().find(|message| message.number == number)
    }

    fn unfinished(&self, name: &JobName) -> usize {
        let place = jobs_of(name);
        let is_silent = self.silent.contains(&place);
        if is_silent { 0 } else { self.boxes.get(&place).map_or(0, Vec::len) }
    }
}

fn jobs_of(name: &JobName) -> String {
    format!("jobs.{}.{}.{}", name.kind, name.hash, name.run)
}

fn results_of(run: &str) -> String {
    format!("results.{run}")
}

impl JobBroker for VirtualBroker {
    fn open<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()> {
        self.request(move |kept| {
            if !kept.runs.iter().any(|(known, _)| known == name) {
                kept.runs.push((name.clone(), lease));
            }
        })
        .boxed()
    }

    fn put_job<'a>(&'a self, name: &'a JobName, job: Vec<u8>) -> Answer<'a, ()> {
        self.request(move |kept| kept.add(jobs_of(name), job)).boxed()
    }

    fn put_result<'a>(&'a self, run: &'a str, message: &'a str, result: Vec<u8>) -> Answer<'a, ()> {
        self.request(move |kept| {
            if kept.known.insert(message.to_owned()) {
                kept.add(results_of(run), result);
            }
        })
        .boxed()
    }

    fn unfinished<'a>(&'a self, name: &'a JobName) -> Answer<'a, u64> {
        self.request(move |kept| kept.unfinished(name) as u64).boxed()
    }

    fn withdraw<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()> {
        self.request(move |kept| drop(kept.boxes.remove(&jobs_of(name)))).boxed()
    }

    fn reset<'a>(&'a self, name: &'a JobName, lease: Duration) -> Answer<'a, ()> {
        self.request(move |kept| {
            let place = jobs_of(name);
            kept.boxes.remove(&place);
            kept.silent.remove(&place);
            kept.runs.retain(|(known, _)| known != name);
            kept.runs.push((name.clone(), lease));
        })
        .boxed()
    }

    fn forget<'a>(&'a self, name: &'a JobName) -> Answer<'a, ()> {
        self.request(move |kept| {
            kept.boxes.remove(&jobs_of(name));
            kept.runs.retain(|(known, _)| known != name);
        })
        .boxed()
    }

    fn results<'a>(&'a self, run: &'a str) -> Answer<'a, Box<dyn Inbox>> {
        let inbox =
            VirtualInbox { broker: self.clone(), place: results_of(run), lease: RESULT_LEASE };
        self.request(move |kept| {
            kept.silent.remove(&inbox.place);
            for message in kept.boxes.get_mut(&inbox.place).into_iter().flatten() {
                message.hidden_until = None;
            }
            Box::new(inbox) as Box<dyn Inbox>
        })
        .boxed()
    }

    fn jobs<'a>(&'a self, kinds: &'a [&'static str], hash: &'a str) -> Answer<'a, OpenRuns> {
        let broker = self.clone();
        self.request(move |kept| {
            let fit = |name: &JobName| kinds.contains(&name.kind) && name.hash == hash;
            let fitting: Vec<_> = kept.runs.iter().filter(|(name, _)| fit(name)).collect();
            let busy = fitting.iter().filter(|(name, _)| kept.unfinished(name) > 0);
            let mut runs: Vec<_> = busy.copied().collect();
            let mut other_programs = BTreeSet::new();
            if runs.is_empty() {
                runs.extend(fitting.last().copied());
                let others = kept.runs.iter().map(|(name, _)| name).filter(|name| {
                    kinds.contains(&name.kind) && name.hash != hash && kept.unfinished(name) > 0
                });
                other_programs.extend(others.map(|name| name.hash.clone()));
            }
            let jobs = |(name, lease): &(JobName, Duration)| {
                let inbox =
                    VirtualInbox { broker: broker.clone(), place: jobs_of(name), lease: *lease };
                RunJobs { kind: name.kind, lease: *lease, inbox: Box::new(inbox) }
            };
            OpenRuns { runs: runs.into_iter().map(jobs).collect(), other_programs }
        })
        .boxed()
    }
}

#[derive(Debug)]
struct VirtualInbox {
    broker: VirtualBroker,
    place: String,
    lease: Duration,
}

impl VirtualInbox {
    fn take(&self, kept: &mut Kept) -> Option<KeptMessage> {
        let now = Instant::now();
        if kept.silent.contains(&self.place) {
            return None;
        }
        let messages = kept.boxes.get_mut(&self.place)?;
        let message = messages.iter_mut().find(|it| it.hidden_until.is_none_or(|at| at <= now))?;
        message.deliveries += 1;
        message.hidden_until = Some(now + self.lease);
        Some(message.clone())
    }
}

impl Inbox for VirtualInbox {
    fn next(&self, longest: Duration) -> Answer<'_, Option<Box<dyn Delivery>>> {
        async move {
            let until = Instant::now() + longest;
            loop {
                if let Some(message) = self.broker.request(|kept| self.take(kept)).await? {
                    let (broker, place) = (self.broker.clone(), self.place.clone());
                    let delivered = VirtualDelivery { broker, place, lease: self.lease, message };
                    return Ok(Some(Box::new(delivered) as Box<dyn Delivery>));
                }
                if Instant::now() >= until {
                    return Ok(None);
                }
                sleep(POLL).await;
            }
        }
        .boxed()
    }
}

#[derive(Debug)]
struct VirtualDelivery {
    broker: VirtualBroker,
    place: String,
    lease: Duration,
    message: KeptMessage,
}

impl Delivery for VirtualDelivery {
    fn payload(&self) -> &[u8] {
        &self.message.bytes
    }

    fn deliveries(&self) -> u64 {
        self.message.deliveries
    }

    fn reply(&self, reply: Reply) -> BoxFuture<'_, ()> {
        let Self { broker, place, lease, message } = self;
        // A reply is not answered.
        let mut kept = broker.0.kept.lock();
        if !kept.is_away && kept.random.f64() >= broker.0.faults.lost {
            match reply {
                Reply::Done | Reply::Drop => {
                    if let Some(messages) = kept.boxes.get_mut(place) {
                        messages.retain(|it| it.number != message.number);
                    }
                }
                Reply::Working => {
                    if let Some(kept) = kept.find(place, message.number) {
                        kept.hidden_until = Some(Instant::now() + *lease);
                    }
                }
                Reply::Back => {
                    if let Some(kept) = kept.find(place, message.number) {
                        kept.hidden_until = None;
                    }
                }
            }
        }
        drop(kept);
        sleep(broker.0.faults.latency).boxed()
    }
}

/// The time in which a result is stored.
const RESULT_LEASE: Duration = Duration::from_secs(30);
/// How long a caller waits for an answer that was lost.
const NO_ANSWER: Duration = Duration::from_secs(5);
/// The interval at which an inbox is polled.
const POLL: Duration = Duration::from_millis(50);
