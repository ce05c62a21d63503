//! The built-in engine as a player.
//!
//! A task answers commands at once; a plain thread owns the [`Searcher`] and works on one search after another. The
//! task alone knows which request is meant: what comes back from a search that was stopped is dropped.

use std::{sync::mpsc as std_mpsc, thread};

use tokio::sync::mpsc;

use crate::{
    clock::{self, Budget, BudgetInput},
    config::EngineOption,
    search::{
        GameRules, PRESET, ParameterError, Parameters, SearchInfo, SearchLimits, SearchOptions,
        SearchResult, Searcher, StopFlag, TimeLimit,
    },
    shogi::Game,
};

use super::{
    Answer, Choice, EngineError, EventSender, GameInfo, MoveLimit, PlayerCommand, PlayerEvent,
    PlayerHandle, ResignRule, ThinkRequest, pair,
};

/// What the built-in engine is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltinSpec {
    /// Search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table.
    pub hash_bytes: u64,
    /// When to give up.
    pub resign: ResignRule,
    /// `[engine.options]`, by their USI names: switches and numbers of the search. What it does not know is warned
    /// about.
    pub options: Vec<EngineOption>,
}

impl BuiltinSpec {
    /// The parameters of the search, and what of the options is none or takes another value. `Preset` sets all of
    /// them, wherever it stands among the others.
    pub fn parameters(&self) -> (Parameters, Vec<ParameterError>) {
        let (presets, others): (Vec<_>, Vec<_>) =
            self.options.iter().partition(|option| option.name.eq_ignore_ascii_case(PRESET));
        let mut parameters = Parameters::default();
        let set = |option: &EngineOption| parameters.set(&option.name, &option.value).err();
        let errors = presets.into_iter().chain(others).filter_map(set).collect();
        (parameters, errors)
    }
}

/// Starts the search threads; inside a tokio runtime.
pub(super) fn start(spec: &BuiltinSpec) -> PlayerHandle {
    let (handle, port) = pair();
    let (tasks, task_receiver) = std_mpsc::channel();
    let (reports, report_receiver) = mpsc::unbounded_channel();
    let (parameters, _) = spec.parameters();
    let options = SearchOptions {
        threads: spec.threads,
        hash_bytes: spec.hash_bytes,
        parameters: parameters.into(),
    };
    let spawned = thread::Builder::new()
        .name("builtin".to_owned())
        .spawn(move || work(options, &task_receiver, &reports));
    match spawned {
        Ok(_) => {
            let player = Player::new(spec, tasks, port.events);
            tokio::spawn(player.run(port.commands, report_receiver));
        }
        Err(error) => port.events.send(PlayerEvent::Failed(broken(&error.to_string()))),
    }
    handle
}

fn broken(reason: &str) -> EngineError {
    EngineError::Builtin { reason: reason.to_owned() }
}

/// What the task asks of the thread.
enum Task {
    NewGame,
    Search(Box<Search>),
}

struct Search {
    number: u64,
    game: Game,
    limits: SearchLimits,
    stop: StopFlag,
}

/// What the thread tells the task.
enum Report {
    /// It can search.
    Ready,
    /// It cannot, ever.
    Failed(String),
    /// What it learnt in the game before is forgotten.
    Prepared,
    Info(u64, Box<SearchInfo>),
    Done(u64, Box<SearchResult>),
}

/// The thread: one search after another until the task is gone.
fn work(
    options: SearchOptions,
    tasks: &std_mpsc::Receiver<Task>,
    reports: &mpsc::UnboundedSender<Report>,
) {
    // Nobody listens any more when a send fails; the loop ends soon by itself.
    let tell = |report: Report| drop(reports.send(report));
    let mut searcher = match Searcher::new(options) {
        Ok(searcher) => searcher,
        Err(error) => return tell(Report::Failed(error.to_string())),
    };
    tell(Report::Ready);
    while let Ok(task) = tasks.recv() {
        match task {
            Task::NewGame => {
                searcher.new_game();
                tell(Report::Prepared);
            }
            Task::Search(search) => {
                let Search { number, game, limits, stop } = *search;
                let result = searcher.search(&game, &limits, &stop, |info| {
                    tell(Report::Info(number, Box::new(info)));
                });
                tell(Report::Done(number, Box::new(result)));
            }
        }
    }
}

/// The task's state.
struct Player {
    tasks: std_mpsc::Sender<Task>,
    events: EventSender,
    resign: ResignRule,
    rules: GameRules,
    /// Moves in a row after which the score was hopeless.
    hopeless: u32,
    /// Number of the last search.
    searches: u64,
    current: Option<Current>,
    warnings: Vec<String>,
}

/// The search under way.
struct Current {
    number: u64,
    /// The request that its lines, and its answer, belong to.
    id: u64,
    stop: StopFlag,
    /// The game, while pondering.
    pondered: Option<Game>,
}

impl Player {
    fn new(spec: &BuiltinSpec, tasks: std_mpsc::Sender<Task>, events: EventSender) -> Self {
        let warn = |error: ParameterError| match error {
            ParameterError::Unknown(name) => {
                format!(
                    "the built-in engine has no option {name}; see the keys of [engine] and [budget], and \
                     `kyomi usi`"
                )
            }
            ParameterError::Value { .. } => format!("engine option {error}"),
        };
        let warnings = spec.parameters().1.into_iter().map(warn).collect();
        Self {
            tasks,
            events,
            resign: spec.resign,
            rules: GameRules::default(),
            hopeless: 0,
            searches: 0,
            current: None,
            warnings,
        }
    }

    async fn run(
        mut self,
        mut commands: mpsc::UnboundedReceiver<PlayerCommand>,
        mut reports: mpsc::UnboundedReceiver<Report>,
    ) {
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    None | Some(PlayerCommand::Quit) => break,
                    Some(command) => self.obey(command),
                },
                report = reports.recv() => match report {
                    None => {
                        self.break_down("its thread ended");
                        break;
                    }
                    Some(Report::Failed(reason)) => {
                        self.break_down(&reason);
                        break;
                    }
                    Some(report) => self.pass_on(report),
                },
            }
        }
        self.drop_search();
    }

    fn obey(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => self.new_game(&info),
            PlayerCommand::Think(request) => self.think(request),
            PlayerCommand::Ponder(request) => self.ponder(request),
            PlayerCommand::Stop | PlayerCommand::GameOver(_) | PlayerCommand::Quit => {
                self.drop_search();
            }
        }
    }

    fn new_game(&mut self, info: &GameInfo) {
        self.drop_search();
        self.hopeless = 0;
        self.rules = GameRules {
            declaration: info.declaration,
            max_moves: info.max_moves.filter(|&moves| moves > 0),
        };
        // A thread that is gone is reported by its channel.
        let _ = self.tasks.send(Task::NewGame);
    }

    fn think(&mut self, request: ThinkRequest) {
        let position = request.game.position();
        let at_once = if self.rules.declaration && position.can_declare() {
            Some(Choice::Declare)
        } else if !position.has_legal_move() {
            Some(Choice::Resign)
        } else {
            None
        };
        if let Some(choice) = at_once {
            self.drop_search();
            let answer = Answer::plain(choice);
            self.events.send(PlayerEvent::Answer { id: request.id, answer });
            return;
        }
        let limits = self.limits(&request, false);
        if let Some(current) = &mut self.current
            && let Some(pondered) = &current.pondered
            && is_same(pondered, &request.game)
        {
            current.id = request.id;
            current.pondered = None;
            current.stop.ponder_hit(limits.time);
            return;
        }
        self.search(request, limits);
    }

    fn ponder(&mut self, request: ThinkRequest) {
        let position = request.game.position();
        if !position.has_legal_move() || self.rules.declaration && position.can_declare() {
            // The answer will need no thought.
            return self.drop_search();
        }
        let limits = self.limits(&request, true);
        self.search(request, limits);
    }

    fn search(&mut self, request: ThinkRequest, limits: SearchLimits) {
        self.drop_search();
        self.searches += 1;
        let stop = StopFlag::new();
        self.current = Some(Current {
            number: self.searches,
            id: request.id,
            stop: stop.clone(),
            pondered: limits.hold.then(|| request.game.clone()),
        });
        let search = Search { number: self.searches, game: request.game, limits, stop };
        let _ = self.tasks.send(Task::Search(Box::new(search)));
    }

    fn limits(&self, request: &ThinkRequest, hold: bool) -> SearchLimits {
        let mut limits = SearchLimits { hold, rules: self.rules, ..SearchLimits::default() };
        let timed = |budget| Some(TimeLimit { started: request.turn_started, budget });
        match request.limit {
            None => limits.time = timed(self.budget(request)),
            Some(MoveLimit::Time(time)) => limits.time = timed(Budget::fixed(time)),
            Some(MoveLimit::Nodes(nodes)) => limits.nodes = Some(nodes),
            Some(MoveLimit::Depth(depth)) => limits.depth = Some(depth),
        }
        limits
    }

    fn budget(&self, request: &ThinkRequest) -> Budget {
        let ply = request.game.len() as u32 + 1;
        let forced = request.game.position().count_legal_moves() == 1;
        let input = BudgetInput::new(&request.clocks, ply, self.rules.max_moves).forced(forced);
        clock::budget::plan(&input)
    }

    fn pass_on(&mut self, report: Report) {
        match report {
            Report::Ready => {
                for warning in self.warnings.drain(..) {
                    self.events.send(PlayerEvent::Warning(warning));
                }
                self.events.send(PlayerEvent::Ready { name: "kyomi".to_owned() });
            }
            Report::Failed(_) => {}
            Report::Prepared => self.events.send(PlayerEvent::Prepared),
            Report::Info(number, info) => {
                if let Some(current) = &self.current
                    && current.number == number
                {
                    self.events.send(PlayerEvent::Info { id: current.id, info });
                }
            }
            Report::Done(number, result) => {
                if self.current.as_ref().is_some_and(|current| current.number == number)
                    && let Some(current) = self.current.take()
                    && current.pondered.is_none()
                {
                    let answer = self.answer(*result);
                    self.events.send(PlayerEvent::Answer { id: current.id, answer });
                }
            }
        }
    }

    fn answer(&mut self, result: SearchResult) -> Answer {
        if result.score.centipawns() <= self.resign.score {
            self.hopeless += 1;
        } else {
            self.hopeless = 0;
        }
        let gives_up = self.resign.moves > 0 && self.hopeless >= self.resign.moves;
        let choice = match result.best {
            Some(mv) if !gives_up => Choice::Move(mv),
            _ => Choice::Resign,
        };
        Answer {
            choice,
            score: Some(result.score),
            pv: result.pv,
            ponder: result.ponder,
            depth: Some(result.depth),
            nodes: Some(result.nodes),
        }
    }

    fn drop_search(&mut self) {
        if let Some(current) = self.current.take() {
            current.stop.stop();
        }
    }

    /// Nothing more comes from the thread.
    fn break_down(&mut self, reason: &str) {
        if let Some(current) = self.current.take()
            && current.pondered.is_none()
        {
            let answer = Answer::plain(Choice::Resign);
            self.events.send(PlayerEvent::Answer { id: current.id, answer });
        }
        self.events.send(PlayerEvent::Failed(broken(reason)));
    }
}

/// Whether two games are the same, position and moves.
fn is_same(one: &Game, other: &Game) -> bool {
    one.moves() == other.moves() && one.start() == other.start()
}

#[cfg(test)]
mod tests;
