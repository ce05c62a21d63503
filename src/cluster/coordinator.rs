//! The coordinator of one game: a player that searches itself and lets workers search beside it.
//!
//! In the opponent's turn workers search the positions after the likely replies. In our turn they search positions of a
//! small [`Tree`] below the current one. At the end of our own search the tree may name a better move; our own search
//! looks at that move before it is played. A worker that is lost is missed, and nothing waits for it.
//!
//! - `orders`: which worker searches what, and what the workers report.
//! - `decision`: which move is played at the end of our own search.

mod decision;
mod orders;

use std::{collections::BTreeMap, time::Duration};

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::{
    LinkState, Room, SharedTransport,
    message::{ToWorker, WarnedFaults},
    roster::Roster,
    subject::random_name,
    tree::{Found, NodeId, Tree, TreeRules, Turn, Value},
};
use crate::engine::{
    Answer, Bound, EventSender, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle, PlayerSpec,
    PlayerWrapper, SearchInfo, ThinkRequest, pair,
};
use crate::search::{MoveCosts, Parameters};
use crate::shogi::Game;

/// The settings of a coordinator.
#[derive(Debug, Clone)]
pub struct CoordinatorSpec {
    /// The room whose workers help.
    pub room: Room,
    /// Its own name, which no other coordinator has.
    pub name: String,
    /// The version of the program; workers of other versions take no part.
    pub program: String,
    /// The [checksum](crate::search::SearchOptions::checksum) of its search; workers with another one take no part.
    pub search: u32,
    /// The parameters of the search, for the costs of moves.
    pub parameters: Parameters,
    /// How the workers help.
    pub help: Help,
}

/// How the workers help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Help {
    /// The rules of the tree.
    pub tree: TreeRules,
    /// Whether workers without a position of the tree search the position on the board, and vote.
    pub votes: bool,
    /// The time kept for a look at a move that the tree names.
    pub reserve: Duration,
}

impl Default for Help {
    fn default() -> Self {
        let tree = TreeRules { replies: 90, expected: 50, deep: true };
        Self { tree, votes: true, reserve: Duration::from_millis(40) }
    }
}

/// Starts the coordinator around a player, which must be one of ours or search as ours does. Its events are those of
/// the player.
///
/// Call it inside a tokio runtime.
pub fn coordinate(
    player: PlayerHandle,
    transport: SharedTransport,
    spec: CoordinatorSpec,
) -> PlayerHandle {
    let (handle, port) = pair();
    let costs = MoveCosts::new(&spec.parameters);
    let coordinator = Coordinator {
        player,
        events: port.events,
        transport,
        spec,
        costs,
        roster: Roster::default(),
        tree: Tree::new(Game::default(), Turn::Ours),
        phase: Phase::Idle(None),
        own: None,
        votes: BTreeMap::new(),
        keep_voter: None,
        jobs: BTreeMap::new(),
        next_job: fastrand::u64(..1 << 40),
        game: 0,
        info: None,
        counts: Counts::default(),
        nodes_before: 0,
        is_lost: false,
        warned: WarnedFaults::default(),
    };
    tokio::spawn(coordinator.run(port.commands));
    handle
}

/// Lets the workers of a room help the built-in engine; other engines stay alone.
pub fn helped_by(transport: SharedTransport, room: Room, help: Help) -> PlayerWrapper {
    PlayerWrapper::new(move |spec, player| match spec {
        PlayerSpec::Builtin(spec) => {
            let spec = CoordinatorSpec {
                room: room.clone(),
                name: random_name(),
                program: env!("CARGO_PKG_VERSION").to_owned(),
                search: spec.search_checksum(),
                parameters: spec.parameters().0,
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
    costs: MoveCosts,
    roster: Roster,
    tree: Tree,
    phase: Phase,
    /// The last exact line of our own search.
    own: Option<Found>,
    /// What workers found on the position that we search ourselves.
    votes: BTreeMap<String, Found>,
    /// The worker that pondered on the reply that was played, while we did not.
    keep_voter: Option<String>,
    /// The nodes of the jobs that workers have.
    jobs: BTreeMap<u64, NodeId>,
    next_job: u64,
    /// The number of the game for the workers.
    game: u64,
    info: Option<GameInfo>,
    counts: Counts,
    /// The nodes of jobs of this turn that have ended.
    nodes_before: u64,
    /// The user was told that the workers cannot be reached.
    is_lost: bool,
    /// The faults of messages of nobody that the user was warned of.
    warned: WarnedFaults,
}

/// What is being done.
enum Phase {
    /// Nothing, since this time; `None`: the workers are free.
    Idle(Option<Instant>),
    /// The opponent thinks, and we ponder. Our search reports under this number.
    Theirs { pondered: Game, id: u64 },
    /// We think. After a ponder hit our search may still report under the number that it had.
    Ours { request: ThinkRequest, pondered_id: Option<u64>, began: Instant, has_reserve: bool },
    /// Our own search looks at the move that the tree names.
    Checking {
        request: ThinkRequest,
        answer: Box<Answer>,
        value: Value,
        depth: u32,
        until: Instant,
    },
}

/// What happened in a game, for the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    turns: u32,
    /// Turns in which we had pondered on the reply.
    own_hits: u32,
    /// Turns in which a worker had.
    worker_hits: u32,
    /// Moves that the tree named and that were played.
    overruled: u32,
    /// Moves that the tree named and that our own search did not confirm.
    refused: u32,
    /// Nodes of the workers.
    nodes: u64,
}

impl Coordinator {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<PlayerCommand>) {
        let mut cards = self.transport.subscribe(&self.spec.room.workers());
        let mut found = self.transport.subscribe(&self.spec.room.to_coordinator(&self.spec.name));
        let mut link = self.transport.state();
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.call();
        loop {
            let until = match &self.phase {
                Phase::Checking { until, .. } => Some(*until),
                _ => None,
            };
            tokio::select! {
                command = commands.recv() => match command {
                    None | Some(PlayerCommand::Quit) => break,
                    Some(command) => self.command(command),
                },
                event = self.player.event() => match event {
                    Some(event) => self.event(event),
                    None => break,
                },
                Some(message) = cards.recv() => self.card(&message.payload),
                Some(message) = found.recv() => self.found(&message.payload),
                Ok(()) = link.changed() => {
                    let state = link.borrow_and_update().clone();
                    self.link(&state);
                }
                _ = tick.tick() => self.tick(),
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                    self.player.send(PlayerCommand::Stop);
                    self.settle(None);
                }
            }
        }
        self.release();
        self.player.quit().await;
    }

    fn call(&self) {
        let call = ToWorker::Call { coordinator: self.spec.name.clone() };
        self.transport.publish(&self.spec.room.call(), call.write());
    }

    fn warn(&self, text: String) {
        self.events.send(PlayerEvent::Warning(text));
    }

    fn link(&mut self, state: &LinkState) {
        match state {
            LinkState::Connected => {
                self.is_lost = false;
                self.call();
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

    fn command(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => {
                self.recall_all();
                self.game = fastrand::u64(..);
                self.info = Some(info);
                self.tree = Tree::new(Game::default(), Turn::Ours);
                self.idle();
                self.counts = Counts::default();
                self.player.send(PlayerCommand::NewGame(info));
            }
            PlayerCommand::Think(request) => self.think(request),
            PlayerCommand::Ponder(request) => self.ponder(request),
            PlayerCommand::Stop => {
                // After our move the workers go on until we ponder, or until they are free.
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
            PlayerCommand::Quit => {}
        }
    }

    fn idle(&mut self) {
        self.phase = Phase::Idle(None);
        self.own = None;
        self.votes.clear();
        self.keep_voter = None;
    }

    fn think(&mut self, request: ThinkRequest) {
        let pondered_id = match &self.phase {
            Phase::Theirs { pondered, id } if pondered.is_same_as(&request.game) => Some(*id),
            _ => None,
        };
        let hit = pondered_id.is_some();
        if !hit {
            self.own = None;
            self.votes.clear();
        }
        self.move_root(&request.game, Turn::Ours);
        let own = self.tree.own();
        self.keep_voter = own.and_then(|own| self.worker_on(own)).filter(|_| !hit);
        if !hit && let Some(node) = own.and_then(|own| self.tree.node_mut(own)) {
            // What a worker has found there so far counts at once, as a vote. The node is for our own search.
            if let (Some(found), Some(voter)) = (node.found.take(), &self.keep_voter) {
                self.votes.insert(voter.clone(), found);
            }
        }
        self.counts.turns += 1;
        self.counts.own_hits += u32::from(hit);
        self.counts.worker_hits += u32::from(self.keep_voter.is_some());
        self.begin_turn();
        let mut kept = request.clone();
        let has_reserve = self.roster.members().next().is_some() && self.keep_reserve(&mut kept);
        self.player.send(PlayerCommand::Think(kept));
        self.phase = Phase::Ours { request, pondered_id, began: Instant::now(), has_reserve };
        self.give_out();
    }

    /// The nodes of the workers are counted from here on.
    fn begin_turn(&mut self) {
        self.nodes_before = 0;
        for job in self.roster.members_mut().filter_map(|it| it.job.as_mut()) {
            job.earlier = job.nodes;
        }
    }

    fn ponder(&mut self, request: ThinkRequest) {
        self.own = None;
        self.votes.clear();
        self.keep_voter = None;
        let mut before = request.game.clone();
        if let Some(expected) = before.pop() {
            self.move_root(&before, Turn::Theirs { expected });
            self.phase = Phase::Theirs { pondered: request.game.clone(), id: request.id };
        }
        self.begin_turn();
        self.player.send(PlayerCommand::Ponder(request));
        self.give_out();
    }

    /// Makes the position the root of the tree; jobs on positions that are left go on.
    fn move_root(&mut self, game: &Game, turn: Turn) {
        let places = self.tree.move_root(game, turn);
        self.jobs = self
            .jobs
            .iter()
            .filter_map(|(job, node)| Some((*job, places.get(*node).copied().flatten()?)))
            .collect();
    }

    // ---- our own search ----

    fn event(&mut self, event: PlayerEvent) {
        match event {
            PlayerEvent::Info { id, mut info } => {
                if id == CHECK {
                    return;
                }
                self.note_own(id, &info);
                self.add_help(&mut info);
                self.events.send(PlayerEvent::Info { id, info });
            }
            PlayerEvent::Answer { id, answer } => match &self.phase {
                Phase::Ours { request, .. } if request.id == id => self.decide(answer),
                Phase::Checking { .. } if id == CHECK => self.settle(Some(&answer)),
                _ if id == CHECK => {}
                _ => self.events.send(PlayerEvent::Answer { id, answer }),
            },
            other => self.events.send(other),
        }
    }

    /// Adds what the workers do to what our search reports.
    fn add_help(&self, info: &mut SearchInfo) {
        let busy = self.roster.members().filter_map(|it| it.job.as_ref());
        for job in busy.filter(|job| job.heard.is_some()) {
            info.workers += 1;
            info.nps = info.nps.saturating_add(job.nps);
        }
        info.nodes = info.nodes.saturating_add(self.nodes_of_workers());
    }

    /// Notes an exact line of our search of the position at hand, and not one of a search before it.
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
        self.own = Some(found.clone());
        if let Some(own) = self.tree.own() {
            self.enter(own, found);
        }
    }

    fn enter(&mut self, node: NodeId, found: Found) {
        if let Some(node) = self.tree.node_mut(node)
            && node.found.as_ref().is_none_or(|known| known.limit <= found.limit)
        {
            node.found = Some(found);
        }
    }
}

/// The line of a search, if it has one.
fn found_of(info: &SearchInfo) -> Option<Found> {
    let score = info.score?.centipawns();
    let line = info.pv.clone();
    (!line.is_empty()).then_some(Found { score, limit: info.limit as i32, line })
}

/// The number of the request by which our own search looks at a move of the tree.
const CHECK: u64 = u64::MAX;
/// How often jobs are looked after.
const TICK: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests;
