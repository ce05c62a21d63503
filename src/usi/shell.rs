//! The USI engine as a state machine without I/O.
//!
//! Its states are: no search, or one running search, which may be a ponder search or an infinite one. It takes a line
//! or a report of the search, and returns the lines to write and the tasks, in order. With workers it is also the player of
//! their coordinator (`helped`).

mod helped;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::command::{Command, Go, Times, parse};
use super::options::Settings;
use crate::{
    clock::{Clocks, Controls, DelayEstimator, SideClock, TimeControl},
    config::ClusterConfig,
    engine::{
        Answer, Begun, Choice, Finished, PlayerCommand, PlayerEvent, Purpose, ThinkRequest,
        Thinker,
        book::{BookMove, BookSpec, OpeningBook},
        search_thread::{MateReport, Readiness, SearchReport, SearchTask},
    },
    search::{
        Bound, GameRules, MateLimits, MateOutcome, Score, SearchInfo, SearchLimits, SearchOptions,
        SearchResult, SharedEntries, TimeLimit,
    },
    shogi::{Color, Game, notation::usi},
};

/// An input of the engine.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "without the feature there is no coordinator")
)]
pub(super) enum Input {
    /// A line of the host.
    Line(String),
    /// A line of the host that was too long to be read.
    TooLong,
    /// The input has ended.
    End,
    /// A report of the search thread.
    Search(SearchReport),
    /// What came of [`Action::Join`]: in words how the workers are reached, or why they are not.
    Joined(Result<String, String>),
    /// The coordinator asks its player, which is this engine.
    Asked(Box<PlayerCommand>),
    /// The coordinator says what came of a search that the workers help.
    Helped(PlayerEvent),
    /// The coordinator of this joining has ended.
    Left {
        /// [`Joining::number`].
        join: u64,
    },
}

/// An output of the engine.
#[derive(Debug)]
pub(super) enum Action {
    Say(String),
    /// Send this task to the search thread.
    Task(SearchTask),
    /// Join the workers of a room.
    Join(Box<Joining>),
    /// Leave the workers.
    Leave,
    /// Ask the coordinator, as the owner of a player does.
    Ask(Box<PlayerCommand>),
    /// Tell the coordinator what its player does.
    Tell(PlayerEvent),
    Quit,
}

/// A room to join.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "without the feature no room can be joined")
)]
pub(super) struct Joining {
    /// Tells it from earlier ones of this process.
    pub(super) number: u64,
    /// The room and its broker.
    pub(super) cluster: ClusterConfig,
    /// The search that the workers help; they must search alike.
    pub(super) search: SearchOptions,
}

/// The engine's state.
#[derive(Debug)]
pub(super) struct Shell {
    settings: Settings,
    /// `None` after a position that could not be parsed.
    game: Option<Game>,
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
    help: Help,
    shared: Arc<SharedEntries>,
}

/// The help of workers.
#[derive(Debug, Default)]
struct Help {
    /// The room that was joined, or could not be, and the search there.
    room: Option<(ClusterConfig, SearchOptions)>,
    is_joined: bool,
    /// The number of rooms that were joined, or tried.
    joins: u64,
    /// The number of the last request to the coordinator.
    requests: u64,
    /// The rules that the coordinator knows; `None`: it knows of no game.
    rules: Option<GameRules>,
    /// The number of workers that was last written.
    workers: u32,
    /// The request that the coordinator has not answered yet.
    current: Option<HelpedSearch>,
}

/// A search that workers help. It has an owner, this engine for its host, and a player, this engine for the coordinator.
#[derive(Debug)]
struct HelpedSearch {
    purpose: Purpose,
    request: ThinkRequest,
    /// The number of the first request; another one follows a ponder hit.
    first: u64,
    /// The number under which the coordinator asked its player.
    asked: u64,
    began: Instant,
    /// The host has said `stop`.
    is_stopped: bool,
}

impl Shell {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            thinker: Thinker::new(settings.resign_rule()),
            book: None,
            options: settings.search(),
            settings,
            game: Some(Game::default()),
            most: [Duration::ZERO; 2],
            times: Times::default(),
            pace: InfoPace::default(),
            help: Help::default(),
            shared: Arc::default(),
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
                vec![say("info string a line of more than 1 MiB is ignored")]
            }
            Input::End => self.quit(),
            Input::Search(report) => self.report(now, report),
            Input::Joined(joined) => self.joined(joined),
            Input::Asked(command) => self.asked(*command),
            Input::Helped(event) => self.helped(now, event),
            Input::Left { join } => self.left(join),
        }
    }

    fn report(&mut self, now: Instant, report: SearchReport) -> Vec<Action> {
        match report {
            SearchReport::Ready(readiness) => {
                let trouble = match readiness {
                    Readiness::AsAsked => None,
                    Readiness::Less(text) => Some(text),
                    Readiness::None(text) => {
                        Some(format!("{text}; moves are played without a search"))
                    }
                };
                let trouble = trouble.map(|text| say(format!("info string {text}")));
                trouble.into_iter().chain([say("readyok")]).collect()
            }
            SearchReport::Forgotten => Vec::new(),
            SearchReport::Info(number, _) if !self.thinker.is_current(number) => Vec::new(),
            SearchReport::Info(_, info) if self.help.current.is_some() => self.tell_info(info),
            SearchReport::Info(_, info)
                if !self.pace.allows(now, self.settings.pv_interval, &info) =>
            {
                Vec::new()
            }
            SearchReport::Info(_, info) => info_lines(&info),
            SearchReport::Done(number, result) => match self.thinker.finish(number, &result) {
                Some(finished) if self.help.current.is_some() => {
                    self.tell_answer(finished, &result)
                }
                Some(finished) => move_answer(&finished, &result),
                None => Vec::new(),
            },
            SearchReport::Mate(number, found) => {
                if self.thinker.finish_mate(number) {
                    mate_answer(&found)
                } else {
                    Vec::new()
                }
            }
        }
    }

    fn command(&mut self, now: Instant, line: &str) -> Vec<Action> {
        let (command, messages) = parse(line);
        let mut actions: Vec<Action> =
            messages.into_iter().map(|text| say(format!("info string {text}"))).collect();
        match command {
            Command::Usi => actions.extend(self.introduce()),
            Command::IsReady => {
                actions.extend(self.open_book());
                actions.extend(self.join_room());
                actions.extend(self.make_ready());
            }
            Command::SetOption(name, value) => {
                if let Err(text) = self.settings.set(&name, value.as_deref()) {
                    actions.push(say(format!("info string {text}")));
                }
            }
            Command::NewGame => {
                actions.extend(self.end_help());
                self.help.rules = None;
                self.thinker.new_game();
                self.most = [Duration::ZERO; 2];
                self.game = Some(Game::default());
                actions.push(Action::Task(SearchTask::NewGame));
            }
            Command::Position(line) => match usi::parse_position_line(&line) {
                Ok(game) => self.game = Some(game),
                Err(error) => {
                    // A move in an outdated position would be worse than resigning.
                    self.game = None;
                    actions.push(say(format!("info string {}", clip_long(&error.to_string()))));
                }
            },
            Command::Go(go) => actions.extend(self.go(now, &go)),
            Command::PonderHit(times) => actions.extend(self.ponder_hit(now, times)),
            Command::Stop => {
                if let Some(search) = &mut self.help.current {
                    search.is_stopped = true;
                }
                self.thinker.stop();
            }
            Command::GameOver => {
                actions.extend(self.end_help());
                actions.extend(self.release_workers());
                self.thinker.drop_search();
            }
            Command::Quit => actions.extend(self.quit()),
            Command::Nothing => {}
        }
        actions
    }

    /// The search thread prepares the searcher, so it must be idle. A running search that only `stop` ends would block
    /// it.
    fn make_ready(&mut self) -> Vec<Action> {
        let options = self.settings.search();
        if self.is_searching() && self.options == options {
            return vec![say("readyok")];
        }
        let mut actions = self.end_help();
        self.thinker.drop_search();
        actions.push(Action::Task(SearchTask::Prepare(options)));
        actions
    }

    fn is_searching(&self) -> bool {
        self.thinker.is_searching() || self.help.current.is_some()
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
        text.map(|text| say(format!("info string {}", clip_long(&text)))).into_iter().collect()
    }

    fn introduce(&self) -> Vec<Action> {
        let mut actions = vec![
            say(format!("id name kyomi {}", env!("CARGO_PKG_VERSION"))),
            say("id author the kyomi authors"),
        ];
        actions.extend(self.settings.lines().into_iter().map(say));
        actions.push(say("usiok"));
        actions
    }

    fn go(&mut self, now: Instant, go: &Go) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.is_searching() {
            actions.push(say("info string go during a search: the older one is dropped"));
            actions.extend(self.end_help());
            self.thinker.drop_search();
        }
        let Some(game) = self.game.clone() else {
            actions.push(say("info string no position to play in"));
            actions.push(say(if go.mate { "checkmate timeout" } else { "bestmove resign" }));
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
            actions.push(self.go_mate(now, go, game));
        } else {
            actions.extend(self.go_move(now, go, game));
        }
        actions
    }

    fn go_move(&mut self, now: Instant, go: &Go, game: Game) -> Vec<Action> {
        for (most, time) in self.most.iter_mut().zip([go.times.black, go.times.white]) {
            *most = (*most).max(time.unwrap_or_default());
        }
        let purpose = match go {
            Go { ponder: true, .. } => Purpose::Ponder,
            Go { infinite: true, .. } => Purpose::Analysis,
            _ => Purpose::Move,
        };
        if let Some(request) = self.helped_request(now, go, &game) {
            return self.ask_for_help(now, purpose, request);
        }
        let limits = SearchLimits {
            depth: go.depth,
            nodes: go.nodes,
            time: match go.movetime {
                Some(time) => Some(Thinker::by_time(time, now)),
                None => self.by_clocks(now, &game, go.times),
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
    fn go_mate(&mut self, now: Instant, go: &Go, game: Game) -> Action {
        let limits = MateLimits {
            nodes: go.nodes,
            deadline: go.movetime.and_then(|time| now.checked_add(time)),
        };
        let job = self.thinker.begin_mate(game, limits, self.options.hash_bytes / 4);
        Action::Task(SearchTask::Mate(job))
    }

    fn ponder_hit(&mut self, now: Instant, times: Times) -> Vec<Action> {
        let times = if times.any() { times } else { self.times };
        if self.help.current.is_some() {
            return self.helped_ponder_hit(now, times);
        }
        if let Some(game) = self.thinker.pondered() {
            let time = self.by_clocks(now, game, times);
            self.thinker.ponder_hit(time);
        }
        Vec::new()
    }

    fn by_clocks(&self, now: Instant, game: &Game, times: Times) -> Option<TimeLimit> {
        let clocks = self.clocks(game, times)?;
        Some(if is_out_of_time(&clocks) {
            Thinker::by_time(Duration::ZERO, now)
        } else {
            self.thinker.by_clocks(game, &clocks, now)
        })
    }

    /// The clocks of a `go`, if it has any. Some hosts add this turn's increment to the time and some do not. It is assumed
    /// to be added, which is safe in both cases.
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
        self.thinker.drop_search();
        vec![Action::Quit]
    }
}

/// Leaves out lines of a search that come too soon after others (`PvInterval`). The last line before an answer is not
/// one of them.
#[derive(Debug, Default)]
struct InfoPace {
    last: Option<Instant>,
    /// Whether the lines of the latest iteration are left out; those of several PVs belong together.
    left_out: bool,
}

impl InfoPace {
    fn allows(&mut self, now: Instant, interval: Duration, info: &SearchInfo) -> bool {
        if info.is_best_line() {
            let due = self.last.and_then(|last| last.checked_add(interval));
            self.left_out = due.is_some_and(|due| now < due);
            if !self.left_out {
                self.last = Some(now);
            }
        }
        !self.left_out
    }
}

/// The last `info` of the search, then the answer.
fn move_answer(finished: &Finished, result: &SearchResult) -> Vec<Action> {
    if finished.by_rule {
        return answer_lines(&finished.answer);
    }
    final_line(result).map(say).into_iter().chain([say(best_move(&finished.answer))]).collect()
}

/// An answer that needed no search. A move of the book is marked.
fn answer_lines(answer: &Answer) -> Vec<Action> {
    let mark = answer.book.map(|known| {
        let BookMove { mv, score, depth, count, .. } = known;
        say(format!("info string book {mv} score {score} depth {depth} count {count}"))
    });
    mark.into_iter().chain([say(best_move(answer))]).collect()
}

fn best_move(answer: &Answer) -> String {
    match (answer.choice, answer.ponder) {
        (Choice::Move(mv), Some(ponder)) => format!("bestmove {mv} ponder {ponder}"),
        (Choice::Move(mv), None) => format!("bestmove {mv}"),
        (Choice::Resign, _) => "bestmove resign".to_owned(),
        (Choice::Declare, _) => "bestmove win".to_owned(),
    }
}

/// Whether the side to move has no time at all, which must not mean no limit.
fn is_out_of_time(clocks: &Clocks) -> bool {
    let SideClock { control, remaining, .. } = clocks.running();
    remaining.is_zero() && control.byoyomi.is_zero() && control.increment.is_zero()
}

fn info_lines(info: &SearchInfo) -> Vec<Action> {
    let text = info.text.as_ref().map(|text| say(format!("info string {text}")));
    text.into_iter().chain([say(info_line(info))]).collect()
}

fn say(line: impl Into<String>) -> Action {
    Action::Say(line.into())
}

/// Shortens an error text that quotes the host's line.
fn clip_long(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// `checkmate` with the whole line, with `nomate` if checks alone do not mate, or with `timeout`.
fn mate_answer(mated: &MateReport) -> Vec<Action> {
    let micros = mated.time.as_micros().max(1);
    let mut info = SearchInfo {
        nodes: mated.nodes,
        nps: (u128::from(mated.nodes) * 1_000_000 / micros) as u64,
        time: mated.time,
        ..SearchInfo::default()
    };
    let answer = match &mated.outcome {
        MateOutcome::Mate { line, plies, .. } => {
            info.depth = line.len() as u32;
            info.score = Some(Score::Win(Some(*plies as u32)));
            info.pv.clone_from(line);
            let words: Vec<String> = line.iter().map(ToString::to_string).collect();
            words.join(" ")
        }
        MateOutcome::NoMate => "nomate".to_owned(),
        MateOutcome::Unknown => "timeout".to_owned(),
    };
    vec![say(info_line(&info)), say(format!("checkmate {answer}"))]
}

fn info_line(info: &SearchInfo) -> String {
    let mut line = format!("info depth {}", info.depth);
    let mut add = |text: String| {
        line.push(' ');
        line.push_str(&text);
    };
    if info.seldepth > 0 {
        add(format!("seldepth {}", info.seldepth));
    }
    if let Some(number) = info.multipv {
        add(format!("multipv {number}"));
    }
    if let Some(score) = info.score {
        add(score_text(score));
        match info.bound {
            Bound::Exact => {}
            Bound::Lower => add("lowerbound".to_owned()),
            Bound::Upper => add("upperbound".to_owned()),
        }
    }
    add(format!("nodes {} nps {}", info.nodes, info.nps));
    if let Some(permille) = info.hashfull {
        add(format!("hashfull {permille}"));
    }
    add(format!("time {}", info.time.as_millis()));
    if !info.pv.is_empty() {
        add("pv".to_owned());
    }
    for mv in &info.pv {
        add(mv.to_string());
    }
    line
}

/// The final `info` with score and PV, which may be from another thread.
fn final_line(result: &SearchResult) -> Option<String> {
    if result.pv.is_empty() {
        return None;
    }
    let micros = result.time.as_micros().max(1);
    let info = SearchInfo {
        depth: result.depth,
        seldepth: result.seldepth,
        score: Some(result.score),
        nodes: result.nodes,
        nps: (u128::from(result.nodes) * 1_000_000 / micros) as u64,
        time: result.time,
        pv: result.pv.clone(),
        ..SearchInfo::default()
    };
    Some(info_line(&info))
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(centipawns) => format!("score cp {centipawns}"),
        Score::Win(Some(plies)) => format!("score mate {plies}"),
        Score::Loss(Some(0)) => "score mate 0".to_owned(),
        Score::Loss(Some(plies)) => format!("score mate -{plies}"),
        Score::Win(None) => "score mate +".to_owned(),
        Score::Loss(None) => "score mate -".to_owned(),
    }
}

#[cfg(test)]
mod tests;
