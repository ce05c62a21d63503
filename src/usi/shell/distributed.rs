//! Searches that are distributed to workers. The engine requests a move from the coordinator. The coordinator sends its
//! own requests to its local player, which is this engine again, and then answers.

use std::time::{Duration, Instant};

use super::{
    Action, DistributedSearch, JoinRequest, Shell,
    lines::{InfoPace, answer_lines, clip_long, distributed_answer, move_answer, print},
};
use crate::players::{
    Begun, Finished, GameInfo, MoveLimit, PlayerCommand, PlayerEvent, Purpose, ThinkRequest,
    search_thread::SearchTask,
};
use crate::usi::command::{Go, Times};
use kyomi_engine::search::{SearchInfo, SearchOptions, SearchResult};
use kyomi_shogi::clock::{Clocks, Controls, DelayEstimator, TimeControl};
use kyomi_shogi::{Game, Outcome};

impl Shell {
    // ---- rooms ----

    /// Joins the room of the options, if it is another one than before.
    pub(super) fn join_room(&mut self) -> Vec<Action> {
        // Threads and table need not be the same on all machines.
        let search = SearchOptions { threads: 0, hash_bytes: 0, ..self.settings.search() };
        let requested = self.settings.workers.cluster().map(|cluster| (cluster, search));
        if requested == self.distributed.room {
            return Vec::new();
        }
        let mut actions = Vec::new();
        if self.distributed.current.is_some() {
            actions = self.drop_search();
        }
        if self.distributed.is_joined {
            self.distributed.is_joined = false;
            actions.push(Action::Leave);
        }
        if let Some((cluster, search)) = requested.clone() {
            self.distributed.joins += 1;
            let number = self.distributed.joins;
            actions.push(Action::Join(Box::new(JoinRequest { number, cluster, search })));
        }
        self.distributed.room = requested;
        actions
    }

    pub(super) fn room_joined(&mut self, joined: Result<String, String>) -> Vec<Action> {
        self.distributed.is_joined = joined.is_ok();
        self.distributed.rules = None;
        self.distributed.workers = 0;
        let text = joined.unwrap_or_else(|error| format!("{error}; playing without workers"));
        vec![print(format!("info string {}", clip_long(&text)))]
    }

    /// Continues the search without workers. The end of an earlier room's coordinator is ignored.
    pub(super) fn coordinator_ended(&mut self, join: u64) -> Vec<Action> {
        if join != self.distributed.joins || !std::mem::take(&mut self.distributed.is_joined) {
            return Vec::new();
        }
        let mut actions =
            vec![Action::Leave, print("info string playing without workers from now on")];
        if let Some(search) = self.distributed.current.take() {
            self.thinker.discard_search();
            let limits = self.thinker.limits(&search.request);
            let DistributedSearch { purpose, request, .. } = search;
            match self.thinker.begin(request.game, purpose, limits, self.options.clone()) {
                Begun::Answered(answer) => {
                    self.unanswered = None;
                    actions.extend(answer_lines(&answer));
                }
                Begun::Search(job) => actions.push(Action::Task(SearchTask::Search(job))),
            }
            if self.is_stopped() {
                self.thinker.stop();
            }
        }
        actions
    }

    /// Frees the workers for others.
    pub(super) fn release_workers(&mut self) -> Option<Action> {
        self.distributed.rules = None;
        self.distributed.is_joined.then(|| command(PlayerCommand::GameOver(Outcome::None)))
    }

    // ---- the engine as the owner of a player ----

    /// The request for a `go` that can be distributed: it has clocks or one limit, not both, and any move may be
    /// played.
    pub(super) fn distributed_request(
        &self,
        now: Instant,
        go: &Go,
        game: &Game,
    ) -> Option<ThinkRequest> {
        let limits = [
            go.movetime.map(MoveLimit::Time),
            go.nodes.map(MoveLimit::Nodes),
            go.depth.map(MoveLimit::Depth),
        ];
        let mut limits = limits.into_iter().flatten();
        let limit = limits.next();
        let has_one_limit = limit.is_some() != go.times.any() && limits.next().is_none();
        let is_special = go.infinite || !go.moves.is_empty() || self.settings.lines != 1;
        if !self.distributed.is_joined
            || is_special
            || !has_one_limit
            || go.ponder && limit.is_some()
        {
            return None;
        }
        Some(self.request(now, game, go.times, limit))
    }

    fn request(
        &self,
        now: Instant,
        game: &Game,
        times: Times,
        limit: Option<MoveLimit>,
    ) -> ThinkRequest {
        let clocks = self.clocks(game, times);
        let is_out_of_time = clocks.as_ref().is_some_and(super::is_out_of_time);
        let at_once = is_out_of_time.then_some(MoveLimit::Time(Duration::ZERO));
        let clocks = clocks.unwrap_or_else(|| {
            let network = DelayEstimator::new(self.settings.delay_policy());
            let controls = Controls::both(TimeControl::UNLIMITED);
            let turn = game.position().side_to_move();
            Clocks::new(controls, Duration::ZERO, Duration::ZERO, turn, network)
        });
        let id = self.distributed.requests + 1;
        ThinkRequest { id, game: game.clone(), clocks, turn_started: now, limit: limit.or(at_once) }
    }

    pub(super) fn start_distributed_search(
        &mut self,
        now: Instant,
        purpose: Purpose,
        request: ThinkRequest,
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        let rules = self.settings.rules();
        if self.distributed.rules.replace(rules) != Some(rules) {
            actions.push(command(PlayerCommand::NewGame(GameInfo {
                color: request.game.position().side_to_move(),
                entering_king: rules.entering_king,
                max_moves: rules.max_moves,
            })));
        }
        self.pace = InfoPace::default();
        self.distributed.requests = request.id;
        self.distributed.current = Some(DistributedSearch {
            purpose,
            first: request.id,
            player_request: request.id,
            began: now,
            request: request.clone(),
        });
        actions.push(command(match purpose {
            Purpose::Ponder => PlayerCommand::Ponder(request),
            Purpose::Move | Purpose::Analysis => PlayerCommand::Think(request),
        }));
        actions
    }

    pub(super) fn distributed_ponder_hit(&mut self, now: Instant, times: Times) -> Vec<Action> {
        let Some(search) = &self.distributed.current else { return Vec::new() };
        if search.purpose != Purpose::Ponder {
            return Vec::new();
        }
        let request = self.request(now, &search.request.game, times, None);
        self.distributed.requests = request.id;
        if let Some(search) = &mut self.distributed.current {
            search.purpose = Purpose::Move;
            search.request = request.clone();
        }
        vec![command(PlayerCommand::Think(request))]
    }

    /// Stops the distributed search without an answer.
    pub(super) fn cancel_distributed_search(&mut self) -> Vec<Action> {
        let is_running = self.distributed.current.take().is_some();
        is_running.then(|| command(PlayerCommand::Stop)).into_iter().collect()
    }

    /// Handles an event of the running search.
    pub(super) fn coordinator_event(&mut self, now: Instant, event: PlayerEvent) -> Vec<Action> {
        if let PlayerEvent::Warning(text) = &event {
            return vec![print(format!("info string {}", clip_long(text)))];
        }
        let Some(search) = &self.distributed.current else { return Vec::new() };
        match event {
            PlayerEvent::Info { id, info } if (search.first..=search.request.id).contains(&id) => {
                self.distributed_info(now, &info)
            }
            PlayerEvent::Answer { id, answer } if id == search.request.id => {
                let began = search.began;
                self.distributed.current = None;
                self.unanswered = None;
                self.thinker.discard_search();
                distributed_answer(&answer, now.saturating_duration_since(began))
            }
            _ => Vec::new(),
        }
    }

    fn distributed_info(&mut self, now: Instant, info: &SearchInfo) -> Vec<Action> {
        let mut actions = self.written_info(now, info);
        if actions.is_empty() {
            return actions;
        }
        if self.distributed.workers != info.workers {
            self.distributed.workers = info.workers;
            actions.push(print(format!("info string workers {}", info.workers)));
        }
        actions
    }

    // ---- the engine as the player of the coordinator ----

    /// Handles a command of the coordinator to its player. Commands for a search that the host has dropped are ignored.
    pub(super) fn coordinator_command(&mut self, command: PlayerCommand) -> Vec<Action> {
        let Some(search) = &self.distributed.current else { return Vec::new() };
        let is_older = |id: u64| id < search.request.id;
        match command {
            PlayerCommand::ShareEntries { first_thread, entries } => {
                self.shared.give(first_thread, entries);
                let offered = self.shared.take_offered();
                if offered.is_empty() {
                    return Vec::new();
                }
                vec![Action::ReportToCoordinator(PlayerEvent::Entries(offered))]
            }
            PlayerCommand::Think(request) if !is_older(request.id) => {
                self.think(Purpose::Move, request)
            }
            PlayerCommand::Ponder(request) if !is_older(request.id) => {
                self.think(Purpose::Ponder, request)
            }
            PlayerCommand::Stop => {
                self.thinker.discard_search();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn think(&mut self, purpose: Purpose, request: ThinkRequest) -> Vec<Action> {
        let Some(search) = &mut self.distributed.current else { return Vec::new() };
        search.player_request = request.id;
        let limits = self.thinker.limits(&request);
        let is_hit = purpose == Purpose::Move
            && self.thinker.pondered().is_some_and(|game| game.is_same_as(&request.game))
            && self.thinker.without_search(&request.game).is_none();
        let mut actions = Vec::new();
        if is_hit {
            self.thinker.ponder_hit(limits.time);
        } else {
            match self.thinker.begin(request.game, purpose, limits, self.options.clone()) {
                Begun::Answered(answer) => {
                    return vec![Action::ReportToCoordinator(PlayerEvent::Answer {
                        id: request.id,
                        answer,
                    })];
                }
                Begun::Search(job) => actions.push(Action::Task(SearchTask::Search(job))),
            }
        }
        if self.is_stopped() {
            self.thinker.stop();
        }
        actions
    }

    pub(super) fn report_info(&self, info: Box<SearchInfo>) -> Vec<Action> {
        let request = self.distributed.current.as_ref().map(|search| search.player_request);
        request
            .map(|id| Action::ReportToCoordinator(PlayerEvent::Info { id, info }))
            .into_iter()
            .collect()
    }

    /// Reports the end of the local search. The coordinator then chooses the move, unless the host has stopped
    /// pondering.
    pub(super) fn report_answer(
        &mut self,
        finished: Finished,
        result: &SearchResult,
    ) -> Vec<Action> {
        let Some(search) = &self.distributed.current else { return Vec::new() };
        if finished.purpose == Purpose::Move {
            let (id, answer) = (search.player_request, finished.answer);
            return vec![Action::ReportToCoordinator(PlayerEvent::Answer { id, answer })];
        }
        self.unanswered = None;
        let mut actions = move_answer(&finished, result);
        actions.extend(self.cancel_distributed_search());
        actions
    }
}

fn command(command: PlayerCommand) -> Action {
    Action::CommandCoordinator(Box::new(command))
}
