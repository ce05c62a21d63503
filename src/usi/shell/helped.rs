//! Searches that workers help. The coordinator is asked for a move; it asks its player, which is this engine, and answers.

use std::time::{Duration, Instant};

use super::{
    Action, HelpedSearch, InfoPace, Joining, Shell, answer_lines, best_move, clip_long, info_line,
    info_lines, is_out_of_time, move_answer, say,
};
use crate::{
    clock::{Clocks, Controls, DelayEstimator, TimeControl},
    engine::{
        Answer, Begun, Finished, GameInfo, MoveLimit, PlayerCommand, PlayerEvent, Purpose,
        ThinkRequest, search_thread::SearchTask,
    },
    search::{SearchInfo, SearchOptions, SearchResult},
    shogi::{Game, Outcome},
    usi::command::{Go, Times},
};

impl Shell {
    // ---- rooms ----

    /// Joins the room of the options, if it is another one than before.
    pub(super) fn join_room(&mut self) -> Vec<Action> {
        // Threads and table are our own affair.
        let search = SearchOptions { threads: 0, hash_bytes: 0, ..self.settings.search() };
        let wanted = self.settings.workers.wanted().map(|cluster| (cluster, search));
        if wanted == self.help.room {
            return Vec::new();
        }
        let mut actions = self.end_help();
        if self.help.is_joined {
            self.help.is_joined = false;
            actions.push(Action::Leave);
        }
        if let Some((cluster, search)) = wanted.clone() {
            self.help.joins += 1;
            let number = self.help.joins;
            actions.push(Action::Join(Box::new(Joining { number, cluster, search })));
        }
        self.help.room = wanted;
        actions
    }

    pub(super) fn joined(&mut self, joined: Result<String, String>) -> Vec<Action> {
        self.help.is_joined = joined.is_ok();
        self.help.rules = None;
        self.help.workers = 0;
        let text = joined.unwrap_or_else(|error| format!("{error}; playing without workers"));
        vec![say(format!("info string {}", clip_long(&text)))]
    }

    /// The coordinator has ended: the search goes on alone. One of an earlier room changes nothing.
    pub(super) fn left(&mut self, join: u64) -> Vec<Action> {
        if join != self.help.joins || !std::mem::take(&mut self.help.is_joined) {
            return Vec::new();
        }
        let mut actions =
            vec![Action::Leave, say("info string playing without workers from now on")];
        if let Some(search) = self.help.current.take() {
            self.thinker.drop_search();
            let limits = self.thinker.limits(&search.request);
            let HelpedSearch { purpose, request, is_stopped, .. } = search;
            match self.thinker.begin(request.game, purpose, limits, self.options.clone()) {
                Begun::Answered(answer) => actions.extend(answer_lines(&answer)),
                Begun::Search(job) => actions.push(Action::Task(SearchTask::Search(job))),
            }
            if is_stopped {
                self.thinker.stop();
            }
        }
        actions
    }

    /// The workers may work for others.
    pub(super) fn release_workers(&mut self) -> Option<Action> {
        self.help.rules = None;
        self.help.is_joined.then(|| ask(PlayerCommand::GameOver(Outcome::None)))
    }

    // ---- the engine as the owner of a player ----

    /// The request for a `go` that workers can help: with clocks or with one limit, and any move may be played.
    pub(super) fn helped_request(
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
        let is_one = limit.is_some() != go.times.any() && limits.next().is_none();
        let is_other = go.infinite || !go.moves.is_empty() || self.settings.lines != 1;
        if !self.help.is_joined || is_other || !is_one || go.ponder && limit.is_some() {
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
        let is_out = clocks.as_ref().is_some_and(is_out_of_time);
        let at_once = is_out.then_some(MoveLimit::Time(Duration::ZERO));
        let clocks = clocks.unwrap_or_else(|| {
            let network = DelayEstimator::new(self.settings.delay_policy());
            let controls = Controls::both(TimeControl::UNLIMITED);
            let turn = game.position().side_to_move();
            Clocks::new(controls, Duration::ZERO, Duration::ZERO, turn, network)
        });
        let id = self.help.requests + 1;
        ThinkRequest { id, game: game.clone(), clocks, turn_started: now, limit: limit.or(at_once) }
    }

    pub(super) fn ask_for_help(
        &mut self,
        now: Instant,
        purpose: Purpose,
        request: ThinkRequest,
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        let rules = self.settings.rules();
        if self.help.rules.replace(rules) != Some(rules) {
            actions.push(ask(PlayerCommand::NewGame(GameInfo {
                color: request.game.position().side_to_move(),
                declaration: rules.declaration,
                max_moves: rules.max_moves,
            })));
        }
        self.pace = InfoPace::default();
        self.help.requests = request.id;
        self.help.current = Some(HelpedSearch {
            purpose,
            first: request.id,
            asked: request.id,
            began: now,
            is_stopped: false,
            request: request.clone(),
        });
        actions.push(ask(match purpose {
            Purpose::Ponder => PlayerCommand::Ponder(request),
            Purpose::Move | Purpose::Analysis => PlayerCommand::Think(request),
        }));
        actions
    }

    pub(super) fn helped_ponder_hit(&mut self, now: Instant, times: Times) -> Vec<Action> {
        let Some(search) = &self.help.current else { return Vec::new() };
        if search.purpose != Purpose::Ponder {
            return Vec::new();
        }
        let request = self.request(now, &search.request.game, times, None);
        self.help.requests = request.id;
        if let Some(search) = &mut self.help.current {
            search.purpose = Purpose::Move;
            search.request = request.clone();
        }
        vec![ask(PlayerCommand::Think(request))]
    }

    /// Drops the search that workers help, without an answer.
    pub(super) fn end_help(&mut self) -> Vec<Action> {
        let is_running = self.help.current.take().is_some();
        is_running.then(|| ask(PlayerCommand::Stop)).into_iter().collect()
    }

    /// What the coordinator says of the running search.
    pub(super) fn helped(&mut self, now: Instant, event: PlayerEvent) -> Vec<Action> {
        if let PlayerEvent::Warning(text) = &event {
            return vec![say(format!("info string {}", clip_long(text)))];
        }
        let Some(search) = &self.help.current else { return Vec::new() };
        match event {
            PlayerEvent::Info { id, info } if (search.first..=search.request.id).contains(&id) => {
                self.helped_info(now, &info)
            }
            PlayerEvent::Answer { id, answer } if id == search.request.id => {
                let began = search.began;
                self.help.current = None;
                self.thinker.drop_search();
                helped_answer(&answer, now.saturating_duration_since(began))
            }
            _ => Vec::new(),
        }
    }

    fn helped_info(&mut self, now: Instant, info: &SearchInfo) -> Vec<Action> {
        if !self.pace.allows(now, self.settings.pv_interval, info) {
            return Vec::new();
        }
        let mut actions = info_lines(info);
        if self.help.workers != info.workers {
            self.help.workers = info.workers;
            actions.push(say(format!("info string workers {}", info.workers)));
        }
        actions
    }

    // ---- the engine as the player of the coordinator ----

    /// What the coordinator asks of its player. Words about a search that the host has dropped come too late.
    pub(super) fn asked(&mut self, command: PlayerCommand) -> Vec<Action> {
        let Some(search) = &self.help.current else { return Vec::new() };
        let is_older = |id: u64| id < search.request.id;
        match command {
            PlayerCommand::ShareEntries { machine, entries } => {
                self.shared.give(machine, entries);
                let offered = self.shared.take_offered();
                let has_some = !offered.is_empty();
                has_some.then(|| Action::Tell(PlayerEvent::Entries(offered))).into_iter().collect()
            }
            PlayerCommand::Think(request) if !is_older(request.id) => {
                self.think(Purpose::Move, request)
            }
            PlayerCommand::Ponder(request) if !is_older(request.id) => {
                self.think(Purpose::Ponder, request)
            }
            PlayerCommand::Stop => {
                self.thinker.drop_search();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn think(&mut self, purpose: Purpose, request: ThinkRequest) -> Vec<Action> {
        let Some(search) = &mut self.help.current else { return Vec::new() };
        search.asked = request.id;
        let is_stopped = search.is_stopped;
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
                    return vec![Action::Tell(PlayerEvent::Answer { id: request.id, answer })];
                }
                Begun::Search(job) => actions.push(Action::Task(SearchTask::Search(job))),
            }
        }
        if is_stopped {
            self.thinker.stop();
        }
        actions
    }

    pub(super) fn tell_info(&self, info: Box<SearchInfo>) -> Vec<Action> {
        let asked = self.help.current.as_ref().map(|search| search.asked);
        asked.map(|id| Action::Tell(PlayerEvent::Info { id, info })).into_iter().collect()
    }

    /// The end of our own search: the coordinator chooses the move, except that the host has stopped pondering.
    pub(super) fn tell_answer(&mut self, finished: Finished, result: &SearchResult) -> Vec<Action> {
        let Some(search) = &self.help.current else { return Vec::new() };
        if finished.purpose == Purpose::Move {
            let (id, answer) = (search.asked, finished.answer);
            return vec![Action::Tell(PlayerEvent::Answer { id, answer })];
        }
        let mut actions = move_answer(&finished, result);
        actions.extend(self.end_help());
        actions
    }
}

fn ask(command: PlayerCommand) -> Action {
    Action::Ask(Box::new(command))
}

/// The last `info` and the answer of a search that took `time`.
fn helped_answer(answer: &Answer, time: Duration) -> Vec<Action> {
    let (Some(depth), Some(nodes)) = (answer.depth, answer.nodes) else {
        return answer_lines(answer);
    };
    let info = SearchInfo {
        depth,
        score: answer.score,
        nodes,
        nps: (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64,
        time,
        pv: answer.pv.clone(),
        ..SearchInfo::default()
    };
    let last = (!answer.pv.is_empty()).then(|| say(info_line(&info)));
    last.into_iter().chain([say(best_move(answer))]).collect()
}
