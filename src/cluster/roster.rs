//! The workers of a room, as a coordinator knows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::time::Instant;

use super::message::{Report, WorkerCard};

/// The workers of a room.
#[derive(Debug)]
pub(super) struct Roster {
    /// The number of our own search threads.
    own_threads: u32,
    members: BTreeMap<String, Member>,
    /// The workers that were excluded for wrong messages. They stay excluded until the program ends.
    left_out: BTreeSet<String>,
    /// The workers of which one warning has said why they take no part. Their next card may be a good one: anybody in
    /// the room can send a card in the name of another.
    warned: BTreeSet<String>,
}

/// One worker.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) card: WorkerCard,
    /// The number of its first thread among those of all machines; ours are the first ones.
    first_thread: u32,
    last_heard: Instant,
    faults: u32,
    /// The time that the last order was on its way.
    latency: Duration,
    /// The job that it has.
    pub(super) job: Option<GivenJob>,
}

/// A job that a worker has.
#[derive(Debug, Clone)]
pub(super) struct GivenJob {
    pub(super) number: u64,
    /// The message, to be sent again.
    pub(super) message: Vec<u8>,
    /// When it was sent for the first time, and for the last time.
    pub(super) ordered: Instant,
    pub(super) sent: Instant,
    /// When the worker last reported on it.
    pub(super) last_report: Option<Instant>,
    /// Nodes that it has searched.
    pub(super) nodes: u64,
    /// The part of `nodes` that was searched before this turn.
    pub(super) nodes_before_turn: u64,
    /// Nodes per second, as it last reported.
    pub(super) nps: u64,
}

/// The outcome of registering a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It is new, or has come back.
    New,
    /// It is already registered.
    Known,
    /// It is excluded; the warning is there only the first time.
    LeftOut(Option<String>),
}

/// What is new in a report of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewReport {
    /// Nodes that it has searched since the last report.
    pub(super) nodes: u64,
    /// The time that the order was on its way, if this report confirms the order.
    pub(super) latency: Option<Duration>,
}

impl Roster {
    /// A room without workers. `own_threads` is the number of our own search threads.
    pub(super) fn new(own_threads: u32) -> Self {
        Self {
            own_threads,
            members: BTreeMap::new(),
            left_out: BTreeSet::new(),
            warned: BTreeSet::new(),
        }
    }

    /// Registers a worker by its card. `program` is our version, `search` the checksum of our search.
    pub(super) fn register(
        &mut self,
        card: WorkerCard,
        (program, search): (&str, u32),
        now: Instant,
    ) -> Arrival {
        if self.left_out.contains(&card.worker) {
            return Arrival::LeftOut(None);
        }
        if card.program != program {
            let reason = format!("it has version {} of kyomi, this is {program}", card.program);
            return Arrival::LeftOut(self.refuse(&card.worker, &card.name, &reason));
        }
        if !card.interest {
            let reason = format!("its engine {} does not search as this one does", card.engine);
            return Arrival::LeftOut(self.refuse(&card.worker, &card.name, &reason));
        }
        if card.search != search {
            let reason = format!(
                "its search has other parameters or another evaluation than this one: {}",
                card.engine
            );
            return Arrival::LeftOut(self.refuse(&card.worker, &card.name, &reason));
        }
        if self.members.len() >= MOST_WORKERS && !self.members.contains_key(&card.worker) {
            return Arrival::LeftOut(None);
        }
        if let Some(member) = self.members.get_mut(&card.worker) {
            member.card = card;
            member.last_heard = now;
            return Arrival::Known;
        }
        let member = Member {
            first_thread: self.free_threads(card.threads),
            last_heard: now,
            faults: 0,
            latency: Duration::ZERO,
            job: None,
            card,
        };
        self.members.insert(member.card.worker.clone(), member);
        Arrival::New
    }

    /// The warning that a worker takes no part, the first time. `name` is its display name.
    pub(super) fn refuse(&mut self, worker: &str, name: &str, reason: &str) -> Option<String> {
        // Somebody else may have used the name of a member. The list must not grow without limit.
        let is_known = self.members.contains_key(worker) || self.left_out.contains(worker);
        if is_known || self.warned.len() >= MOST_WORKERS || !self.warned.insert(worker.to_owned()) {
            return None;
        }
        Some(format!("the worker {name} takes no part: {reason}"))
    }

    /// Whether this worker takes part.
    pub(super) fn has(&self, worker: &str) -> bool {
        self.members.contains_key(worker)
    }

    /// The number of a worker's first thread among those of all machines; 0 if it is no member. It stays the same while
    /// the worker is a member, and no two members have threads of the same number.
    pub(super) fn first_thread(&self, worker: &str) -> u32 {
        self.members.get(worker).map_or(0, |member| member.first_thread)
    }

    /// The first of this number of consecutive thread numbers that no member has.
    fn free_threads(&self, threads: u32) -> u32 {
        let mut taken: Vec<_> = self
            .members
            .values()
            .map(|member| (member.first_thread, member.card.threads))
            .collect();
        taken.sort_unstable();
        let mut first = self.own_threads;
        for (start, length) in taken {
            if first.saturating_add(threads) <= start {
                break;
            }
            first = first.max(start.saturating_add(length));
        }
        first
    }

    /// Removes a worker.
    pub(super) fn remove(&mut self, worker: &str) -> Option<Member> {
        self.members.remove(worker)
    }

    /// Counts an invalid message of a worker. If the worker is excluded from now on, it is removed and returned with a
    /// warning.
    pub(super) fn fault(&mut self, worker: &str, fault: &str) -> Option<(Member, String)> {
        let member = self.members.get_mut(worker)?;
        member.faults += 1;
        if member.faults < MOST_FAULTS {
            return None;
        }
        let member = self.remove(worker)?;
        self.left_out.insert(worker.to_owned());
        let name = &member.card.name;
        let warning = format!(
            "the worker {name} is left out after {MOST_FAULTS} wrong messages; the last: {fault}"
        );
        Some((member, warning))
    }

    /// Removes the workers that have been silent for too long, and returns them.
    pub(super) fn remove_silent(&mut self, now: Instant) -> Vec<Member> {
        let silent = |member: &&Member| now.duration_since(member.last_heard) > SILENCE;
        let gone: Vec<_> =
            self.members.values().filter(silent).map(|member| member.card.worker.clone()).collect();
        gone.iter().filter_map(|worker| self.remove(worker)).collect()
    }

    /// Notes a report of a worker. Returns what is new; `None` if it is not about the job that the worker has.
    pub(super) fn report(&mut self, report: &Report, now: Instant) -> Option<NewReport> {
        let member = self.members.get_mut(&report.worker)?;
        member.last_heard = now;
        let job = member.job.as_mut().filter(|job| job.number == report.job)?;
        // The answer to an order that was sent twice does not tell which of the two it answers.
        let is_confirmation = job.last_report.is_none() && job.sent == job.ordered;
        let latency = is_confirmation.then(|| now.duration_since(job.ordered) / 2);
        member.latency = latency.unwrap_or(member.latency);
        let nodes = report.nodes.saturating_sub(job.nodes);
        job.last_report = Some(now);
        job.nodes += nodes;
        job.nps = report.nps;
        Some(NewReport { nodes, latency })
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    pub(super) fn members_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.members.values_mut()
    }

    pub(super) fn get_mut(&mut self, worker: &str) -> Option<&mut Member> {
        self.members.get_mut(worker)
    }
}

impl Member {
    /// The nodes that a worker has not reported when its job is taken back at this time, and the part of them that it
    /// searches before it hears of it. Reckoned from its speed.
    pub(super) fn unreported(&self, job: &GivenJob, now: Instant) -> (u64, u64) {
        let searching = match job.last_report {
            // The report was on its way, and so is the recall.
            Some(last) => now.duration_since(last) + 2 * self.latency,
            None => now.duration_since(job.ordered),
        };
        let searching = searching.min(LONGEST_UNREPORTED);
        // The speed of this search, once it is known, but at most the one that the worker measured at its start.
        let measured = self.card.nps as f64;
        let searched = job.last_report.map(|last| last.duration_since(job.ordered).as_secs_f64());
        let nps = match searched.filter(|seconds| job.nodes > 0 && *seconds > 0.0) {
            Some(seconds) => (job.nodes as f64 / seconds).min(measured),
            None => measured,
        };
        let nodes = |time: Duration| (nps * time.as_secs_f64()) as u64;
        (nodes(searching), nodes(self.latency.min(searching)))
    }

    /// Whether this coordinator may give it a job.
    pub(super) fn is_free_for(&self, coordinator: &str) -> bool {
        self.card.busy_for.as_deref().is_none_or(|it| it == coordinator)
    }
}

/// The number of invalid messages after which a worker is excluded.
const MOST_FAULTS: u32 = 3;
/// The time without a message after which a worker is removed. A worker announces itself every second.
const SILENCE: Duration = Duration::from_secs(5);
/// A worker that has reported nothing for longer than this may not be searching any more.
const LONGEST_UNREPORTED: Duration = Duration::from_secs(1);
/// The largest number of workers of one coordinator.
const MOST_WORKERS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    /// The version and the checksum of the search of this program.
    const OURS: (&str, u32) = ("1.0", 5);

    fn card(worker: &str) -> WorkerCard {
        WorkerCard {
            worker: worker.to_owned(),
            name: format!("host {worker}"),
            program: "1.0".to_owned(),
            engine: "kyomi".to_owned(),
            interest: true,
            search: 5,
            threads: 1,
            hash: 1 << 20,
            nps: 1000,
            busy_for: None,
        }
    }

    #[test]
    fn a_worker_of_another_version_is_left_out_with_one_warning() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        let old = WorkerCard { program: "0.9".to_owned(), ..card("a") };
        assert!(matches!(roster.register(old.clone(), OURS, now), Arrival::LeftOut(Some(_))));
        assert_eq!(roster.register(old, OURS, now), Arrival::LeftOut(None));
        assert_eq!(roster.members().count(), 0);
    }

    #[test]
    fn a_worker_with_another_engine_is_left_out_with_one_warning() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        let other = WorkerCard { engine: "other".to_owned(), interest: false, ..card("a") };
        let Arrival::LeftOut(Some(warning)) = roster.register(other.clone(), OURS, now) else {
            panic!("it takes part");
        };
        assert!(warning.contains("host a takes no part: its engine other"), "{warning}");
        assert_eq!(roster.register(other, OURS, now), Arrival::LeftOut(None));
    }

    #[test]
    fn a_worker_with_another_search_is_left_out_with_one_warning() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        let other = WorkerCard { search: 6, ..card("a") };
        let Arrival::LeftOut(Some(warning)) = roster.register(other.clone(), OURS, now) else {
            panic!("it takes part");
        };
        assert!(warning.contains("host a takes no part: its search has other"), "{warning}");
        assert_eq!(roster.register(other, OURS, now), Arrival::LeftOut(None));
        assert_eq!(roster.register(card("b"), OURS, now), Arrival::New);
    }

    #[test]
    fn a_false_card_in_its_name_does_not_exclude_a_worker() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        let forged = WorkerCard { program: "0".to_owned(), ..card("a") };
        assert!(matches!(roster.register(forged.clone(), OURS, now), Arrival::LeftOut(Some(_))));
        assert!(roster.refuse("b", "b", "its message cannot be read").is_some());
        assert_eq!(roster.register(card("a"), OURS, now), Arrival::New);
        assert_eq!(roster.register(card("b"), OURS, now), Arrival::New);
        assert_eq!(roster.register(forged, OURS, now), Arrival::LeftOut(None));
        assert!(roster.has("a"));
    }

    #[test]
    fn three_wrong_messages_leave_a_worker_out_with_one_warning() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        assert_eq!(roster.register(card("a"), OURS, now), Arrival::New);
        assert!(roster.fault("a", "x").is_none() && roster.fault("a", "x").is_none());
        let (_, warning) = roster.fault("a", "an illegal move").unwrap();
        assert!(warning.contains("host a") && warning.contains("an illegal move"), "{warning}");
        assert!(roster.fault("a", "x").is_none());
        assert_eq!(roster.register(card("a"), OURS, now), Arrival::LeftOut(None));
    }

    #[test]
    fn threads_of_all_machines_have_different_numbers_that_stay() {
        let (mut roster, now) = (Roster::new(8), Instant::now());
        for (worker, threads) in [("c", 4), ("a", 2), ("b", 3)] {
            roster.register(WorkerCard { threads, ..card(worker) }, OURS, now);
        }
        assert_eq!(["a", "b", "c"].map(|worker| roster.first_thread(worker)), [12, 14, 8]);
        roster.remove("a");
        roster.register(WorkerCard { threads: 3, ..card("d") }, OURS, now);
        roster.register(WorkerCard { threads: 2, ..card("e") }, OURS, now);
        let numbers = ["b", "c", "d", "e", "none"].map(|worker| roster.first_thread(worker));
        assert_eq!(numbers, [14, 8, 17, 12, 0]);
    }

    #[test]
    fn who_is_silent_is_gone_and_may_come_back() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        roster.register(card("a"), OURS, now);
        assert!(roster.remove_silent(now + SILENCE).is_empty());
        assert_eq!(roster.remove_silent(now + 2 * SILENCE).len(), 1);
        assert_eq!(roster.register(card("a"), OURS, now), Arrival::New);
    }

    #[test]
    fn what_a_worker_searched_after_its_last_report_is_reckoned() {
        let (mut roster, now) = (Roster::new(1), Instant::now());
        roster.register(card("a"), OURS, now);
        let ms = Duration::from_millis;
        let job = GivenJob {
            number: 7,
            message: Vec::new(),
            ordered: now,
            sent: now,
            last_report: None,
            nodes: 0,
            nodes_before_turn: 0,
            nps: 0,
        };
        roster.get_mut("a").unwrap().job = Some(job.clone());
        let report = |nodes| Report {
            worker: "a".to_owned(),
            job: 7,
            limit: 0,
            depth: 0,
            score: None,
            nodes,
            nps: 0,
            pv: String::new(),
        };
        // Nothing was heard of the job yet: it began when the order came.
        let member = roster.get_mut("a").unwrap();
        assert_eq!(member.unreported(&job, now + ms(30)), (30, 0));
        let new = roster.report(&report(0), now + ms(20));
        assert_eq!(new, Some(NewReport { nodes: 0, latency: Some(ms(10)) }));
        let new = roster.report(&report(80), now + ms(100));
        assert_eq!(new, Some(NewReport { nodes: 80, latency: None }));
        assert_eq!(roster.report(&Report { job: 6, ..report(90) }, now + ms(100)), None);
        // 80 nodes in 100 ms. The report left at 90, the recall of 150 comes at 160.
        let member = roster.get_mut("a").unwrap();
        let job = member.job.take().unwrap();
        assert_eq!(member.unreported(&job, now + ms(150)), (56, 8));
        assert_eq!(member.unreported(&job, now + ms(5000)).0, 800);
    }
}
