//! The built-in engine as a player.
//!
//! A task handles commands immediately and drives a [`Thinker`]; a thread runs the searches. The task keeps track of
//! the current request: the reports of a search that was stopped are dropped.

use std::{
    sync::{Arc, mpsc as std_mpsc},
    thread,
};

use tokio::sync::mpsc;

use crate::players::EngineOption;
use kyomi_csa::text::nearest_word;
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::{
    GameRules, PARAMETERS, PRESET, Pace, ParameterError, Parameters, SearchLimits, SearchOptions,
    SharedEntries, SharedEntry,
};
use kyomi_record::book::OpeningBook;
use kyomi_shogi::clock::TimeOptions;

use super::{
    Answer, Begun, BookOptions, Choice, EngineError, EvalOptions, EventSender, Finished, GameInfo,
    PlayerCommand, PlayerEvent, PlayerHandle, Purpose, ResignRule, ThinkRequest, Thinker, pair,
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
    /// The evaluation; its options among `options` are set on top.
    pub eval: EvalOptions,
    /// The evaluation if its file has been read, so that all players of a match have the same.
    pub preloaded: Option<Evaluation>,
}

impl BuiltinSpec {
    /// The search parameters, and the errors of unknown options and wrong values. `Preset` is applied first, at any
    /// position among the options.
    pub fn parameters(&self) -> (Parameters, Vec<ParameterError>) {
        let mut time_options = TimeOptions::default();
        let search = self.options.iter().filter(|option| {
            !BookOptions::has(&option.name)
                && !EvalOptions::has(&option.name)
                && set_time_option(&mut time_options, &option.name, &option.value).is_none()
        });
        let (presets, others): (Vec<_>, Vec<_>) =
            search.partition(|option| option.name.eq_ignore_ascii_case(PRESET));
        let mut parameters = Parameters::default();
        let set = |option: &EngineOption| parameters.set(&option.name, &option.value).err();
        let errors = presets.into_iter().chain(others).filter_map(set).collect();
        (parameters, errors)
    }

    /// The options of the evaluation, and the faults of their values.
    fn eval_options(&self) -> (EvalOptions, Vec<String>) {
        let mut options = self.eval.clone();
        let set = |option: &EngineOption| options.set(&option.name, &option.value)?.err();
        let faults = self.options.iter().filter_map(set);
        let faults = faults.map(|fault| format!("engine option {fault}")).collect();
        (options, faults)
    }

    /// The evaluation, and the fault of its file. Without a usable file it is the built-in one.
    pub fn evaluation(&self) -> (Evaluation, Option<String>) {
        if let Some(evaluation) = &self.preloaded {
            return (evaluation.clone(), None);
        }
        match self.eval_options().0.load() {
            Ok(evaluation) => (evaluation, None),
            Err(fault) => (Evaluation::builtin(), Some(fault)),
        }
    }

    /// The same, or the first fault of the options of the evaluation.
    ///
    /// # Errors
    /// One line on the fault.
    pub fn faultless_evaluation(&self) -> Result<Evaluation, String> {
        let (evaluation, fault) = self.evaluation();
        match self.eval_options().1.into_iter().chain(fault).next() {
            Some(fault) => Err(fault),
            None => Ok(evaluation),
        }
    }

    /// The memory that the file of the evaluation takes in bytes; 0 for the built-in one, and if there is no file.
    pub fn evaluation_bytes(&self) -> u64 {
        self.eval_options().0.file_length().unwrap_or(0)
    }

    /// Whether a file of an evaluation is still to be read.
    fn needs_file(&self) -> bool {
        self.preloaded.is_none() && self.eval_options().0.is_named()
    }

    /// Reads the file of the evaluation now. Players that are started later use it, even if the file changes. An
    /// unusable file is reported at each start.
    pub fn preload_evaluation(&mut self) {
        if self.needs_file()
            && let (evaluation, None) = self.evaluation()
        {
            self.preloaded = Some(evaluation);
        }
    }

    /// The [checksum](SearchOptions::checksum) of its search.
    pub fn search_checksum(&self) -> u32 {
        let (parameters, evaluation) = (Arc::new(self.parameters().0), self.evaluation().0);
        SearchOptions { parameters, evaluation, ..SearchOptions::default() }.checksum()
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
        let eval = self.eval_options().1.into_iter().chain(self.evaluation().1);
        parameters.chain(others).chain(eval).collect()
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
            let spec = spec.clone();
            let (commands, events) = (port.commands, port.events);
            // Reading a file takes up to a second, in which the tasks of a running game must not wait.
            let needs_file = spec.needs_file();
            let new = move || Player::new(&spec, tasks, events, (pace, shared));
            tokio::spawn(async move {
                let player = if needs_file {
                    match tokio::task::spawn_blocking(new).await {
                        Ok(player) => player,
                        Err(error) => return tracing::error!("reading the evaluation: {error}"),
                    }
                } else {
                    new()
                };
                player.run(commands, report_receiver).await;
            });
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
    /// Whether the file of an evaluation could not be used.
    fell_back: bool,
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
        let (evaluation, file_fault) = spec.evaluation();
        let fell_back = file_fault.is_some();
        let file_fault =
            file_fault.map(|fault| format!("{fault}; playing with the built-in evaluation"));
        let parameters = spec.parameters().1.into_iter().map(|error| option_fault(&error));
        let faults = faults.into_iter().chain(time_faults);
        let faults = faults.chain(spec.eval_options().1).chain(file_fault);
        let warnings = parameters.chain(faults).collect();
        let mut thinker = Thinker::new(spec.resign);
        thinker.set_time_options(time_options);
        thinker.set_book(book);
        let options = SearchOptions {
            threads: spec.threads,
            hash_bytes: spec.hash_bytes,
            parameters: spec.parameters().0.into(),
            evaluation,
        };
        Self { tasks, events, options, thinker, request: 0, fell_back, warnings, pace, shared }
    }

    /// The name with the evaluation in use.
    fn name(&self) -> String {
        match self.options.parameters.eval_terms {
            0 if self.fell_back => {
                let evaluation = &self.options.evaluation;
                format!("kyomi ({evaluation}, since the file that is set cannot be used)")
            }
            0 => format!("kyomi ({})", self.options.evaluation),
            // Material or the fitted sum alone, for experiments.
            _ => "kyomi (Eval_Terms)".to_owned(),
        }
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
            entering_king: info.entering_king,
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
                self.events.send(PlayerEvent::Ready { name: self.name() });
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
