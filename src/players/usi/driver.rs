//! The host's side of the USI protocol: a state machine without I/O.
//!
//! ```text
//!  Off ──▶ Booting ──usiok──▶ Readying ──readyok──▶ Idle ◀──────────────────────────┐
//!   ▲        usi                isready              │ │                             │
//!   │                                     position go│ │position go ponder           │
//!   │                                                ▼ ▼             stop            │
//!   │                                         Thinking Pondering ─────────▶ Stopping │
//!   │                                                │ ▲  │ │bestmove            │   │
//!   │                                        bestmove│ └──┘ ▼  (early)    bestmove   │
//!   └── any breakdown                                │hit  AnsweredEarly           ───┤
//!                                                    └──────────────────────────────┘
//!  Stopping, gameover waiting ──quit──▶ Leaving ──bestmove, or 5 s──▶ Finished
//!  any other ──quit──▶ Finished
//! ```
//!
//! - A request that comes while the engine is busy (starting, stopping) waits in `pending_request`; a new request
//!   replaces the old one. Every `go` is answered by exactly one `bestmove`; that of a stopped `go` is dropped in
//!   `Stopping`, so that no outdated answer is passed on.
//! - After a failure (the process ended, did not answer in time, or answered with an illegal move) the engine is
//!   restarted once in a game, and its clocks are reduced by the time lost. After the second failure in a game the
//!   player answers every request of that game by a resignation, which the failover player replaces by a move. The
//!   second failure between games is final, unless the engine ran for minutes in between.
//! - `isready` is sent soon after `gameover`, so that `usinewgame` suffices when the next game is offered, unless its
//!   rules change options.
//! - Time is passed as an argument; [`Output::WakeAt`] requests an [`Input::Tick`].

mod engine_lines;
mod leaving;
mod on_failure;
mod options;
mod resigning;
mod restart;
mod search;
mod stderr_tail;

use kyomi_shogi::{EnteringKingRule, Outcome};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kyomi_csa::text::Line;
use kyomi_shogi::notation::usi::format_position_line;

use super::{
    super::{Answer, Choice, EngineError, GameInfo, PlayerCommand, PlayerEvent, ThinkRequest},
    UsiSpec, clocks,
    parser::{AnnouncedOption, BestMove},
};
use on_failure::OnFailure;
use search::{STOP_TIMEOUT, Search};
use stderr_tail::StderrTail;

/// An input of the driver.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a value exists only during one call")]
pub(super) enum Input {
    /// A command of the owner.
    Command(PlayerCommand),
    /// The engine printed a line.
    Line(Line),
    /// The engine printed a line on standard error.
    Stderr(String),
    /// The process could not be started.
    NotStarted(std::io::Error),
    /// The process ended, with its exit code or signal in words.
    Ended(String),
    /// Time has passed.
    Tick,
}

/// An output of the driver. The caller executes the outputs in order.
#[derive(Debug)]
pub(super) enum Output {
    /// Start the process.
    Start,
    /// Kill the process. Its later lines must not be passed in.
    Kill,
    /// Send it a line.
    Send(String),
    /// Send an event to the owner.
    Event(PlayerEvent),
    /// Pass in a tick at this time; replaces the previous time. `None`: no tick.
    WakeAt(Option<Instant>),
    /// End the process and the player.
    Finish,
}

/// The state machine; one for each player.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one process")]
pub(super) struct Driver {
    spec: UsiSpec,
    state: State,
    /// The request to start as soon as the engine is idle.
    pending_request: Option<PendingRequest>,
    /// A game to announce as soon as the engine is idle.
    new_game: Option<GameInfo>,
    /// A game to end as soon as the engine is idle.
    game_over: Option<Outcome>,
    /// The running game.
    game: Option<GameInfo>,
    on_failure: OnFailure,
    /// When the process became ready; `None`: it is still starting.
    up_since: Option<Instant>,
    /// Whether `isready` was sent after the options were last changed, and no game has been played since.
    ready_for_new_game: bool,
    /// When to send `isready` after a game, so that the engine is prepared before the next one is offered.
    prepare_at: Option<Instant>,
    /// Whether `Ready` must still be sent to the owner.
    ready_unsent: bool,
    /// The last rule for entering kings, for which a warning was given if there was a reason.
    warned_of_rule: Option<EnteringKingRule>,
    /// Whether a warning about the flag was given in this game.
    warned_of_flag: bool,
    /// Whether the engine ponders in this game: it has not failed while pondering.
    ponders: bool,
    /// The number of failures while pondering in all games.
    ponder_failures: u32,
    /// The number of own turns in a row, in this game, whose last score was low enough to resign.
    hopeless_turns: u32,
    name: String,
    /// The options that the engine has announced.
    options: Vec<AnnouncedOption>,
    /// Warnings about options are given once, not at every start.
    options_checked: bool,
    stderr: StderrTail,
    outputs: Vec<Output>,
}

#[derive(Debug)]
enum State {
    Off,
    Booting {
        since: Instant,
    },
    Readying {
        since: Instant,
    },
    Idle,
    Thinking(Box<Search>),
    Pondering(Box<Search>),
    AnsweredEarly(Box<Search>, BestMove),
    /// `pondering`: the stopped search had no ponder hit.
    Stopping {
        since: Instant,
        pondering: bool,
    },
    /// The owner has quit. `stop` was sent to the engine at this time, and a `gameover` waits for its answer.
    Leaving {
        since: Instant,
    },
    Finished,
}

#[derive(Debug)]
enum PendingRequest {
    Think(ThinkRequest),
    Ponder(ThinkRequest),
}

impl Driver {
    /// Creates a driver whose process is not started yet. The caller carries out the outputs of [`Driver::begin`]
    /// first.
    pub(super) fn new(spec: UsiSpec) -> Self {
        Self {
            name: spec.title(),
            spec,
            state: State::Off,
            pending_request: None,
            new_game: None,
            game_over: None,
            game: None,
            on_failure: OnFailure::FatalUntilReady,
            up_since: None,
            ready_for_new_game: false,
            prepare_at: None,
            ready_unsent: true,
            warned_of_rule: None,
            warned_of_flag: false,
            ponders: true,
            ponder_failures: 0,
            hopeless_turns: 0,
            options: Vec::new(),
            options_checked: false,
            stderr: StderrTail::default(),
            outputs: Vec::new(),
        }
    }

    /// Starts the engine.
    pub(super) fn begin(&mut self, now: Instant) -> Vec<Output> {
        self.boot(now);
        self.finish_step()
    }

    /// Handles one input at the time `now` and returns the outputs.
    pub(super) fn handle(&mut self, now: Instant, input: Input) -> Vec<Output> {
        if matches!(self.state, State::Finished) {
            return Vec::new();
        }
        match input {
            // After `Quit` commands are ignored.
            Input::Command(_) if matches!(self.state, State::Leaving { .. }) => {}
            Input::Command(command) => self.command(now, command),
            Input::Line(Line::Text(line)) => self.line(now, &line),
            Input::Line(Line::TooLong) => tracing::warn!("a line of the engine is too long"),
            Input::Stderr(line) => self.stderr.push(&line),
            Input::NotStarted(_) | Input::Ended(_)
                if matches!(self.state, State::Leaving { .. }) =>
            {
                self.ended_before_quit();
            }
            Input::NotStarted(error) => {
                let source = Arc::new(error);
                self.fail(now, EngineError::Start { path: self.spec.path.clone(), source });
            }
            Input::Ended(status) => {
                let (engine, stderr) = (self.spec.title(), self.stderr.to_vec());
                self.fail(now, EngineError::Ended { engine, status, stderr });
            }
            Input::Tick => self.tick(now),
        }
        self.finish_step()
    }

    fn finish_step(&mut self) -> Vec<Output> {
        let wake = self.wake_at();
        self.outputs.push(Output::WakeAt(wake));
        std::mem::take(&mut self.outputs)
    }

    fn command(&mut self, now: Instant, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => {
                self.cancel_requests(now);
                self.game = Some(info);
                self.new_game = Some(info);
                self.on_failure = OnFailure::Restart;
                self.warned_of_flag = false;
                self.hopeless_turns = 0;
                self.ponders = self.may_ponder();
                self.prepare_at = None;
                if matches!(self.state, State::Off) {
                    self.boot(now);
                }
                self.start_pending(now);
            }
            PlayerCommand::Think(request) => self.think(now, request),
            PlayerCommand::Ponder(_) if !self.ponders => self.cancel_requests(now),
            PlayerCommand::Ponder(request) => {
                self.cancel_requests(now);
                self.pending_request = Some(PendingRequest::Ponder(request));
                self.start_pending(now);
            }
            PlayerCommand::Stop => self.cancel_requests(now),
            PlayerCommand::ShareEntries { .. } => {}
            PlayerCommand::GameOver(result) => {
                self.cancel_requests(now);
                self.game = None;
                // A game that the engine was not told of has no end.
                let was_told = self.new_game.take().is_none();
                if self.on_failure == OnFailure::AlreadyGivenUp {
                    self.on_failure = OnFailure::FatalUntilReady;
                    self.boot(now);
                } else {
                    self.on_failure = OnFailure::Restart;
                    if was_told {
                        self.game_over = Some(result);
                    }
                    self.start_pending(now);
                }
            }
            PlayerCommand::Quit => self.quit(now),
        }
    }

    fn think(&mut self, now: Instant, request: ThinkRequest) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Pondering(mut search) if search.is_hit(&request) => {
                if self.spec.clocks_at_ponder_hit {
                    let words = go_arguments(&request, now);
                    self.send(&format!("ponderhit {words}"));
                } else {
                    self.send("ponderhit");
                }
                search.set_request(request);
                self.state = State::Thinking(search);
            }
            State::AnsweredEarly(mut search, best) if search.is_hit(&request) => {
                search.set_request(request);
                self.answer(now, *search, &best);
            }
            other => {
                self.state = other;
                self.cancel_requests(now);
                self.pending_request = Some(PendingRequest::Think(request));
                self.start_pending(now);
            }
        }
    }

    /// Drops the pending request and stops the current search.
    fn cancel_requests(&mut self, now: Instant) {
        self.pending_request = None;
        if let State::Thinking(search) = &self.state {
            let score = search.last_score();
            self.count_score(score);
        }
        match self.state {
            State::Thinking(ref search) if let Some(since) = search.stop_sent_at => {
                // `stop` was already sent.
                self.state = State::Stopping { since, pondering: false };
            }
            State::Thinking(_) | State::Pondering(_) => {
                let pondering = matches!(self.state, State::Pondering(_));
                self.send("stop");
                self.state = State::Stopping { since: now, pondering };
            }
            State::AnsweredEarly(..) => self.state = State::Idle,
            _ => {}
        }
    }

    /// Starts the pending requests if the engine is idle.
    fn start_pending(&mut self, now: Instant) {
        if self.on_failure == OnFailure::AlreadyGivenUp {
            if let Some(PendingRequest::Think(request)) = self.pending_request.take() {
                let answer = Answer::plain(Choice::Resign);
                self.event(PlayerEvent::Answer { id: request.id, answer });
            }
            return;
        }
        if !matches!(self.state, State::Idle) {
            return;
        }
        if self.announce_game_over() {
            self.prepare_at = now.checked_add(PREPARE_DELAY);
        }
        if let Some(info) = self.new_game {
            let changed = self.set_rules(info);
            if changed || !self.ready_for_new_game {
                return self.prepare(now);
            }
            self.new_game = None;
            self.begin_game();
        }
        match self.pending_request.take() {
            Some(PendingRequest::Think(request)) => {
                self.send_go(now, &request, "go");
                let stops_at_flag = self.spec.stop_at_flag;
                self.state = State::Thinking(Box::new(Search::new(request, true, stops_at_flag)));
            }
            Some(PendingRequest::Ponder(request)) => {
                self.send_go(now, &request, "go ponder");
                let stops_at_flag = self.spec.stop_at_flag;
                self.state = State::Pondering(Box::new(Search::new(request, false, stops_at_flag)));
            }
            None => {}
        }
    }

    /// Sends `isready`.
    fn prepare(&mut self, now: Instant) {
        self.send("isready");
        self.ready_for_new_game = true;
        self.prepare_at = None;
        self.state = State::Readying { since: now };
    }

    /// Sends `gameover` if it is pending. Returns whether it was.
    fn announce_game_over(&mut self) -> bool {
        let Some(result) = self.game_over.take() else { return false };
        self.send(match result {
            Outcome::Win => "gameover win",
            Outcome::Loss => "gameover lose",
            Outcome::Draw | Outcome::None => "gameover draw",
        });
        self.ready_for_new_game = false;
        true
    }

    fn send_go(&mut self, now: Instant, request: &ThinkRequest, go: &str) {
        let position = format_position_line(&request.game);
        self.send(&position);
        let ponders = go != "go";
        if ponders && self.spec.clocks_at_ponder_hit {
            return self.send(go);
        }
        let words = go_arguments(request, if ponders { request.turn_started } else { now });
        self.outputs.push(Output::Send(format!("{go} {words}")));
    }

    fn tick(&mut self, now: Instant) {
        if self.wake_at().is_none_or(|wake| now < wake) {
            return;
        }
        match &mut self.state {
            State::Booting { .. } => self.fail_by_timeout(now, "usiok", USI_OK_TIMEOUT),
            State::Readying { .. } => self.fail_by_timeout(now, "readyok", self.spec.ready_timeout),
            State::Thinking(search) if search.stop_sent_at.is_none() => {
                search.stop_sent_at = Some(now);
                if search.is_silent(now) {
                    tracing::warn!("the engine has shown nothing for long; sending stop");
                    let id = search.request.id;
                    self.event(PlayerEvent::Silent { id });
                // Some engines use up their time with every move; the second warning is only logged.
                } else if std::mem::replace(&mut self.warned_of_flag, true) {
                    tracing::debug!("the engine lets the flag fall again; sending stop");
                } else {
                    tracing::warn!("the engine lets the flag fall; sending stop");
                }
                self.send("stop");
            }
            State::Thinking(search) => {
                let limit = search.stop_timeout();
                self.fail_by_timeout(now, "bestmove", limit);
            }
            State::Stopping { .. } => self.fail_by_timeout(now, "bestmove", STOP_TIMEOUT),
            State::Leaving { .. } => self.send_quit(),
            State::Idle => self.prepare(now),
            _ => {}
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            State::Booting { since } => since.checked_add(USI_OK_TIMEOUT),
            State::Readying { since } => since.checked_add(self.spec.ready_timeout),
            State::Stopping { since, .. } | State::Leaving { since } => {
                since.checked_add(STOP_TIMEOUT)
            }
            State::Thinking(search) => match search.stop_sent_at {
                Some(since) => since.checked_add(search.stop_timeout()),
                None => search.send_stop_at(),
            },
            State::Idle => self.prepare_at,
            _ => None,
        }
    }

    fn boot(&mut self, now: Instant) {
        self.options.clear();
        self.stderr.clear();
        self.ready_for_new_game = false;
        self.ready_unsent = true;
        self.up_since = None;
        self.prepare_at = None;
        self.state = State::Booting { since: now };
        self.outputs.push(Output::Start);
        self.send("usi");
    }

    fn send(&mut self, line: &str) {
        // An option from the configuration must not become two lines.
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        self.outputs.push(Output::Send(line));
    }

    fn event(&mut self, event: PlayerEvent) {
        self.outputs.push(Output::Event(event));
    }
}

/// The time limit from `usi` to `usiok`. Most engines load their networks after `isready`, some before.
const USI_OK_TIMEOUT: Duration = Duration::from_secs(60);

/// The time from `gameover` to `isready`: an engine that is to quit after its last game, or to begin the next one at
/// once, is told so before.
const PREPARE_DELAY: Duration = Duration::from_secs(1);

/// The clocks or the limit of a request whose turn has lasted until `now`.
fn go_arguments(request: &ThinkRequest, now: Instant) -> String {
    let gone = now.saturating_duration_since(request.turn_started);
    let color = request.game.position().side_to_move();
    match request.limit {
        None => clocks::go_arguments(&request.clocks, color, gone),
        Some(limit) => clocks::limit_arguments(limit),
    }
}

#[cfg(test)]
mod tests;
