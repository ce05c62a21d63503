//! The USI engine as a state machine without I/O.
//!
//! Its states are: no search, or one running search, which may be a ponder search or an infinite one. It takes a line
//! or a report of the search, and returns the lines to write and the tasks, in order. With workers it is also the
//! player of their coordinator ([`distributed`]).

mod distributed;
mod io;
mod lines;
mod unanswered;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::command::{Command, Go, Times, parse};
use super::options::Settings;
use crate::config::ClusterConfig;
use crate::players::{
    Begun, Purpose, ThinkRequest, Thinker,
    search_thread::{Readiness, SearchReport, SearchTask},
};
use kyomi_engine::search::{
    GameRules, MateLimits, SearchInfo, SearchLimits, SearchOptions, SharedEntries, TimeLimit,
};
use kyomi_record::book::{BookSpec, OpeningBook};
use kyomi_shogi::clock::{Clocks, Controls, DelayEstimator, SideClock, TimeControl};
use kyomi_shogi::{Color, Game, Unplayable, notation::usi};
use lines::{InfoPace, answer_lines, clip_long, info_lines, mate_answer, move_answer, print};
use unanswered::UnansweredGo;

pub(super) use io::{Action, Input, JoinRequest};

/// The engine's state.
#[derive(Debug)]
pub(super) struct Shell {
    settings: Settings,
    /// `None` after a position that could not be parsed.
    game: Option<Arc<Game>>,
    /// The largest time seen on each clock in this game: a lower bound of the main time.
    most: [Duration; 2],
    thinker: Thinker,
    /// The opening book that was opened last.
    book: Option<BookSpec>,
    /// The options of the last search.
    options: SearchOptions,
    /// The clocks of the last `go`, for a ponder hit without clocks.
    times: Times,
    /// Which lines of the current search are written.
    pace: InfoPace,
    distributed: Distributed,
    /// The entries of the table that the search exchanges with other machines.
    shared: Arc<SharedEntries>,
    /// The `go` that the host waits for.
    unanswered: Option<UnansweredGo>,
}

/// The state of searches that are distributed to workers.
#[derive(Debug, Default)]
struct Distributed {
    /// The room of the last attempt to join, whether it succeeded or not, and the search options there.
    room: Option<(ClusterConfig, SearchOptions)>,
    is_joined: bool,
    /// The number of attempts to join a room.
    joins: u64,
    /// The number of the last request to the coordinator.
    requests: u64,
    /// The rules of the game that was announced to the coordinator, if one was.
    rules: Option<GameRules>,
    /// The last number of workers that was written.
    workers: u32,
    /// The request that the coordinator has not answered yet.
    current: Option<DistributedSearch>,
}

/// A distributed search. The engine has two roles in it: it owns the coordinator's player for its host, and it is the
/// local player that the coordinator commands.
#[derive(Debug)]
struct DistributedSearch {
    purpose: Purpose,
    request: ThinkRequest,
    /// The number of the first request; another one follows a ponder hit.
    first: u64,
    /// The number of the coordinator's last request to the local player.
    player_request: u64,
    began: Instant,
}

/// The game of a `position` line. Positions without a king are searched for mates; two pawns on a file are refused.
fn read_position(line: &str) -> Result<Game, String> {
    let game = usi::parse_position_line(line).map_err(|error| error.to_string())?;
    match game.start().check_playable() {
        Err(why @ Unplayable::TwoPawns { .. }) => Err(why.to_string()),
        Ok(()) | Err(Unplayable::NoKing(_) | Unplayable::Exposed(_)) => Ok(game),
    }
}

impl Shell {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            thinker: Thinker::new(settings.resign_rule()),
            book: None,
            options: settings.search(),
            settings,
            game: Some(Arc::default()),
            most: [Duration::ZERO; 2],
            times: Times::default(),
            pace: InfoPace::default(),
            distributed: Distributed::default(),
            shared: Arc::default(),
            unanswered: None,
        }
    }

    /// The entries of the table that the search exchanges with other machines.
    pub(super) fn shared_entries(&self) -> Arc<SharedEntries> {
        Arc::clone(&self.shared)
    }

    /// Handles one input at the time `now` and returns the actions.
    pub(super) fn handle(&mut self, now: Instant, input: Input) -> Vec<Action> {
        match input {
            Input::Line(line) => self.command(now, &line),
            Input::TooLong => {
                // Only a `position` line can be so long, so the previous position is outdated.
                self.game = None;
                vec![print("info string a line of more than 1 MiB is ignored")]
            }
            Input::End => self.quit(),
            Input::Search(report) => self.report(now, report),
            Input::Joined(joined) => self.room_joined(joined),
            Input::CoordinatorCommand(command) => self.coordinator_command(*command),
            Input::CoordinatorEvent(event) => self.coordinator_event(now, event),
            Input::CoordinatorEnded { join } => self.coordinator_ended(join),
        }
    }

    fn report(&mut self, now: Instant, report: SearchReport) -> Vec<Action> {
        match report {
            SearchReport::Ready(readiness) => {
                let message = match readiness {
                    Readiness::AsRequested => None,
                    Readiness::Reduced(text) => Some(text),
                    Readiness::NoSearcher(text) => {
                        Some(format!("{text}; moves are played without a search"))
                    }
                };
                let message = message.map(|text| print(format!("info string {text}")));
                message.into_iter().chain([print("readyok")]).collect()
            }
            SearchReport::Cleared => Vec::new(),
            SearchReport::Info(number, _) if !self.thinker.is_current(number) => Vec::new(),
            SearchReport::Info(_, info) if self.distributed.current.is_some() => {
                self.report_info(info)
            }
            SearchReport::Info(_, info) => self.written_info(now, &info),
            SearchReport::Done(number, result) => match self.thinker.finish(number, &result) {
                Some(finished) if self.distributed.current.is_some() => {
                    self.report_answer(finished, &result)
                }
                Some(finished) => {
                    self.unanswered = None;
                    move_answer(&finished, &result)
                }
                None => Vec::new(),
            },
            SearchReport::Mate(number, found) => {
                if self.thinker.finish_mate(number) {
                    self.unanswered = None;
                    mate_answer(&found)
                } else {
                    Vec::new()
                }
            }
        }
    }

    /// Takes note of a report about the position of the host, and returns its lines unless others came too soon before.
    fn written_info(&mut self, now: Instant, info: &SearchInfo) -> Vec<Action> {
        if let Some(go) = &mut self.unanswered {
            go.note(info);
        }
        if self.pace.allows(now, self.settings.pv_interval, info) {
            info_lines(info)
        } else {
            Vec::new()
        }
    }

    fn command(&mut self, now: Instant, line: &str) -> Vec<Action> {
        let (command, messages) = parse(line);
        let mut actions: Vec<Action> =
            messages.into_iter().map(|text| print(format!("info string {text}"))).collect();
        match command {
            Command::Usi => actions.extend(self.usi_answer()),
            Command::IsReady => {
                actions.extend(self.open_book());
                actions.extend(self.load_evaluation());
                actions.extend(self.join_room());
                actions.extend(self.make_ready());
            }
            Command::SetOption(name, value) => {
                if let Err(text) = self.settings.set(&name, value.as_deref()) {
                    actions.push(print(format!("info string {text}")));
                }
            }
            Command::NewGame => {
                actions.extend(self.drop_search());
                self.distributed.rules = None;
                self.thinker.new_game();
                self.most = [Duration::ZERO; 2];
                self.game = Some(Arc::default());
                actions.push(Action::Task(SearchTask::NewGame));
            }
            Command::Position(line) => match read_position(&line) {
                Ok(game) => self.game = Some(Arc::new(game)),
                Err(error) => {
                    // A move in an outdated position would be worse than none.
                    self.game = None;
                    actions.push(print(format!("info string {}", clip_long(&error))));
                }
            },
            Command::Go(go) => actions.extend(self.go(now, &go)),
            Command::PonderHit(times) => actions.extend(self.ponder_hit(now, times)),
            Command::Stop => {
                if let Some(go) = &mut self.unanswered {
                    go.is_stopped = true;
                }
                self.thinker.stop();
                actions.extend(self.answer_refused());
            }
            Command::GameOver => {
                actions.extend(self.drop_search());
                actions.extend(self.release_workers());
            }
            Command::Quit => actions.extend(self.quit()),
            Command::Nothing => {}
        }
        actions
    }

    /// Prepares the searcher. The search thread does that, so a running search is cancelled first: one without limits
    /// would block it until `stop`.
    fn make_ready(&mut self) -> Vec<Action> {
        let options = self.settings.search();
        if self.is_searching() && self.options == options {
            return vec![print("readyok")];
        }
        let mut actions = self.drop_search();
        actions.push(Action::Task(SearchTask::Prepare(options)));
        actions
    }

    fn is_searching(&self) -> bool {
        self.thinker.is_searching() || self.distributed.current.is_some()
    }

    /// Whether the host has stopped the running search.
    fn is_stopped(&self) -> bool {
        self.unanswered.as_ref().is_some_and(|go| go.is_stopped)
    }

    /// Ends the running search, if there is one, and drops its result. A `go` that was stopped is answered.
    fn drop_search(&mut self) -> Vec<Action> {
        let go = self.unanswered.take();
        let mut actions = go.map_or_else(Vec::new, |go| go.answer_to_stop(&self.thinker));
        actions.extend(self.cancel_distributed_search());
        self.thinker.discard_search();
        actions
    }

    /// Answers a `go` without a position that waited for `stop` or `ponderhit`.
    fn answer_refused(&mut self) -> Option<Action> {
        let go = self.unanswered.take_if(|go| go.is_refused())?;
        Some(go.refusal())
    }

    /// Opens the book if the options ask for another one than before.
    fn open_book(&mut self) -> Vec<Action> {
        let wanted = self.settings.book.spec();
        if wanted == self.book {
            return Vec::new();
        }
        let (book, text) = match wanted.as_ref().map(OpeningBook::open) {
            None => (None, None),
            Some(Ok((book, faults))) => (Some(book), faults.summary()),
            Some(Err(error)) => (None, Some(format!("{error}; playing without it"))),
        };
        self.thinker.set_book(book);
        self.book = wanted;
        text.map(|text| print(format!("info string {}", clip_long(&text)))).into_iter().collect()
    }

    /// Loads the evaluation if the options ask for another one than before.
    fn load_evaluation(&mut self) -> Option<Action> {
        let text = self.settings.load_evaluation()?;
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        Some(print(format!("info string {text}")))
    }

    fn usi_answer(&self) -> Vec<Action> {
        let mut actions = vec![
            print(format!("id name kyomi {}", env!("CARGO_PKG_VERSION"))),
            print("id author the kyomi authors"),
        ];
        actions.extend(self.settings.lines().into_iter().map(print));
        actions.push(print("usiok"));
        actions
    }

    fn go(&mut self, now: Instant, go: &Go) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.is_searching() {
            if !self.is_stopped() {
                actions.push(print("info string go during a search: the older one is dropped"));
            }
            actions.extend(self.drop_search());
        }
        self.unanswered = None;
        actions.extend(self.load_evaluation());
        let Some(game) = self.game.clone() else {
            self.unanswered = Some(UnansweredGo::refused(go));
            if !go.infinite && !go.ponder {
                actions.extend(self.answer_refused());
            }
            return actions;
        };
        self.options = self.settings.search();
        self.times = go.times;
        self.pace = InfoPace::default();
        // The rules may have been set since the game began.
        self.thinker.set_rules(self.settings.rules());
        self.thinker.set_resign(self.settings.resign_rule());
        self.thinker.set_time_options(self.settings.time_options);
        if go.mate {
            actions.push(self.go_mate(now, go, Arc::clone(&game)));
        } else {
            actions.extend(self.go_move(now, go, Arc::clone(&game)));
        }
        if self.is_searching() {
            self.unanswered = Some(UnansweredGo::new(game, go));
        }
        actions
    }

    fn go_move(&mut self, now: Instant, go: &Go, game: Arc<Game>) -> Vec<Action> {
        for (most, time) in self.most.iter_mut().zip([go.times.black, go.times.white]) {
            *most = (*most).max(time.unwrap_or_default());
        }
        let purpose = match go {
            Go { ponder: true, .. } => Purpose::Ponder,
            Go { infinite: true, .. } => Purpose::Analysis,
            _ => Purpose::Move,
        };
        if let Some(request) = self.distributed_request(now, go, &game) {
            return self.start_distributed_search(now, purpose, request);
        }
        let limits = SearchLimits {
            depth: go.depth,
            nodes: go.nodes,
            time: match go.movetime {
                Some(time) => Some(Thinker::fixed_limit(time, now)),
                None => self.limit_from_clocks(now, &game, go.times),
            },
            // Without any limit only `stop` ends the search.
            hold: !go.times.any()
                && go.movetime.is_none()
                && go.nodes.is_none()
                && go.depth.is_none(),
            moves: go.moves.clone(),
            lines: self.settings.lines,
            ..SearchLimits::default()
        };
        match self.thinker.begin(game, purpose, limits, self.options.clone()) {
            Begun::Answered(answer) => answer_lines(&answer),
            Begun::Search(job) => vec![Action::Task(SearchTask::Search(job))],
        }
    }

    /// The mate search has its own table, a quarter of the size of the other one.
    fn go_mate(&mut self, now: Instant, go: &Go, game: Arc<Game>) -> Action {
        let limits = MateLimits {
            nodes: go.nodes,
            deadline: go.movetime.and_then(|time| now.checked_add(time)),
        };
        let job = self.thinker.begin_mate(game, limits, self.options.hash_bytes / 4);
        Action::Task(SearchTask::Mate(job))
    }

    fn ponder_hit(&mut self, now: Instant, times: Times) -> Vec<Action> {
        let times = if times.any() { times } else { self.times };
        if self.distributed.current.is_some() {
            return self.distributed_ponder_hit(now, times);
        }
        if let Some(game) = self.thinker.pondered() {
            let time = self.limit_from_clocks(now, game, times);
            self.thinker.ponder_hit(time);
        }
        self.answer_refused().into_iter().collect()
    }

    fn limit_from_clocks(&self, now: Instant, game: &Game, times: Times) -> Option<TimeLimit> {
        let clocks = self.clocks(game, times)?;
        Some(if is_out_of_time(&clocks) {
            Thinker::fixed_limit(Duration::ZERO, now)
        } else {
            self.thinker.limit_from_clocks(game, &clocks, now)
        })
    }

    /// The clocks of a `go`, if it has any. Some hosts have already added this turn's increment to the time, others
    /// have not. Assuming that it is included never overstates the time.
    fn clocks(&self, game: &Game, times: Times) -> Option<Clocks> {
        if !times.any() {
            return None;
        }
        let byoyomi = times.byoyomi.unwrap_or_default();
        let of = |color: Color| {
            let (left, increment) = match color {
                Color::Black => (times.black, times.black_increment),
                Color::White => (times.white, times.white_increment),
            };
            let left = left.unwrap_or_default();
            let increment = increment.unwrap_or_default().min(left);
            let remaining = left.saturating_sub(increment);
            let total = self.most[color.index()].max(remaining);
            let control = TimeControl {
                total: Some(total),
                byoyomi,
                increment,
                unit: Duration::from_millis(1),
                ..TimeControl::UNLIMITED
            };
            (control, remaining)
        };
        let side = game.position().side_to_move();
        let ((black, black_left), (white, white_left)) = (of(Color::Black), of(Color::White));
        let network = DelayEstimator::new(self.settings.delay_policy());
        let controls = Controls { black, white };
        let mut clocks = Clocks::new(controls, black_left, white_left, side, network);
        clocks.of_mut(side).turns = game.len() as u32 / 2;
        Some(clocks)
    }

    fn quit(&mut self) -> Vec<Action> {
        self.thinker.discard_search();
        vec![Action::Quit]
    }
}

/// Whether the side to move has no time at all. Such clocks must not be taken for no limit.
fn is_out_of_time(clocks: &Clocks) -> bool {
    let SideClock { control, remaining, .. } = clocks.running();
    remaining.is_zero() && control.byoyomi.is_zero() && control.increment.is_zero()
}

#[cfg(test)]
mod tests;
