//! The built-in engine as a player.
//!
//! A task handles commands immediately and drives a [`Thinker`]; a thread runs the searches. The task keeps track of
//! the current request: the reports of a search that was stopped are dropped.

use std::{
    path::Path,
    sync::{Arc, mpsc as std_mpsc},
    thread,
};

use tokio::sync::mpsc;

use crate::{
    clock::TimeOptions,
    config::{EngineOption, nearest_word},
    eval::network::Network,
    search::{
        GameRules, PARAMETERS, PRESET, Pace, ParameterError, Parameters, SearchLimits,
        SearchOptions, SharedEntries, SharedEntry,
    },
};

use super::{
    Answer, Begun, BookOptions, Choice, EngineError, EventSender, Finished, GameInfo,
    PlayerCommand, PlayerEvent, PlayerHandle, Purpose, ResignRule, ThinkRequest, Thinker,
    book::OpeningBook,
    pair,
    search_thread::{self, Readiness, SearchReport, SearchTask},
    time_options::set_time_option,
};

/// The settings of the built-in engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltinSpec {
    /// Search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
    /// When to resign.
    pub resign: ResignRule,
    /// `[engine.options]`, by their USI names: parameters of the search, options of the book and of the time. Unknown
    /// options cause a warning.
    pub options: Vec<EngineOption>,
    /// The opening book; options of the book among `options` are set on top.
    pub book: BookOptions,
    /// The network of the option `EvalFile` if it has been read, so that all players of a match have the same.
    pub preloaded_network: Option<Arc<Network>>,
}

impl BuiltinSpec {
    /// The search parameters, and the errors of unknown options and wrong values. `Preset` is applied first, at any
    /// position among the options.
    pub fn parameters(&self) -> (Parameters, Vec<ParameterError>) {
        let mut time_options = TimeOptions::default();
        let search = self.options.iter().filter(|option| {
            !BookOptions::has(&option.name)
                && !is_eval_file(option)
                && set_time_option(&mut time_options, &option.name, &option.value).is_none()
        });
        let (presets, others): (Vec<_>, Vec<_>) =
            search.partition(|option| option.name.eq_ignore_ascii_case(PRESET));
        let mut parameters = Parameters::default();
        let set = |option: &EngineOption| parameters.set(&option.name, &option.value).err();
        let errors = presets.into_iter().chain(others).filter_map(set).collect();
        (parameters, errors)
    }

    /// The file of the option `EvalFile`, if one is given. The last such option counts.
    pub fn eval_file(&self) -> Option<&Path> {
        let option = self.options.iter().rfind(|option| is_eval_file(option))?;
        let value = option.value.trim();
        (!value.is_empty() && value != NO_FILE).then(|| Path::new(value))
    }

    /// The network of the option `EvalFile`, and the fault of its file. Without a usable file it is the built-in one.
    pub fn network(&self) -> (Arc<Network>, Option<String>) {
        if let Some(network) = &self.preloaded_network {
            return (Arc::clone(network), None);
        }
        match self.eval_file().map(|file| (file, Network::read(file))) {
            None => (Network::builtin(), None),
            Some((_, Ok(network))) => (Arc::new(network), None),
            Some((file, Err(error))) => {
                let file = file.display();
                let fault = format!("engine option EvalFile: the file {file} {error}");
                (Network::builtin(), Some(fault))
            }
        }
    }

    /// Reads the network of the option `EvalFile` now. Players that are started later use it, even if the file changes.
    /// An unusable file is reported at each start.
    pub fn preload_network(&mut self) {
        if self.eval_file().is_some()
            && let (network, None) = self.network()
        {
            self.preloaded_network = Some(network);
        }
    }

    /// The [checksum](SearchOptions::checksum) of its search.
    pub fn search_checksum(&self) -> u32 {
        let (parameters, network) = (Arc::new(self.parameters().0), self.network().0);
        SearchOptions { parameters, network, ..SearchOptions::default() }.checksum()
    }

    /// The opening book, and the faults of its options.
    fn opening_book(&self) -> (Option<OpeningBook>, Vec<String>) {
        let mut options = self.book.clone();
        let set = |option: &EngineOption| options.set(&option.name, &option.value)?.err();
        let mut faults: Vec<String> = self.options.iter().filter_map(set).collect();
        let book = match options.spec().map(|spec| (OpeningBook::open(&spec), spec)) {
            None => None,
            Some((Ok((book, skipped)), spec)) => {
                if let Some(text) = skipped.summary() {
                    tracing::warn!("{}: {text}", spec.source);
                }
                Some(book)
            }
            Some((Err(error), _)) => {
                faults.push(format!("{error}; playing without it"));
                None
            }
        };
        (book, faults)
    }

    /// The options for the time of a move, and the faults of invalid values.
    pub fn time_options(&self) -> (TimeOptions, Vec<String>) {
        let mut time_options = TimeOptions::default();
        let set = |option: &EngineOption| {
            set_time_option(&mut time_options, &option.name, &option.value)?.err()
        };
        let faults = self.options.iter().filter_map(set).collect();
        (time_options, faults)
    }

    /// The faults of all options, as messages.
    pub fn option_faults(&self) -> Vec<String> {
        let parameters = self.parameters().1.into_iter().map(|error| option_fault(&error));
        let others = self.opening_book().1.into_iter().chain(self.time_options().1);
        parameters.chain(others).chain(self.network().1).collect()
    }
}

fn option_fault(error: &ParameterError) -> String {
    match error {
        ParameterError::Unknown(name) => {
            let names = PARAMETERS.iter().map(|parameter| parameter.name);
            let hint = match nearest_word(name, names) {
                Some(near) => format!("did you mean {near}?"),
                None => "see the keys of [engine] and [budget], and `kyomi usi`".to_owned(),
            };
            format!("the built-in engine has no option {name}; {hint}")
        }
        ParameterError::Value { .. } => format!("engine option {error}"),
    }
}

fn is_eval_file(option: &EngineOption) -> bool {
    option.name.eq_ignore_ascii_case("EvalFile")
}

/// The value of `EvalFile` that means no file, besides an empty one.
const NO_FILE: &str = "<empty>";

/// Starts the player. Call it inside a tokio runtime.
pub(super) fn start(spec: &BuiltinSpec) -> PlayerHandle {
    start_paced(spec, None)
}

/// Starts the player; it searches at a set speed if `pace` is given. Call it inside a tokio runtime.
pub fn start_paced(spec: &BuiltinSpec, pace: Option<Arc<Pace>>) -> PlayerHandle {
    let (handle, port) = pair();
    let (tasks, task_receiver) = std_mpsc::channel();
    let (reports, report_receiver) = mpsc::unbounded_channel();
    let thread_pace = pace.clone();
    let shared = Arc::new(SharedEntries::default());
    let thread_shared = Arc::clone(&shared);
    let spawned = thread::Builder::new().name("builtin".to_owned()).spawn(move || {
        // If a send fails, the receiver is gone, and the loop ends soon.
        let report = |report| drop(reports.send(report));
        let shared = Some(&thread_shared);
        search_thread::run(&task_receiver, report, thread_pace.as_ref(), shared);
    });
    match spawned {
        Ok(_) => {
            let player = Player::new(spec, tasks, port.events, (pace, shared));
            tokio::spawn(player.run(port.commands, report_receiver));
        }
        Err(error) => port.events.send(PlayerEvent::Failed(builtin_error(&error.to_string()))),
    }
    handle
}

fn builtin_error(reason: &str) -> EngineError {
    EngineError::Builtin { reason: reason.to_owned() }
}

/// The state of the player's task.
struct Player {
    tasks: std_mpsc::Sender<SearchTask>,
    events: EventSender,
    options: SearchOptions,
    thinker: Thinker,
    /// The id of the request of the running search.
    request: u64,
    warnings: Vec<String>,
    pace: Option<Arc<Pace>>,
    shared: Arc<SharedEntries>,
}

impl Player {
    fn new(
        spec: &BuiltinSpec,
        tasks: std_mpsc::Sender<SearchTask>,
        events: EventSender,
        (pace, shared): (Option<Arc<Pace>>, Arc<SharedEntries>),
    ) -> Self {
        let (book, faults) = spec.opening_book();
        let (time_options, time_faults) = spec.time_options();
        let (network, network_fault) = spec.network();
        let parameters = spec.parameters().1.into_iter().map(|error| option_fault(&error));
        let faults = faults.into_iter().chain(time_faults).chain(network_fault);
        let warnings = parameters.chain(faults).collect();
        let mut thinker = Thinker::new(spec.resign);
        thinker.set_time_options(time_options);
        thinker.set_book(book);
        let options = SearchOptions {
            threads: spec.threads,
            hash_bytes: spec.hash_bytes,
            parameters: spec.parameters().0.into(),
            network,
        };
        Self { tasks, events, options, thinker, request: 0, warnings, pace, shared }
    }

    async fn run(
        mut self,
        mut commands: mpsc::UnboundedReceiver<PlayerCommand>,
        mut reports: mpsc::UnboundedReceiver<SearchReport>,
    ) {
        self.send_task(SearchTask::Prepare(self.options.clone()));
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    None | Some(PlayerCommand::Quit) => break,
                    Some(command) => self.handle_command(command),
                },
                report = reports.recv() => match report {
                    None => {
                        self.fail("its thread ended");
                        break;
                    }
                    Some(SearchReport::Ready(Readiness::NoSearcher(reason))) => {
                        self.fail(&reason);
                        break;
                    }
                    Some(report) => self.handle_report(report),
                },
            }
        }
        self.thinker.discard_search();
    }

    fn handle_command(&mut self, command: PlayerCommand) {
        if let PlayerCommand::ShareEntries { first_thread, entries } = command {
            return self.share(first_thread, entries);
        }
        if let Some(pace) = &self.pace {
            pace.release();
        }
        self.execute(command);
        if let Some(pace) = &self.pace {
            pace.wait();
        }
    }

    fn execute(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => self.new_game(&info),
            PlayerCommand::Think(request) => self.think(request),
            PlayerCommand::Ponder(request) => self.ponder(request),
            PlayerCommand::Stop | PlayerCommand::GameOver(_) | PlayerCommand::Quit => {
                self.thinker.discard_search();
            }
            PlayerCommand::ShareEntries { first_thread, entries } => {
                self.share(first_thread, entries);
            }
        }
    }

    /// Exchanges entries with other machines. The search goes on meanwhile.
    fn share(&self, first_thread: u32, entries: Vec<SharedEntry>) {
        self.shared.give(first_thread, entries);
        let offered = self.shared.take_offered();
        if !offered.is_empty() {
            self.events.send(PlayerEvent::Entries(offered));
        }
    }

    fn new_game(&mut self, info: &GameInfo) {
        self.thinker.new_game();
        self.thinker.set_rules(GameRules {
            declaration: info.declaration,
            max_moves: info.max_moves.filter(|&moves| moves > 0),
        });
        self.send_task(SearchTask::NewGame);
    }

    fn think(&mut self, request: ThinkRequest) {
        let limits = self.thinker.limits(&request);
        if self.thinker.pondered().is_some_and(|game| game.is_same_as(&request.game))
            && self.thinker.without_search(&request.game).is_none()
        {
            self.request = request.id;
            return self.thinker.ponder_hit(limits.time);
        }
        self.begin(request, Purpose::Move, limits);
    }

    fn ponder(&mut self, request: ThinkRequest) {
        if self.thinker.without_search(&request.game).is_some() {
            // The answer needs no search.
            return self.thinker.discard_search();
        }
        let limits = self.thinker.limits(&request);
        self.begin(request, Purpose::Ponder, limits);
    }

    fn begin(&mut self, request: ThinkRequest, purpose: Purpose, limits: SearchLimits) {
        match self.thinker.begin(request.game, purpose, limits, self.options.clone()) {
            Begun::Answered(answer) => {
                self.events.send(PlayerEvent::Answer { id: request.id, answer });
            }
            Begun::Search(job) => {
                self.request = request.id;
                self.send_task(SearchTask::Search(job));
            }
        }
    }

    /// Sends a task to the search thread. If the thread has ended, the channel of its reports reports that.
    fn send_task(&self, task: SearchTask) {
        if let Some(pace) = &self.pace {
            pace.task_sent();
        }
        let _ = self.tasks.send(task);
    }

    fn handle_report(&mut self, report: SearchReport) {
        match report {
            SearchReport::Ready(readiness) => {
                if let Readiness::Reduced(text) = readiness {
                    self.warnings.push(format!("the built-in engine: {text}"));
                }
                for warning in self.warnings.drain(..) {
                    self.events.send(PlayerEvent::Warning(warning));
                }
                self.events.send(PlayerEvent::Ready { name: "kyomi".to_owned() });
            }
            SearchReport::Cleared => self.events.send(PlayerEvent::Prepared),
            SearchReport::Info(number, info) => {
                if self.thinker.is_current(number) {
                    self.events.send(PlayerEvent::Info { id: self.request, info });
                }
            }
            SearchReport::Done(number, result) => {
                if let Some(Finished { purpose: Purpose::Move, answer, .. }) =
                    self.thinker.finish(number, &result)
                {
                    self.events.send(PlayerEvent::Answer { id: self.request, answer });
                }
            }
            // This player requests no mate searches.
            SearchReport::Mate(..) => {}
        }
    }

    /// Handles the failure of the search thread.
    fn fail(&mut self, reason: &str) {
        if self.thinker.is_searching() && self.thinker.pondered().is_none() {
            let answer = Answer::plain(Choice::Resign);
            self.events.send(PlayerEvent::Answer { id: self.request, answer });
        }
        self.thinker.discard_search();
        self.events.send(PlayerEvent::Failed(builtin_error(reason)));
    }
}

#[cfg(test)]
mod tests;
