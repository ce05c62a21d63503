//! The coordinator of one game: a player that searches itself and lets workers search beside it.
//!
//! The workers search the position that we search ourselves, and vote: in our turn the current one, in the opponent's
//! turn the one after the expected reply. At the end of our own search the votes may suggest a better move; our own
//! search checks that move before it is played. Nothing ever waits for a worker, so losing one only costs strength.
//!
//! - `orders`: assigns positions to workers and handles their reports.
//! - `decision`: chooses the move at the end of our own search.

mod decision;
mod orders;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::{
    LinkState, Room, SharedTransport,
    message::{ToWorker, WarnedFaults, entries_text},
    roster::Roster,
    subject::random_name,
};
use crate::players::{
    Answer, Bound, EventSender, GameInfo, HelpCounts, PlayerCommand, PlayerEvent, PlayerHandle,
    PlayerSpec, PlayerWrapper, SearchInfo, ThinkRequest, pair,
};
use kyomi_engine::search::SharedEntry;
use kyomi_shogi::{CountStart, EnteringKingRule, Game, Move};

/// The settings of a coordinator.
#[derive(Debug, Clone)]
pub struct CoordinatorSpec {
    /// The room whose workers help.
    pub room: Room,
    /// Its own name, which no other coordinator has.
    pub name: String,
    /// The version of the program; workers of other versions take no part.
    pub program: String,
    /// The [checksum](kyomi_engine::search::SearchOptions::checksum) of its search; workers with another one take no part.
    pub search: u32,
    /// The number of its search threads.
    pub threads: usize,
    /// How the workers help.
    pub help: Help,
}

/// How the workers help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Help {
    /// Whether all machines exchange the deepest entries of their transposition tables.
    pub share: bool,
    /// The time kept for checking a move that the workers suggest.
    pub reserve: Duration,
}

impl Default for Help {
    fn default() -> Self {
        Self { share: true, reserve: Duration::from_millis(40) }
    }
}

/// Starts a coordinator that wraps a player. The player must be the built-in engine or measure depth and score as that
/// does. The coordinator passes on the player's events.
///
/// Call it inside a tokio runtime.
pub fn coordinate(
    player: PlayerHandle,
    transport: SharedTransport,
    spec: CoordinatorSpec,
) -> PlayerHandle {
    let (handle, port) = pair();
    let roster = Roster::new(spec.threads as u32);
    let coordinator = Coordinator {
        player,
        events: port.events,
        transport,
        spec,
        roster,
        position: None,
        phase: Phase::Idle(None),
        own: None,
        votes: BTreeMap::new(),
        received: Vec::new(),
        jobs: BTreeSet::new(),
        next_job: fastrand::u64(..1 << 40),
        game: 0,
        info: None,
        counts: HelpCounts::default(),
        nodes_before: 0,
        uncounted: 0,
        is_lost: false,
        warned: WarnedFaults::default(),
    };
    tokio::spawn(coordinator.run(port.commands));
    handle
}

/// Wraps the built-in engine in a coordinator that uses the workers of a room; other engines stay as they are.
pub fn helped_by(transport: SharedTransport, room: Room, help: Help) -> PlayerWrapper {
    PlayerWrapper::new(move |spec, player| match spec {
        PlayerSpec::Builtin(spec) => {
            let spec = CoordinatorSpec {
                room: room.clone(),
                name: random_name(),
                program: env!("CARGO_PKG_VERSION").to_owned(),
                search: spec.search_checksum(),
                threads: spec.threads,
                help,
            };
            coordinate(player, SharedTransport::clone(&transport), spec)
        }
        PlayerSpec::Usi(_) | PlayerSpec::Random(_) => player,
    })
}

struct Coordinator {
    player: PlayerHandle,
    events: EventSender,
    transport: SharedTransport,
    spec: CoordinatorSpec,
    roster: Roster,
    /// The position that we search, and so do the workers. `None` if searching it is not useful
    /// ([`is_worth_searching`]).
    position: Option<Game>,
    phase: Phase,
    /// The last PV of our own search with an exact score.
    own: Option<Found>,
    /// What workers found in the position, by worker.
    votes: BTreeMap<String, Found>,
    /// Entries of the workers' tables that our own search has not been given yet.
    received: Vec<SharedEntry>,
    /// The jobs of workers on the position. They may have others, on earlier ones.
    jobs: BTreeSet<u64>,
    next_job: u64,
    /// The number of the game in messages to workers.
    game: u64,
    info: Option<GameInfo>,
    /// What the workers have done in this game.
    counts: HelpCounts,
    /// The nodes of this turn's jobs that have already ended.
    nodes_before: u64,
    /// The nodes that workers searched in the position since the last decision in which they counted.
    uncounted: u64,
    /// Whether the user was warned that the workers cannot be reached.
    is_lost: bool,
    /// The errors of messages from unknown senders that the user was warned about.
    warned: WarnedFaults,
}

/// What the coordinator is doing.
enum Phase {
    /// Nothing, since this time; `None`: the workers have been released.
    Idle(Option<Instant>),
    /// The opponent thinks, and we ponder. Our search reports under this number.
    Theirs { pondered: Game, id: u64 },
    /// We think. After a ponder hit our search may still report under the number that it had.
    Ours { request: ThinkRequest, pondered_id: Option<u64>, began: Instant, has_reserve: bool },
    /// Our own search checks the move that the workers suggest.
    Checking {
        request: ThinkRequest,
        answer: Box<Answer>,
        better: Found,
        depth: u32,
        until: Instant,
    },
}

impl Coordinator {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<PlayerCommand>) {
        let mut cards = self.transport.subscribe(&self.spec.room.workers());
        let mut found = self.transport.subscribe(&self.spec.room.to_coordinator(&self.spec.name));
        let mut link = self.transport.state();
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.call_workers();
        loop {
            let until = match &self.phase {
                Phase::Checking { until, .. } => Some(*until),
                _ => None,
            };
            tokio::select! {
                command = commands.recv() => match command {
                    None | Some(PlayerCommand::Quit) => break,
                    Some(command) => self.handle_command(command),
                },
                event = self.player.event() => match event {
                    Some(event) => self.handle_event(event),
                    None => break,
                },
                Some(message) = cards.recv() => self.handle_card(&message.payload),
                Some(message) = found.recv() => self.handle_report(&message.payload),
                Ok(()) = link.changed() => {
                    let state = link.borrow_and_update().clone();
                    self.link_changed(&state);
                }
                _ = tick.tick() => self.tick(),
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                    self.player.send(PlayerCommand::Stop);
                    self.finish_check(None);
                }
            }
        }
        self.release();
        self.player.quit().await;
    }

    fn call_workers(&self) {
        let call = ToWorker::Call { coordinator: self.spec.name.clone() };
        self.transport.publish(&self.spec.room.call(), call.write());
    }

    fn warn(&self, text: String) {
        self.events.send(PlayerEvent::Warning(text));
    }

    fn link_changed(&mut self, state: &LinkState) {
        match state {
            LinkState::Connected => {
                self.is_lost = false;
                self.call_workers();
            }
            LinkState::Lost(reason) if !self.is_lost => {
                self.is_lost = true;
                let text =
                    format!("the workers cannot be reached: {reason}; playing on without them");
                self.warn(text);
            }
            LinkState::Connecting | LinkState::Lost(_) => {}
        }
    }

    // ---- commands of the owner ----

    fn handle_command(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => {
                self.recall_all();
                self.game = fastrand::u64(..);
                self.received.clear();
                self.info = Some(info);
                self.search_position(None);
                self.idle();
                self.counts = HelpCounts::default();
                self.player.send(PlayerCommand::NewGame(info));
            }
            PlayerCommand::Think(request) => self.think(request),
            PlayerCommand::Ponder(request) => self.ponder(request),
            PlayerCommand::Stop => {
                // After our move the workers go on searching until we ponder or they are released.
                if !matches!(self.phase, Phase::Idle(_)) {
                    self.recall_all();
                    self.idle();
                }
                self.player.send(PlayerCommand::Stop);
            }
            PlayerCommand::GameOver(outcome) => {
                self.release();
                self.idle();
                if self.counts.turns > 0 && self.counts.nodes > 0 {
                    tracing::info!(counts = ?self.counts, "the workers in this game");
                }
                self.player.send(PlayerCommand::GameOver(outcome));
            }
            // Our owner has no other machines.
            PlayerCommand::ShareEntries { .. } | PlayerCommand::Quit => {}
        }
    }

    fn idle(&mut self) {
        self.phase = Phase::Idle(None);
        self.own = None;
        self.votes.clear();
    }

    fn think(&mut self, request: ThinkRequest) {
        let pondered_id = match &self.phase {
            Phase::Theirs { pondered, id } if pondered.is_same_as(&request.game) => Some(*id),
            _ => None,
        };
        let hit = pondered_id.is_some();
        let has_pondered = matches!(self.phase, Phase::Theirs { .. });
        if !hit {
            self.own = None;
            self.votes.clear();
        }
        self.search_position(Some(request.game.clone()));
        self.counts.turns += 1;
        if has_pondered {
            self.counts.pondered += 1;
            self.counts.own_hits += u64::from(hit);
        }
        self.begin_turn();
        let mut kept = request.clone();
        let has_reserve = self.roster.members().next().is_some() && self.keep_reserve(&mut kept);
        self.player.send(PlayerCommand::Think(kept));
        self.phase = Phase::Ours { request, pondered_id, began: Instant::now(), has_reserve };
        self.give_out();
    }

    /// Starts counting the nodes of the workers for this turn.
    fn begin_turn(&mut self) {
        self.nodes_before = 0;
        for job in self.roster.members_mut().filter_map(|it| it.job.as_mut()) {
            job.nodes_before_turn = job.nodes;
        }
    }

    fn ponder(&mut self, request: ThinkRequest) {
        self.own = None;
        self.votes.clear();
        self.phase = Phase::Theirs { pondered: request.game.clone(), id: request.id };
        let is_useful = is_worth_searching(&request.game, self.entering_king());
        self.search_position(is_useful.then(|| request.game.clone()));
        self.begin_turn();
        self.player.send(PlayerCommand::Ponder(request));
        self.give_out();
    }

    /// Sets the position that the workers search. Jobs on the position go on if it is the same as before.
    fn search_position(&mut self, position: Option<Game>) {
        let is_same = match (&self.position, &position) {
            (Some(old), Some(new)) => old.is_same_as(new),
            (old, new) => old.is_none() && new.is_none(),
        };
        if !is_same {
            self.jobs.clear();
            self.uncounted = 0;
        }
        self.position = position;
    }

    /// How an entered king wins.
    fn entering_king(&self) -> EnteringKingRule {
        self.info.map_or(EnteringKingRule::None, |info| info.entering_king)
    }

    // ---- our own search ----

    fn handle_event(&mut self, event: PlayerEvent) {
        match event {
            PlayerEvent::Info { id, mut info } => {
                if id == CHECK {
                    return;
                }
                self.note_own(id, &info);
                self.add_help(&mut info);
                self.events.send(PlayerEvent::Info { id, info });
            }
            PlayerEvent::Entries(entries) => self.send_entries(&entries_text(&entries), None),
            PlayerEvent::Answer { id, answer } => match &self.phase {
                Phase::Ours { request, .. } if request.id == id => self.decide(answer),
                Phase::Checking { .. } if id == CHECK => self.finish_check(Some(&answer)),
                _ if id == CHECK => {}
                _ => self.events.send(PlayerEvent::Answer { id, answer }),
            },
            other => self.events.send(other),
        }
    }

    /// Adds the nodes and speed of the workers to what our own search reports.
    fn add_help(&self, info: &mut SearchInfo) {
        let busy = self.roster.members().filter_map(|it| it.job.as_ref());
        for job in busy.filter(|job| job.last_report.is_some()) {
            info.workers += 1;
            info.nps = info.nps.saturating_add(job.nps);
        }
        info.nodes = info.nodes.saturating_add(self.nodes_of_workers());
    }

    /// Stores a PV with an exact score, if it comes from the current search and not from an earlier one.
    fn note_own(&mut self, of: u64, info: &SearchInfo) {
        let is_best = info.multipv.is_none_or(|line| line == 1) && info.bound == Bound::Exact;
        let is_of_this = match &self.phase {
            Phase::Ours { request, pondered_id, .. } => {
                of == request.id || Some(of) == *pondered_id
            }
            Phase::Theirs { id, .. } => of == *id,
            Phase::Idle(_) | Phase::Checking { .. } => false,
        };
        let (true, true, Some(found)) = (is_best, is_of_this, found_of(info)) else { return };
        self.own = Some(found);
    }
}

/// The result of a search, for the side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    /// Centipawns; a mate as [`Score::centipawns`](kyomi_shogi::Score::centipawns) counts it.
    score: i32,
    /// The completed limit in units.
    limit: i32,
    /// The line, best move first; never empty.
    line: Vec<Move>,
}

/// The PV, score and limit that a search reports, if it reports a PV and a score.
fn found_of(info: &SearchInfo) -> Option<Found> {
    let score = info.score?.centipawns();
    let line = info.pv.clone();
    (!line.is_empty()).then_some(Found { score, limit: info.limit as i32, line })
}

/// Whether searching the current position of a game is useful: the game is not over there, and the position has not
/// occurred before, so no repetition rule decides.
fn is_worth_searching(game: &Game, rule: EnteringKingRule) -> bool {
    let position = game.position();
    position.has_legal_move()
        && position.entering_king_win(rule).is_none()
        && !game.is_won_by_try(rule)
        && game.repetition_count(CountStart::Yes) <= 1
}

/// The id of the request by which our own search checks a move of the workers.
const CHECK: u64 = u64::MAX;
/// The interval at which jobs are renewed and silent workers removed.
const TICK: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests;
