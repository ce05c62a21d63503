//! The workers of a coordinator: which are there, what each one searches, and what they report.

use std::time::Duration;

use tokio::time::Instant;

use super::{Coordinator, Found, Phase, TICK};
use crate::cluster::message::{
    FromWorker, MessageError, Report, ToWorker, entries_of, fits, named_worker, position_of,
};
use crate::cluster::roster::{Arrival, GivenJob, Member, NewReport};
use crate::cluster::worker::MOST_RECEIVED;
use crate::players::PlayerCommand;

impl Coordinator {
    pub(super) fn handle_card(&mut self, payload: &[u8]) {
        match FromWorker::read(payload) {
            Ok(FromWorker::Here(card)) => {
                let (name, worker) = (card.name.clone(), card.worker.clone());
                if card.busy_for.as_ref().is_some_and(|it| *it != self.spec.name) {
                    // Another coordinator was first.
                    self.forget_job(&worker);
                }
                match self.roster.register(
                    card,
                    (&self.spec.program, self.spec.search),
                    Instant::now(),
                ) {
                    Arrival::New => {
                        tracing::info!("the worker {name} is here");
                        self.give_out();
                    }
                    Arrival::LeftOut(Some(warning)) => self.warn(warning),
                    Arrival::Known | Arrival::LeftOut(None) => {}
                }
            }
            Ok(FromWorker::Bye { worker }) => {
                if let Some(member) = self.roster.remove(&worker) {
                    tracing::info!("the worker {} has left", member.card.name);
                    self.keep_nodes_of(member);
                    self.give_out();
                }
            }
            Ok(FromWorker::Found(_) | FromWorker::Entries { .. }) => {}
            Err(error) => self.count_unreadable(payload, &error),
        }
    }

    pub(super) fn handle_report(&mut self, payload: &[u8]) {
        let report = match FromWorker::read(payload) {
            Ok(FromWorker::Found(report)) => report,
            Ok(FromWorker::Entries { worker, job, game, entries }) => {
                return self.handle_entries(&worker, (game, job), &entries);
            }
            Ok(_) => return,
            Err(error) => return self.count_unreadable(payload, &error),
        };
        let now = Instant::now();
        let Some(NewReport { nodes, latency }) = self.roster.report(&report, now) else {
            // The order was lost or late: it is sent again.
            let member = self.roster.get_mut(&report.worker);
            if let Some(job) = member.and_then(|member| member.job.as_mut())
                && now.duration_since(job.sent) >= TICK
            {
                job.sent = now;
                let subject = self.spec.room.to_worker(&report.worker);
                self.transport.publish(&subject, job.message.clone());
            }
            return;
        };
        self.counts.nodes = self.counts.nodes.saturating_add(nodes);
        if let Some(latency) = latency {
            self.counts.confirmed_orders += 1;
            self.counts.latency_us += latency.as_micros() as u64;
        }
        if !self.jobs.contains(&report.job) {
            return;
        }
        self.uncounted = self.uncounted.saturating_add(nodes);
        if let Err(error) = self.store_vote(&report) {
            self.fault(&report.worker, &error.to_string());
        }
    }

    /// Keeps the entries of a worker's table for our own search, and passes them on to the other workers.
    fn handle_entries(&mut self, worker: &str, (game, job): (u64, u64), text: &str) {
        let has_job = self.job_of(worker) == Some(job);
        if !self.spec.help.share || game != self.game || !has_job {
            return;
        }
        self.received.extend(entries_of(text).unwrap_or_default());
        self.received.truncate(MOST_RECEIVED);
        self.send_entries(text, Some(worker));
    }

    /// Sends entries to all workers that search for us, but not back to the one that they come from.
    pub(super) fn send_entries(&self, entries: &str, from: Option<&str>) {
        let (coordinator, game) = (self.spec.name.clone(), self.game);
        let message = ToWorker::Entries { coordinator, game, entries: entries.to_owned() }.write();
        for member in self.roster.members().filter(|it| it.job.is_some()) {
            if from != Some(member.card.worker.as_str()) {
                let subject = self.spec.room.to_worker(&member.card.worker);
                self.transport.publish(&subject, message.clone());
            }
        }
    }

    /// Gives our own search the entries of the workers, and asks for its own.
    fn share_entries(&mut self) {
        let is_searching = matches!(self.phase, Phase::Ours { .. } | Phase::Theirs { .. });
        if self.spec.help.share && is_searching && self.roster.members().next().is_some() {
            let entries = std::mem::take(&mut self.received);
            self.player.send(PlayerCommand::ShareEntries { first_thread: 0, entries });
        }
    }

    /// Stores what a worker found in the position.
    fn store_vote(&mut self, report: &Report) -> Result<(), MessageError> {
        let Some(position) = &self.position else { return Ok(()) };
        let line = report.line(position)?;
        let Some(score) = report.score() else { return Ok(()) };
        if report.limit != 0 && !line.is_empty() {
            let found = Found { score: score.centipawns(), limit: report.limit as i32, line };
            self.votes.insert(report.worker.clone(), found);
        }
        Ok(())
    }

    /// Handles a message that cannot be read. It counts as a fault of the worker that it names, if that one takes part.
    /// Otherwise it leads to one warning.
    fn count_unreadable(&mut self, payload: &[u8], error: &MessageError) {
        let warning = match named_worker(payload) {
            // Whoever does not know the job of a worker does not speak for it.
            Some(worker) if self.roster.has(&worker) => {
                let job = self.job_of(&worker).map(|job| format!("\"job\":{job}"));
                let is_its_own = job.is_some_and(|job| {
                    payload.windows(job.len()).any(|window| window == job.as_bytes())
                });
                if is_its_own {
                    self.fault(&worker, &error.to_string());
                }
                return;
            }
            Some(worker) => {
                let reason = format!("its message cannot be read: {error}");
                self.roster.refuse(&worker, &worker, &reason)
            }
            None => self.warned.note(error).then(|| {
                let room = &self.spec.room;
                format!("messages in the room {room} that cannot be read are dropped: {error}")
            }),
        };
        if let Some(warning) = warning {
            self.warn(warning);
        }
    }

    /// The number of the job that a worker has.
    fn job_of(&self, worker: &str) -> Option<u64> {
        let member = self.roster.members().find(|it| it.card.worker == worker)?;
        member.job.as_ref().map(|job| job.number)
    }

    fn fault(&mut self, worker: &str, fault: &str) {
        tracing::debug!("a message of the worker {worker} is dropped: {fault}");
        if let Some((member, warning)) = self.roster.fault(worker, fault) {
            self.votes.remove(worker);
            self.keep_nodes_of(member);
            self.warn(warning);
            self.give_out();
        }
    }

    pub(super) fn nodes_of_workers(&self) -> u64 {
        let jobs = self.roster.members().filter_map(|it| it.job.as_ref());
        jobs.fold(self.nodes_before, |sum, job| {
            sum.saturating_add(job.nodes.saturating_sub(job.nodes_before_turn))
        })
    }

    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        for member in self.roster.remove_silent(now) {
            let name = &member.card.name;
            tracing::info!("the worker {name} has been silent for too long; it is removed");
            self.keep_nodes_of(member);
        }
        self.share_entries();
        let (transport, room) = (&self.transport, &self.spec.room);
        for member in self.roster.members_mut() {
            if let Some(job) = &mut member.job {
                let wait = if job.last_report.is_some() { RENEW } else { RESEND };
                if now.duration_since(job.sent) >= wait {
                    job.sent = now;
                    transport.publish(&room.to_worker(&member.card.worker), job.message.clone());
                }
            }
        }
        self.give_out();
    }

    /// Lets all free workers search the position. A worker that already does so goes on. A game that is too long for a
    /// message is not assigned.
    pub(super) fn give_out(&mut self) {
        if let Phase::Idle(Some(since)) = self.phase
            && since.elapsed() >= RELEASE
        {
            // We do not ponder: other coordinators may use the workers until our next turn.
            self.phase = Phase::Idle(None);
            self.release();
        }
        if !matches!(self.phase, Phase::Ours { .. } | Phase::Theirs { .. }) {
            return;
        }
        let is_on_position = |job: &GivenJob| self.jobs.contains(&job.number);
        let members = self.roster.members().filter(|it| it.is_free_for(&self.spec.name));
        let others = members.filter(|it| !it.job.as_ref().is_some_and(is_on_position));
        let others: Vec<_> = others.map(|it| it.card.worker.clone()).collect();
        let position = self.position.as_ref().filter(|game| fits(game)).map(position_of);
        for worker in others {
            match &position {
                Some(position) => self.assign(&worker, position.clone()),
                None => self.recall(&worker),
            }
        }
    }

    fn assign(&mut self, worker: &str, position: String) {
        self.end_job(worker);
        self.next_job += 1;
        let number = self.next_job;
        let message = ToWorker::Search {
            coordinator: self.spec.name.clone(),
            game: self.game,
            job: number,
            position,
            entering_king: self.entering_king(),
            max_moves: self.info.and_then(|info| info.max_moves),
            lease_ms: LEASE_MS,
            share: self.spec.help.share.then(|| self.roster.first_thread(worker)),
        }
        .write();
        self.jobs.insert(number);
        self.transport.publish(&self.spec.room.to_worker(worker), message.clone());
        if let Some(member) = self.roster.get_mut(worker) {
            let sent = Instant::now();
            member.job = Some(GivenJob {
                number,
                message,
                ordered: sent,
                sent,
                last_report: None,
                nodes: 0,
                nodes_before_turn: 0,
                nps: 0,
            });
        }
    }

    /// Takes back the job of a worker, which will hear of it soon. Returns its number.
    fn end_job(&mut self, worker: &str) -> Option<u64> {
        let job = self.forget_job(worker)?;
        if let Some(member) = self.roster.get_mut(worker) {
            let (unreported, late) = member.unreported(&job, Instant::now());
            self.counts.nodes = self.counts.nodes.saturating_add(unreported);
            self.counts.late_nodes = self.counts.late_nodes.saturating_add(late);
        }
        Some(job.number)
    }

    /// Forgets the job of a worker and counts its nodes.
    fn forget_job(&mut self, worker: &str) -> Option<GivenJob> {
        let job = self.roster.get_mut(worker)?.job.take()?;
        self.keep_nodes(&job);
        Some(job)
    }

    /// Counts the nodes of a worker that is no longer there.
    fn keep_nodes_of(&mut self, member: Member) {
        if let Some(job) = member.job {
            self.keep_nodes(&job);
        }
    }

    /// Counts the nodes of a job that no worker has any more.
    fn keep_nodes(&mut self, job: &GivenJob) {
        let nodes = job.nodes.saturating_sub(job.nodes_before_turn);
        self.nodes_before = self.nodes_before.saturating_add(nodes);
        self.jobs.remove(&job.number);
    }

    fn recall(&mut self, worker: &str) {
        if let Some(job) = self.end_job(worker) {
            let stop = ToWorker::Stop { coordinator: self.spec.name.clone(), job };
            self.transport.publish(&self.spec.room.to_worker(worker), stop.write());
        }
    }

    pub(super) fn recall_all(&mut self) {
        let workers: Vec<_> = self.roster.members().map(|it| it.card.worker.clone()).collect();
        for worker in workers {
            self.recall(&worker);
        }
        self.jobs.clear();
    }

    /// Releases the workers for other coordinators.
    pub(super) fn release(&mut self) {
        self.recall_all();
        let release = ToWorker::Release { coordinator: self.spec.name.clone() }.write();
        for member in self.roster.members() {
            self.transport.publish(&self.spec.room.to_worker(&member.card.worker), release.clone());
        }
    }
}

/// The time after our move at which the workers are released if we do not ponder.
const RELEASE: Duration = Duration::from_secs(1);
/// The time after which an unconfirmed job is sent again.
pub(super) const RESEND: Duration = Duration::from_millis(300);
/// The time after which the lease of a job is renewed.
pub(super) const RENEW: Duration = Duration::from_secs(5);
/// The lease of a job in milliseconds.
const LEASE_MS: u32 = 20_000;
