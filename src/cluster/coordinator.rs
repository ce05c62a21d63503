//! The coordinator of one game: a player that searches itself and lets workers search beside it.
//!
//! In the opponent's turn workers search the positions after the likely replies. In our turn they search positions of a
//! small [`Tree`] below the current one. At the end of our own search the tree may name a better move; our own search
//! looks at that move before it is played. A worker that is lost is missed, and nothing waits for it.

use std::{collections::BTreeMap, time::Duration};

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::{
    LinkState, Room, SharedTransport,
    message::{FromWorker, Report, ToWorker, position_of},
    roster::{Arrival, GivenJob, Roster},
    subject::random_name,
    tree::{Found, NodeId, Tree, TreeRules, Turn, Value, goes_on},
};
use crate::clock::{DelayEstimator, DelayPolicy};
use crate::engine::{
    Answer, Bound, Choice, EventSender, GameInfo, MoveLimit, PlayerCommand, PlayerEvent,
    PlayerHandle, PlayerSpec, PlayerWrapper, Score, SearchInfo, ThinkRequest, pair,
};
use crate::search::{MoveCosts, Parameters};
use crate::shogi::{Game, Move};

/// The settings of a coordinator.
#[derive(Debug, Clone)]
pub struct CoordinatorSpec {
    /// The room whose workers help.
    pub room: Room,
    /// Its own name, which no other coordinator has.
    pub name: String,
    /// The version of the program; workers of other versions take no part.
    pub program: String,
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
    Checking { request: ThinkRequest, answer: Box<Answer>, value: Value, until: Instant },
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
                self.recall_all();
                self.idle();
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
        self.keep_voter = self.worker_on(own).filter(|_| !hit);
        if !hit && let Some(node) = self.tree.node_mut(own) {
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

    /// Keeps time for a look at another move. Returns whether there is enough.
    fn keep_reserve(&self, request: &mut ThinkRequest) -> bool {
        let reserve = self.spec.help.reserve;
        match &mut request.limit {
            Some(MoveLimit::Time(time)) => {
                let enough = *time >= 4 * reserve;
                *time -= if enough { reserve } else { Duration::ZERO };
                enough
            }
            Some(MoveLimit::Nodes(_) | MoveLimit::Depth(_)) => true,
            None => {
                let network = &mut request.clocks.network;
                let (usual, worst) = (network.bound() + reserve, network.spike() + reserve);
                *network = DelayEstimator::new(DelayPolicy::Given { usual, worst });
                true
            }
        }
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
        let own = self.tree.own();
        self.enter(own, found);
    }

    fn enter(&mut self, node: NodeId, found: Found) {
        if let Some(node) = self.tree.node_mut(node)
            && node.found.as_ref().is_none_or(|known| known.limit <= found.limit)
        {
            node.found = Some(found);
        }
    }

    /// Our own search is over: plays its move, or lets it look at a better one that the tree names.
    fn decide(&mut self, mut answer: Answer) {
        let now = Instant::now();
        let before = std::mem::replace(&mut self.phase, Phase::Idle(Some(now)));
        let Phase::Ours { request, began, has_reserve, .. } = before else { return };
        let helped = self.nodes_of_workers();
        self.counts.nodes = self.counts.nodes.saturating_add(helped);
        let better = self.better_move(&answer).filter(|_| has_reserve);
        answer.nodes = answer.nodes.map(|nodes| nodes.saturating_add(helped));
        let until = now + self.spec.help.reserve;
        let until = last_moment(&request, began).map_or(until, |last| until.min(last));
        let Some((value, after)) = better.and_then(|value| {
            let mut after = request.game.clone();
            after.push(*value.line.first()?).ok()?;
            (goes_on(&after) && until > now).then_some((value, after))
        }) else {
            return self.answer(request.id, answer);
        };
        let depth = answer.depth.unwrap_or(2) / 2;
        let mut clocks = request.clocks;
        clocks.turn = after.position().side_to_move();
        self.player.send(PlayerCommand::Think(ThinkRequest {
            id: CHECK,
            game: after,
            clocks,
            turn_started: std::time::Instant::now(),
            limit: Some(MoveLimit::Depth(depth.max(1))),
        }));
        self.phase = Phase::Checking { request, answer: Box::new(answer), value, until };
    }

    /// The value of a move that is better than that of our own search, by what workers have found.
    fn better_move(&mut self, answer: &Answer) -> Option<Value> {
        let Choice::Move(own_move) = answer.choice else { return None };
        let (Some(Score::Cp(score)), None) = (answer.score, answer.book) else { return None };
        if score <= HOPELESS {
            return None;
        }
        // The answer may be newer than the last exact line.
        let last = self.own.take()?;
        let own = if last.line.first() == Some(&own_move) {
            last
        } else {
            let line = if answer.pv.is_empty() { vec![own_move] } else { answer.pv.clone() };
            Found { score, limit: last.limit, line }
        };
        let node = self.tree.own();
        if let Some(node) = self.tree.node_mut(node) {
            node.found = Some(own.clone());
        }
        let is_other = |value: &Value| value.line.first().is_some_and(|mv| *mv != own_move);
        let value = self.tree.value(node).filter(|_| self.spec.help.tree.deep).filter(is_other);
        value.or_else(|| self.elected(&own).filter(is_other))
    }

    /// The move with the most votes of all that search the position on the board: (score − least score + 10) · limit.
    fn elected(&self, own: &Found) -> Option<Value> {
        let all: Vec<&Found> = std::iter::once(own).chain(self.votes.values()).collect();
        let least = all.iter().map(|found| found.score).min()?;
        let mut sums: BTreeMap<Move, (i64, &Found)> = BTreeMap::new();
        for found in &all {
            let weight = (i64::from(found.score) - i64::from(least) + 10) * i64::from(found.limit);
            let entry = sums.entry(*found.line.first()?).or_insert((0, *found));
            entry.0 += weight;
            if found.limit > entry.1.limit {
                entry.1 = found;
            }
        }
        let (_, best) = sums.into_values().max_by_key(|(votes, found)| (*votes, found.limit))?;
        Some(Value { score: best.score, limit: best.limit, line: best.line.clone() })
    }

    /// Ends the look at a better move. It is played if our own search does not find it much worse than its own move.
    fn settle(&mut self, checked: Option<&Answer>) {
        let Phase::Checking { request, mut answer, value, .. } =
            std::mem::replace(&mut self.phase, Phase::Idle(Some(Instant::now())))
        else {
            return;
        };
        let own = answer.score.map_or(0, Score::centipawns);
        let fits = checked
            .and_then(|checked| checked.score)
            .is_some_and(|score| -score.centipawns() >= own.min(value.score) - MOST_WORSE);
        if fits && let Some(mv) = value.line.first() {
            self.counts.overruled += 1;
            answer.choice = Choice::Move(*mv);
            answer.score = Some(Score::Cp(value.score));
            answer.ponder = value.line.get(1).copied();
            answer.pv = value.line;
        } else {
            self.counts.refused += 1;
        }
        self.answer(request.id, *answer);
    }

    fn answer(&self, id: u64, answer: Answer) {
        self.events.send(PlayerEvent::Answer { id, answer });
    }

    // ---- workers ----

    fn card(&mut self, payload: &[u8]) {
        match FromWorker::read(payload) {
            Ok(FromWorker::Here(card)) => {
                let (name, worker) = (card.name.clone(), card.worker.clone());
                if card.busy_for.as_ref().is_some_and(|it| *it != self.spec.name) {
                    // Another coordinator was first.
                    self.forget_job(&worker);
                }
                match self.roster.hear(card, &self.spec.program, Instant::now()) {
                    Arrival::New => {
                        tracing::info!("the worker {name} is here");
                        self.give_out();
                    }
                    Arrival::LeftOut(Some(warning)) => self.warn(warning),
                    Arrival::Known | Arrival::LeftOut(None) => {}
                }
            }
            Ok(FromWorker::Bye { worker }) => {
                if let Some(name) = self.roster.remove(&worker) {
                    tracing::info!("the worker {name} has left");
                    self.give_out();
                }
            }
            Ok(FromWorker::Found(_)) | Err(_) => {}
        }
    }

    fn found(&mut self, payload: &[u8]) {
        let report = match FromWorker::read(payload) {
            Ok(FromWorker::Found(report)) => report,
            Ok(_) => return,
            Err(error) => return self.fault_in(payload, &error.to_string()),
        };
        let now = Instant::now();
        if !self.roster.report(&report, now) {
            // An order was lost, or came too late.
            let member = self.roster.get_mut(&report.worker);
            if let Some(job) = member.and_then(|member| member.job.as_mut())
                && now.duration_since(job.sent) >= TICK
            {
                job.sent = now;
                let subject = self.spec.room.to_worker(&report.worker);
                self.transport.publish(&subject, job.message.clone());
            }
            return;
        }
        let Some(&node) = self.jobs.get(&report.job) else { return };
        if let Err(fault) = self.take(node, &report) {
            self.fault(&report.worker, &fault);
        }
    }

    /// Takes what a worker found at a node.
    fn take(&mut self, node: NodeId, report: &Report) -> Result<(), String> {
        let line = report.line(&self.tree.node(node).game).map_err(|error| error.to_string())?;
        let Some(score) = report.score() else { return Ok(()) };
        if report.limit == 0 || line.is_empty() {
            return Ok(());
        }
        let found = Found { score: score.centipawns(), limit: report.limit as i32, line };
        if node == self.tree.own() {
            self.votes.insert(report.worker.clone(), found);
        } else {
            self.enter(node, found);
        }
        Ok(())
    }

    /// A message that could not be read counts against the worker that it names, if it names one.
    fn fault_in(&mut self, payload: &[u8], fault: &str) {
        let end = payload.len().min(super::LONGEST_MESSAGE);
        let worker = serde_json::from_slice::<serde_json::Value>(&payload[..end])
            .ok()
            .and_then(|value| Some(value.get("worker")?.as_str()?.to_owned()));
        if let Some(worker) = worker {
            self.fault(&worker, fault);
        }
    }

    fn fault(&mut self, worker: &str, fault: &str) {
        tracing::debug!("a message of the worker {worker} is dropped: {fault}");
        if let Some(warning) = self.roster.fault(worker, fault) {
            self.votes.remove(worker);
            self.warn(warning);
            self.give_out();
        }
    }

    fn worker_on(&self, node: NodeId) -> Option<String> {
        let on = |job: &GivenJob| self.jobs.get(&job.number) == Some(&node);
        let mut members = self.roster.members();
        members.find(|it| it.job.as_ref().is_some_and(on)).map(|it| it.card.worker.clone())
    }

    fn nodes_of_workers(&self) -> u64 {
        let jobs = self.roster.members().filter_map(|it| it.job.as_ref());
        jobs.fold(self.nodes_before, |sum, job| {
            sum.saturating_add(job.nodes.saturating_sub(job.earlier))
        })
    }

    fn tick(&mut self) {
        let now = Instant::now();
        let gone = self.roster.remove_silent(now);
        for name in &gone {
            tracing::info!("nothing is heard of the worker {name} any more");
        }
        let (transport, room) = (&self.transport, &self.spec.room);
        for member in self.roster.members_mut() {
            if let Some(job) = &mut member.job {
                let wait = if job.heard.is_some() { RENEW } else { RESEND };
                if now.duration_since(job.sent) >= wait {
                    job.sent = now;
                    transport.publish(&room.to_worker(&member.card.worker), job.message.clone());
                }
            }
        }
        self.give_out();
    }

    /// Gives the positions of the tree to the workers. Whoever has one of them already keeps it.
    fn give_out(&mut self) {
        if let Phase::Idle(Some(since)) = self.phase
            && since.elapsed() >= RELEASE
        {
            // Nobody ponders: others may have the workers until our next turn.
            self.phase = Phase::Idle(None);
            self.release();
        }
        if !matches!(self.phase, Phase::Ours { .. } | Phase::Theirs { .. }) {
            return;
        }
        let in_our_turn = matches!(self.phase, Phase::Ours { .. });
        let own = self.tree.own();
        let mut free = Vec::new();
        for member in self.roster.members() {
            let fits = member.card.interest || !in_our_turn;
            if fits && member.is_free_for(&self.spec.name) {
                let node = member.job.as_ref().and_then(|job| self.jobs.get(&job.number)).copied();
                free.push((member.card.worker.clone(), node));
            }
        }
        let mut leaves = Vec::new();
        if let Some(voter) = self.keep_voter.clone().filter(|_| in_our_turn) {
            free.retain(|(worker, node)| *worker != voter || *node != Some(own));
        }
        let plan = if in_our_turn && !self.spec.help.tree.deep {
            Vec::new()
        } else {
            self.tree.plan(free.len(), &self.spec.help.tree, &mut self.costs)
        };
        for leaf in plan {
            match free.iter().position(|(_, node)| *node == Some(leaf)) {
                Some(place) => drop(free.swap_remove(place)),
                None => leaves.push(leaf),
            }
        }
        for leaf in leaves {
            // The table of a worker that searched a position before or after this one is warm.
            let is_near =
                |node: &Option<NodeId>| node.is_some_and(|node| self.tree.is_near(node, leaf));
            let place = free.iter().position(|(_, node)| is_near(node)).unwrap_or(0);
            if place < free.len() {
                let (worker, _) = free.swap_remove(place);
                self.assign(&worker, leaf);
            }
        }
        for (worker, node) in free {
            if self.spec.help.votes {
                if node != Some(own) {
                    self.assign(&worker, own);
                }
            } else {
                self.recall(&worker);
            }
        }
    }

    fn assign(&mut self, worker: &str, node: NodeId) {
        self.forget_job(worker);
        self.next_job += 1;
        let number = self.next_job;
        let rules = self.info;
        let message = ToWorker::Search {
            coordinator: self.spec.name.clone(),
            game: self.game,
            job: number,
            position: position_of(&self.tree.node(node).game),
            declaration: rules.is_some_and(|rules| rules.declaration),
            max_moves: rules.and_then(|rules| rules.max_moves),
            lease_ms: LEASE_MS,
        }
        .write();
        self.jobs.insert(number, node);
        self.transport.publish(&self.spec.room.to_worker(worker), message.clone());
        if let Some(member) = self.roster.get_mut(worker) {
            let sent = Instant::now();
            member.job =
                Some(GivenJob { number, message, sent, heard: None, nodes: 0, earlier: 0, nps: 0 });
        }
    }

    /// Forgets the job of a worker, whose nodes count.
    fn forget_job(&mut self, worker: &str) -> Option<u64> {
        let job = self.roster.get_mut(worker)?.job.take()?;
        self.nodes_before = self.nodes_before.saturating_add(job.nodes.saturating_sub(job.earlier));
        self.jobs.remove(&job.number);
        Some(job.number)
    }

    fn recall(&mut self, worker: &str) {
        if let Some(job) = self.forget_job(worker) {
            let stop = ToWorker::Stop { coordinator: self.spec.name.clone(), job };
            self.transport.publish(&self.spec.room.to_worker(worker), stop.write());
        }
    }

    fn recall_all(&mut self) {
        let workers: Vec<_> = self.roster.members().map(|it| it.card.worker.clone()).collect();
        for worker in workers {
            self.recall(&worker);
        }
        self.jobs.clear();
    }

    /// The workers may work for others.
    fn release(&mut self) {
        self.recall_all();
        let release = ToWorker::Release { coordinator: self.spec.name.clone() }.write();
        for member in self.roster.members() {
            self.transport.publish(&self.spec.room.to_worker(&member.card.worker), release.clone());
        }
    }
}

/// When a look at another move must be over, in a turn that began at this time; `None` without a clock.
fn last_moment(request: &ThinkRequest, began: Instant) -> Option<Instant> {
    let end = match request.limit {
        Some(MoveLimit::Time(time)) => time,
        Some(MoveLimit::Nodes(_) | MoveLimit::Depth(_)) => return None,
        None => {
            let flag = request.clocks.running().flag_after()?;
            flag.saturating_sub(request.clocks.network.bound() + MARGIN)
        }
    };
    began.checked_add(end)
}

/// The line of a search, if it has one.
fn found_of(info: &SearchInfo) -> Option<Found> {
    let score = info.score?.centipawns();
    let line = info.pv.clone();
    (!line.is_empty()).then_some(Found { score, limit: info.limit as i32, line })
}

/// The number of the request by which our own search looks at a move of the tree.
const CHECK: u64 = u64::MAX;
/// A position with this score or less, in centipawns, may be resigned soon; nobody looks for other moves there.
const HOPELESS: i32 = -2000;
/// The time after a move after which the workers are free if we do not ponder.
const RELEASE: Duration = Duration::from_secs(1);
/// The part of the time to the flag that a look at another move never uses.
const MARGIN: Duration = Duration::from_millis(30);
/// A move of the tree is not played if our own search finds it worse by more than this, in centipawns.
const MOST_WORSE: i32 = 150;
/// How often jobs are looked after.
const TICK: Duration = Duration::from_millis(50);
/// The time after which a job is sent again that the worker has not confirmed.
const RESEND: Duration = Duration::from_millis(300);
/// The time after which the lease of a job is renewed.
const RENEW: Duration = Duration::from_secs(5);
/// The lease of a job in milliseconds.
const LEASE_MS: u32 = 20_000;

#[cfg(test)]
mod tests;
