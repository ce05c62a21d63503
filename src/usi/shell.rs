//! The engine as a state machine without I/O.
//!
//! States: no search, or one search under way, which may be a ponder search or one without end. A line or a report
//! of the search goes in; what to say and what to do comes out, in order.

use std::time::{Duration, Instant};

use super::command::{Command, Go, Times, parse};
use super::options::Settings;
use crate::{
    clock::{
        Budget, BudgetInput, Clocks, Controls, DelayEstimator, DelayPolicy, TimeControl, budget,
    },
    search::{
        Bound, MateLimits, MateOutcome, Score, SearchInfo, SearchLimits, SearchOptions,
        SearchResult, StopFlag, TimeLimit,
    },
    shogi::{Color, Game, Position, notation::usi},
};

/// What goes in.
#[derive(Debug)]
pub(super) enum Input {
    /// A line of the host.
    Line(String),
    /// A line of the host that was too long to be read.
    TooLong,
    /// The host is gone.
    End,
    /// The search is made ready, or what it has become instead of what was asked for.
    Ready(Option<String>),
    /// The state of a search, by its number.
    Info(u64, Box<SearchInfo>),
    /// The end of a search, by its number.
    Done(u64, Box<SearchResult>),
    /// The end of a search for mate, by its number.
    Mated(u64, Box<Mated>),
}

/// What a search for mate says.
#[derive(Debug)]
pub(super) struct Mated {
    pub(super) outcome: MateOutcome,
    pub(super) nodes: u64,
    pub(super) time: Duration,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Action {
    Say(String),
    /// Make a search with these options (if they differ from those it has), then report.
    Prepare(SearchOptions),
    /// Forget what was learnt.
    NewGame,
    /// Search, and report under this number.
    Search(Box<Work>),
    /// Search for mate, and report under this number.
    Mate(Box<MateWork>),
    Quit,
}

/// One search.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) number: u64,
    pub(super) options: SearchOptions,
    pub(super) game: Game,
    pub(super) limits: SearchLimits,
    pub(super) stop: StopFlag,
}

/// One search for mate.
#[derive(Debug)]
pub(super) struct MateWork {
    pub(super) number: u64,
    /// Size of its table.
    pub(super) table_bytes: u64,
    pub(super) position: Position,
    pub(super) limits: MateLimits,
    pub(super) stop: StopFlag,
}

/// The engine's state.
#[derive(Debug)]
pub(super) struct Shell {
    settings: Settings,
    /// `None` after a position that could not be read.
    game: Option<Game>,
    /// The most time seen on each clock in this game: what the main time must have been at least.
    most: [Duration; 2],
    hopeless: u32,
    searches: u64,
    current: Option<Current>,
}

/// The search under way.
#[derive(Debug)]
struct Current {
    number: u64,
    stop: StopFlag,
    /// What it was begun with.
    options: SearchOptions,
    game: Game,
    /// The clocks it was given, for a ponder hit that says none.
    times: Times,
    /// Pondering still.
    ponder: bool,
}

impl Shell {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            game: Some(Game::default()),
            most: [Duration::ZERO; 2],
            hopeless: 0,
            searches: 0,
            current: None,
        }
    }

    /// What follows from one input at this moment.
    pub(super) fn handle(&mut self, now: Instant, input: Input) -> Vec<Action> {
        match input {
            Input::Line(line) => self.obey(now, &line),
            Input::TooLong => {
                // It can only have been a position, and the one before is none to play in.
                self.game = None;
                vec![say("info string a line of more than 1 MiB is passed over")]
            }
            Input::End => self.quit(),
            Input::Ready(None) => vec![say("readyok")],
            Input::Ready(Some(trouble)) => {
                vec![say(format!("info string {trouble}")), say("readyok")]
            }
            Input::Info(number, info) => match &self.current {
                Some(current) if current.number == number => {
                    let text = info.text.as_ref().map(|text| say(format!("info string {text}")));
                    text.into_iter().chain([say(info_line(&info))]).collect()
                }
                _ => Vec::new(),
            },
            Input::Done(number, result) => self.answer(number, &result),
            Input::Mated(number, mated) => {
                match self.current.take_if(|current| current.number == number) {
                    Some(_) => mate_answer(&mated),
                    None => Vec::new(),
                }
            }
        }
    }

    fn obey(&mut self, now: Instant, line: &str) -> Vec<Action> {
        let (command, complaints) = parse(line);
        let mut actions: Vec<Action> =
            complaints.into_iter().map(|text| say(format!("info string {text}"))).collect();
        match command {
            Command::Usi => actions.extend(self.introduce()),
            Command::IsReady => actions.push(self.make_ready()),
            Command::SetOption(name, value) => {
                if let Err(text) = self.settings.set(&name, value.as_deref()) {
                    actions.push(say(format!("info string {text}")));
                }
            }
            Command::NewGame => {
                self.drop_search();
                self.hopeless = 0;
                self.most = [Duration::ZERO; 2];
                self.game = Some(Game::default());
                actions.push(Action::NewGame);
            }
            Command::Position(line) => match usi::parse_position_line(&line) {
                Ok(game) => self.game = Some(game),
                Err(error) => {
                    // Playing on in an older position would be worse than resigning.
                    self.game = None;
                    actions.push(say(format!("info string {}", clip_long(&error.to_string()))));
                }
            },
            Command::Go(go) => actions.extend(self.go(now, &go)),
            Command::PonderHit(times) => self.ponder_hit(now, times),
            Command::Stop => {
                if let Some(current) = &self.current {
                    current.stop.stop();
                }
            }
            Command::GameOver => self.drop_search(),
            Command::Quit => actions.extend(self.quit()),
            Command::Nothing => {}
        }
        actions
    }

    /// The thread that searches is the one that makes the search ready: it must be free for that, and a search that
    /// only `stop` ends would keep it for ever.
    fn make_ready(&mut self) -> Action {
        let options = self.settings.search();
        if self.current.as_ref().is_some_and(|current| current.options == options) {
            return say("readyok");
        }
        self.drop_search();
        Action::Prepare(options)
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
        if self.current.is_some() {
            actions.push(say("info string go during a search: the older one is dropped"));
            self.drop_search();
        }
        let Some(game) = self.game.clone() else {
            actions.push(say("info string no position to play in"));
            actions.push(say(if go.mate { "checkmate timeout" } else { "bestmove resign" }));
            return actions;
        };
        if go.mate {
            actions.push(self.go_mate(now, go, game));
            return actions;
        }
        if go.times.black.is_some() || go.times.white.is_some() {
            for (most, time) in self.most.iter_mut().zip([go.times.black, go.times.white]) {
                *most = (*most).max(time.unwrap_or_default());
            }
        }
        let hold = go.ponder || go.infinite;
        if !hold && let Some(word) = self.without_thought(&game) {
            actions.push(say(format!("bestmove {word}")));
            return actions;
        }
        let unlimited =
            !go.times.any() && go.movetime.is_none() && go.nodes.is_none() && go.depth.is_none();
        self.searches += 1;
        let stop = StopFlag::new();
        let limits = SearchLimits {
            depth: go.depth,
            limit: None,
            nodes: go.nodes,
            time: self.time(now, &game, go.times, go.movetime),
            // Without any limit only `stop` can end it.
            hold: hold || unlimited,
            rules: self.settings.rules(),
            moves: go.moves.clone(),
            lines: self.settings.lines,
        };
        let options = self.settings.search();
        self.current = Some(Current {
            number: self.searches,
            stop: stop.clone(),
            options: options.clone(),
            game: game.clone(),
            times: go.times,
            ponder: go.ponder,
        });
        let work = Work { number: self.searches, options, game, limits, stop };
        actions.push(Action::Search(Box::new(work)));
        actions
    }

    /// The table of the search for mate comes beside the other one: a quarter of its size.
    fn go_mate(&mut self, now: Instant, go: &Go, game: Game) -> Action {
        self.searches += 1;
        let (number, stop, options) = (self.searches, StopFlag::new(), self.settings.search());
        let work = MateWork {
            number,
            table_bytes: options.hash_bytes / 4,
            position: game.position().clone(),
            limits: MateLimits {
                nodes: go.nodes,
                deadline: go.movetime.and_then(|time| now.checked_add(time)),
            },
            stop: stop.clone(),
        };
        self.current =
            Some(Current { number, stop, options, game, times: go.times, ponder: false });
        Action::Mate(Box::new(work))
    }

    /// The answers that the rules alone give.
    fn without_thought(&self, game: &Game) -> Option<&'static str> {
        if self.settings.declaration && game.position().can_declare() {
            Some("win")
        } else if !game.position().has_legal_move() {
            Some("resign")
        } else {
            None
        }
    }

    fn ponder_hit(&mut self, now: Instant, times: Times) {
        let Some(current) = &mut self.current else { return };
        if !current.ponder {
            return;
        }
        current.ponder = false;
        let times = if times.any() { times } else { current.times };
        let (stop, game) = (current.stop.clone(), current.game.clone());
        let time = self.time(now, &game, times, None);
        stop.ponder_hit(time);
    }

    fn time(
        &self,
        now: Instant,
        game: &Game,
        times: Times,
        movetime: Option<Duration>,
    ) -> Option<TimeLimit> {
        if let Some(time) = movetime {
            return Some(TimeLimit { started: now, budget: Budget::fixed(time) });
        }
        if !times.any() {
            return None;
        }
        let budget = self.budget(game, times);
        Some(TimeLimit { started: now, budget })
    }

    /// By the clocks. A host may or may not have added this turn's increment: it is taken as added, which is safe
    /// in both cases.
    fn budget(&self, game: &Game, times: Times) -> Budget {
        let side = game.position().side_to_move();
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
        let ((black, black_left), (white, white_left)) = (of(Color::Black), of(Color::White));
        let (own, own_left) =
            if side == Color::Black { (black, black_left) } else { (white, white_left) };
        if own_left.is_zero() && own.byoyomi.is_zero() && own.increment.is_zero() {
            // Nothing left is no licence to think for ever.
            return Budget::fixed(Duration::ZERO);
        }
        let network = DelayEstimator::new(DelayPolicy::Fixed(self.settings.network_delay));
        let controls = Controls { black, white };
        let clocks = Clocks::new(controls, black_left, white_left, side, network);
        let ply = game.len() as u32 + 1;
        let max_moves = self.settings.rules().max_moves;
        let forced = game.position().count_legal_moves() == 1;
        let mut input = BudgetInput::new(&clocks, ply, max_moves).forced(forced);
        input.own_moves = game.len() as u32 / 2;
        budget::plan(&input)
    }

    fn answer(&mut self, number: u64, result: &SearchResult) -> Vec<Action> {
        let Some(current) = self.current.take_if(|current| current.number == number) else {
            return Vec::new();
        };
        if let Some(word) = self.without_thought(&current.game) {
            return vec![say(format!("bestmove {word}"))];
        }
        // A ponder search that was stopped says nothing about the game.
        if !current.ponder {
            let hopeless = result.score.centipawns() <= self.settings.resign_score;
            self.hopeless = if hopeless { self.hopeless + 1 } else { 0 };
        }
        let moves = self.settings.resign_moves;
        let gives_up = !current.ponder && moves > 0 && self.hopeless >= moves;
        let mut actions = Vec::new();
        if let Some(line) = final_line(result) {
            actions.push(say(line));
        }
        actions.push(say(match (result.best, result.ponder) {
            (Some(_), _) if gives_up => "bestmove resign".to_owned(),
            (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
            (Some(best), None) => format!("bestmove {best}"),
            (None, _) => "bestmove resign".to_owned(),
        }));
        actions
    }

    fn drop_search(&mut self) {
        if let Some(current) = self.current.take() {
            current.stop.stop();
        }
    }

    fn quit(&mut self) -> Vec<Action> {
        self.drop_search();
        vec![Action::Quit]
    }
}

fn say(line: impl Into<String>) -> Action {
    Action::Say(line.into())
}

/// Error texts are one line; they quote what the host sent.
fn clip_long(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// `checkmate` with the whole line, `nomate` where checks alone do not mate, or `timeout`.
fn mate_answer(mated: &Mated) -> Vec<Action> {
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

/// The last word on score and line, which may be another thread's.
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
