//! A worker: it searches the positions that a coordinator sends, one at a time, until the coordinator stops it or its
//! lease ends.
//!
//! It runs only the engine of its own configuration. A message cannot make it run another program.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    Room, SharedTransport,
    message::{
        FromWorker, LONGEST_PV, MessageError, Report, ToWorker, WarnedFaults, WorkerCard,
        entries_of, entries_text, game_of, score_text,
    },
};
use crate::players::{
    Bound, EngineError, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle, SearchInfo,
    ThinkRequest,
};
use kyomi_engine::search::SharedEntry;
use kyomi_shogi::clock::{Clocks, Controls, DelayEstimator, DelayPolicy, TimeControl};
use kyomi_shogi::{EnteringKingRule, Game, Move};

/// Searches for the coordinators of a room until `stop` is cancelled. The player must be ready. `card` describes the
/// worker.
///
/// # Errors
/// The player failed for good.
pub async fn serve(
    transport: SharedTransport,
    player: PlayerHandle,
    room: Room,
    card: WorkerCard,
    stop: CancellationToken,
) -> Result<(), EngineError> {
    let mut calls = transport.subscribe(&room.call());
    let mut orders = transport.subscribe(&room.to_worker(&card.worker));
    let mut announcements = interval(ANNOUNCE_INTERVAL);
    announcements.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut exchanges = interval(EXCHANGE_INTERVAL);
    exchanges.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let newest = (String::new(), 0);
    let warned = WarnedFaults::default();
    let mut worker = Worker {
        transport,
        player,
        room,
        card,
        work: None,
        requests: 0,
        game: None,
        prepares_until: None,
        waiting: None,
        newest,
        warned,
    };
    let outcome = loop {
        let lease = worker.work.as_ref().map(|work| work.lease_until);
        tokio::select! {
            () = stop.cancelled() => break Ok(()),
            Some(message) = calls.recv() => match ToWorker::read(&message.payload) {
                Ok(ToWorker::Call { .. }) => worker.announce(),
                Ok(_) => {}
                Err(error) => worker.warn_unreadable(&error),
            },
            Some(message) = orders.recv() => match ToWorker::read(&message.payload) {
                Ok(order) => worker.handle_order(order),
                Err(error) => worker.warn_unreadable(&error),
            },
            event = worker.player.event() => if let Some(error) = worker.handle_event(event) {
                break Err(error);
            },
            _ = announcements.tick() => worker.announce(),
            _ = exchanges.tick() => worker.share_entries(),
            () = sleep_until(lease.unwrap_or_else(Instant::now)), if lease.is_some() => {
                tracing::info!("the coordinator has been silent for too long; its search is stopped");
                worker.end();
            }
        }
    };
    worker.broadcast(&FromWorker::Bye { worker: worker.card.worker.clone() });
    worker.player.quit().await;
    outcome
}

struct Worker {
    transport: SharedTransport,
    player: PlayerHandle,
    room: Room,
    card: WorkerCard,
    work: Option<Work>,
    /// The number of requests so far; the last one is the running one.
    requests: u64,
    /// The game that the engine was last prepared for.
    game: Option<u64>,
    /// While the engine prepares for a game, the time at which it is no longer waited for.
    prepares_until: Option<Instant>,
    /// The last order that came meanwhile.
    waiting: Option<Order>,
    /// The coordinator of the last order, and the lowest job number that it may still order. Orders with lower numbers
    /// are late and ignored.
    newest: (String, u64),
    /// The faults of messages that the user was warned of.
    warned: WarnedFaults,
}

/// What the engine has to search.
struct Order {
    game: u64,
    entering_king: EnteringKingRule,
    max_moves: Option<u32>,
    share: Option<u32>,
    position: Game,
}

/// The running search.
struct Work {
    coordinator: String,
    lease_until: Instant,
    report: Report,
    last_sent: Instant,
    /// The number of its first thread, if entries of the table are exchanged.
    share: Option<u32>,
    /// Entries of other machines that the search has not been given yet.
    received: Vec<SharedEntry>,
}

impl Worker {
    fn announce(&self) {
        let busy_for = self.work.as_ref().map(|work| work.coordinator.clone());
        self.broadcast(&FromWorker::Here(WorkerCard { busy_for, ..self.card.clone() }));
    }

    fn broadcast(&self, message: &FromWorker) {
        self.transport.publish(&self.room.workers(), message.write());
    }

    fn warn_unreadable(&mut self, error: &MessageError) {
        if self.warned.note(error) {
            tracing::warn!("messages of a coordinator that cannot be read are dropped: {error}");
        }
    }

    fn handle_order(&mut self, order: ToWorker) {
        let owner = self.work.as_ref().map(|work| work.coordinator.as_str());
        if owner.is_some_and(|owner| owner != order.coordinator()) {
            // It works for another coordinator. The announcement says which.
            return self.announce();
        }
        match order {
            ToWorker::Call { .. } => self.announce(),
            ToWorker::Search {
                coordinator,
                game,
                job,
                position,
                entering_king,
                max_moves,
                lease_ms,
                share,
            } => {
                if self.newest.0 == coordinator && job < self.newest.1 {
                    return;
                }
                self.newest = (coordinator.clone(), job);
                let lease_until = Instant::now() + Duration::from_millis(lease_ms.into());
                if let Some(work) = self.work.as_mut().filter(|work| work.report.job == job) {
                    work.lease_until = lease_until;
                    if !self.is_preparing() {
                        self.begin_waiting();
                    }
                    return self.report();
                }
                // The position was checked when the message was read.
                let Ok(position) = game_of(&position) else { return };
                self.take(Order { game, entering_king, max_moves, share, position });
                let report = Report {
                    worker: self.card.worker.clone(),
                    job,
                    limit: 0,
                    depth: 0,
                    score: None,
                    nodes: 0,
                    nps: 0,
                    pv: String::new(),
                };
                let last_sent = Instant::now();
                let received = Vec::new();
                self.work =
                    Some(Work { coordinator, lease_until, report, last_sent, share, received });
                self.report();
            }
            ToWorker::Entries { game, entries, .. } => {
                if let Some(work) = self.work.as_mut().filter(|_| self.game == Some(game)) {
                    // They were checked when the message was read.
                    work.received.extend(entries_of(&entries).unwrap_or_default());
                    work.received.truncate(MOST_RECEIVED);
                }
            }
            ToWorker::Stop { coordinator, job } => {
                if self.newest.0 != coordinator || self.newest.1 <= job {
                    self.newest = (coordinator, job.saturating_add(1));
                }
                if self.work.as_ref().is_some_and(|work| work.report.job == job) {
                    self.end();
                }
            }
            ToWorker::Release { coordinator } => {
                // Without a job no number is used up, and the next order may have any number.
                if let Some(work) = &self.work
                    && self.newest.0 == coordinator
                {
                    let least = work.report.job.saturating_add(1);
                    self.newest.1 = self.newest.1.max(least);
                }
                self.end();
                self.announce();
            }
        }
    }

    /// Gives the engine an order. While it prepares for a game, only the last order is kept, so that orders which come
    /// faster than the engine prepares do not queue up.
    fn take(&mut self, order: Order) {
        if !self.is_preparing() {
            self.waiting = None;
            self.begin(order);
        } else if self.waiting.replace(order).is_none() {
            self.requests += 1;
            self.player.send(PlayerCommand::Stop);
        }
    }

    fn is_preparing(&self) -> bool {
        self.prepares_until.is_some_and(|until| Instant::now() < until)
    }

    fn begin(&mut self, order: Order) {
        let Order { game, entering_king, max_moves, share, position } = order;
        if self.game.replace(game) != Some(game) {
            let color = position.position().side_to_move();
            let info = GameInfo { color, entering_king, max_moves };
            self.player.send(PlayerCommand::NewGame(info));
            self.prepares_until = Some(Instant::now() + LONGEST_PREPARATION);
        }
        if let Some(first_thread) = share {
            self.player.send(PlayerCommand::ShareEntries { first_thread, entries: Vec::new() });
        }
        self.requests += 1;
        self.player.send(PlayerCommand::Ponder(request(self.requests, position)));
    }

    /// Begins the order that waits for the engine, if one does.
    fn begin_waiting(&mut self) {
        self.prepares_until = None;
        if let Some(order) = self.waiting.take() {
            self.begin(order);
        }
    }

    /// Ends the running search.
    fn end(&mut self) {
        self.waiting = None;
        if self.work.take().is_some() {
            self.player.send(PlayerCommand::Stop);
        }
    }

    /// Gives the search the entries of other machines, and asks for its own.
    fn share_entries(&mut self) {
        if let Some(work) = &mut self.work
            && let Some(first_thread) = work.share
        {
            let entries = std::mem::take(&mut work.received);
            self.player.send(PlayerCommand::ShareEntries { first_thread, entries });
        }
    }

    /// Sends entries of our table to the coordinator.
    fn send_entries(&self, entries: &[SharedEntry]) {
        if let (Some(work), Some(game)) = (&self.work, self.game) {
            let worker = self.card.worker.clone();
            let (job, entries) = (work.report.job, entries_text(entries));
            let message = FromWorker::Entries { worker, job, game, entries };
            let subject = self.room.to_coordinator(&work.coordinator);
            self.transport.publish(&subject, message.write());
        }
    }

    fn report(&mut self) {
        if let Some(work) = &mut self.work {
            work.last_sent = Instant::now();
            let subject = self.room.to_coordinator(&work.coordinator);
            self.transport.publish(&subject, FromWorker::Found(work.report.clone()).write());
        }
    }

    /// Handles an event of the engine. Returns its error if it cannot go on.
    fn handle_event(&mut self, event: Option<PlayerEvent>) -> Option<EngineError> {
        match event {
            Some(PlayerEvent::Info { id, info }) if id == self.requests => self.note(&info),
            Some(PlayerEvent::Prepared) => self.begin_waiting(),
            Some(PlayerEvent::Entries(entries)) => self.send_entries(&entries),
            Some(PlayerEvent::Failed(error) | PlayerEvent::GaveUp(error)) => return Some(error),
            Some(PlayerEvent::Restarted(error)) => tracing::warn!("{error}; it was started again"),
            Some(PlayerEvent::Warning(text)) => tracing::warn!("{text}"),
            Some(_) => {}
            None => {
                let reason = "it ended unexpectedly".to_owned();
                return Some(EngineError::Builtin { reason });
            }
        }
        None
    }

    fn note(&mut self, info: &SearchInfo) {
        let Some(work) = &mut self.work else { return };
        let report = &mut work.report;
        (report.nodes, report.nps) = (info.nodes, info.nps);
        let is_best = info.multipv.is_none_or(|line| line == 1) && info.bound == Bound::Exact;
        let mut is_new = false;
        if let (true, Some(score), false) = (is_best, info.score, info.pv.is_empty()) {
            is_new = info.limit > report.limit || report.score.is_none();
            (report.limit, report.depth) = (info.limit, info.depth);
            report.score = Some(score_text(score));
            report.pv = usi_line(&info.pv);
        }
        if is_new || work.last_sent.elapsed() >= REPORT_INTERVAL {
            self.report();
        }
    }
}

/// A request for an unlimited search. It is sent as a ponder request, with clocks that never run out.
fn request(id: u64, game: Game) -> ThinkRequest {
    let turn = game.position().side_to_move();
    let network = DelayEstimator::new(DelayPolicy::Fixed(Duration::ZERO));
    let controls = Controls::both(TimeControl::UNLIMITED);
    let clocks = Clocks::new(controls, Duration::ZERO, Duration::ZERO, turn, network);
    ThinkRequest { id, game, clocks, turn_started: std::time::Instant::now(), limit: None }
}

/// The moves in USI notation, separated by spaces.
fn usi_line(line: &[Move]) -> String {
    let words: Vec<String> = line.iter().take(LONGEST_PV).map(ToString::to_string).collect();
    words.join(" ")
}

/// How long an engine that prepares for a game delays the next order. After that the order is begun at the next message
/// about its job.
const LONGEST_PREPARATION: Duration = Duration::from_secs(10);
/// The interval at which a worker announces itself.
const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(1);
/// The interval at which machines exchange entries of their tables.
pub(super) const EXCHANGE_INTERVAL: Duration = Duration::from_millis(50);
/// The largest number of entries of other machines that wait for the search.
pub(super) const MOST_RECEIVED: usize = 4096;
/// The longest time between two reports of a running search.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

#[cfg(test)]
mod tests;
