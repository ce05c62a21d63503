//! A game between two players of the server: offer, agreement, moves, end; without I/O.
//!
//! ```text
//!            AGREE x 2             end of the game
//! Agreeing ------------> Playing -----------------> Over
//!     |  REJECT, timeout, a player gone                ^
//!     +------------------------------------------------+
//! ```
//! Every call takes the time and returns effects, which the lobby carries out in order.
//!
//! - Lines of the side that is not to move are kept, as on the reference server, and handled when its turn comes
//!   (their time is then zero). An identical repetition of its last move is dropped. More than
//!   [`MAX_EARLY_LINES`] of them lose by `#ILLEGAL_ACTION`.
//! - A player who leaves loses immediately: in its own turn as by resignation (with the reference server's
//!   lines), in the opponent's turn by `#ILLEGAL_ACTION`, so that the resignation cannot be mistaken for the
//!   opponent's.
//! - The flag falls by a timer, even if no line comes.
//! - Comments are kept for the record and not sent to the opponent.
//! - `%CHUDAN` of both sides suspends the game. One side alone cannot, so that no player escapes a lost game.

#[cfg(test)]
mod tests;
mod view;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::text::printable;
use crate::{ClientMessage, SetupMove, SpentUnit, WireTime, reason_line, result_line};
use kyomi_shogi::clock::Controls;
use kyomi_shogi::{Color, EndReason, Game, GameEnd, Move, Position};

use super::judge::{Judge, Ruling, Spent};
use super::rules::GameRules;

/// A game from its offer to its end.
#[derive(Debug)]
pub(super) struct HostedGame {
    id: String,
    names: [String; 2],
    controls: Controls,
    start: Position,
    /// Moves that are already made when the game begins.
    setup: Vec<Move>,
    rules: GameRules,
    /// The tokens with which the players may come back after a lost connection, `[color]`.
    tokens: Option<[String; 2]>,
    state: State,
    /// All moves of a game that is over, with the numbers after `T`.
    played: Vec<SetupMove>,
    /// The bytes of comments that may still be kept.
    comments_left: usize,
}

#[derive(Debug)]
enum State {
    Agreeing {
        until: Instant,
        agreed: [bool; 2],
    },
    Playing {
        judge: Box<Judge>,
        /// The numbers after `T` of all moves, those of the setup included.
        times: Vec<WireTime>,
        early: [VecDeque<EarlyLine>; 2],
        /// The sides that have proposed to suspend the game since their last move, `[color]`.
        suspends: [bool; 2],
    },
    Over,
}

/// A line that arrived before its sender's turn.
#[derive(Debug)]
struct EarlyLine {
    line: String,
    arrived: Instant,
}

/// An action that the lobby has to carry out for a game, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Send a line to one side.
    Send(Color, String),
    /// Both sides have agreed: begin the record.
    Begin,
    /// Record a move, with its comment. `word` is the move as it was sent.
    Move { mv: Move, word: String, spent: Spent, comment: Option<String> },
    /// Record the end, with the line that was not a legal move; the game is over.
    Over { end: GameEnd, illegal_line: Option<String>, spent: Option<Spent>, plies: usize },
    /// The offer was rejected; the game is over.
    Rejected(Rejected),
}

/// Why an offer was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejected {
    /// This side rejected it.
    By(Color),
    /// This side left.
    Left(Color),
    /// Time ran out; `[color]`: whether the side had agreed.
    TimedOut([bool; 2]),
    /// The server is shutting down.
    ByServer,
}

impl HostedGame {
    /// A game that is offered: the sides have until `until` to agree.
    pub(super) fn new(
        id: String,
        names: [String; 2],
        controls: Controls,
        start: Position,
        rules: GameRules,
        until: Instant,
    ) -> Self {
        let state = State::Agreeing { until, agreed: [false; 2] };
        Self {
            id,
            names,
            controls,
            start,
            setup: Vec::new(),
            rules,
            tokens: None,
            state,
            played: Vec::new(),
            comments_left: MAX_COMMENTS,
        }
    }

    /// Begins the game with these moves, which cost no time. They must be legal.
    pub(super) fn with_setup(self, setup: Vec<Move>) -> Self {
        Self { setup, ..self }
    }

    /// Lets players whose connection is lost come back with these tokens, `[color]`.
    pub(super) fn with_tokens(self, tokens: [String; 2]) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// The game as it was when the server that ran it was killed, with the moves played since the offer and the time
    /// charged for each. Each clock is stopped until [`HostedGame::player_returned`]. `None` if it cannot be continued.
    pub(super) fn restored(self, played: &[(Move, Duration)], now: Instant) -> Option<Self> {
        let game = self.starting_game();
        let mut times = self.setup_times(game.len());
        let mut judge = Judge::start(game, self.controls, self.rules, now);
        for &(mv, spent) in played {
            let control = self.controls.of(judge.side_to_move());
            times.push(WireTime::floor(spent, SpentUnit::TimeUnit.length(control)));
            if !judge.replay(mv, spent) {
                return None;
            }
        }
        judge.stop_clocks();
        let state = State::Playing {
            judge: Box::new(judge),
            times,
            early: Default::default(),
            suspends: [false; 2],
        };
        Some(Self { state, ..self })
    }

    /// Handles the return of a player to a restored game: its clock runs again. Returns whether its turn begins now.
    pub(super) fn player_returned(&mut self, color: Color, now: Instant) -> bool {
        match &mut self.state {
            State::Playing { judge, .. } => judge.restart_clock(color, now),
            State::Agreeing { .. } | State::Over => false,
        }
    }

    /// Whether the clock is stopped, because the side to move has not come back to a restored game.
    pub(super) fn is_clock_stopped(&self) -> bool {
        self.is_away(self.side_to_move())
    }

    /// Whether this side has not come back to a restored game.
    pub(super) fn is_away(&self, color: Color) -> bool {
        matches!(&self.state, State::Playing { judge, .. } if judge.is_away(color))
    }

    /// Both tokens, if players may come back.
    pub(super) fn tokens(&self) -> Option<&[String; 2]> {
        self.tokens.as_ref()
    }

    /// The token with which a side may come back.
    pub(super) fn token(&self, color: Color) -> Option<&str> {
        self.tokens.as_ref().map(|tokens| tokens[color.index()].as_str())
    }

    /// The game's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The players, `[color]`.
    pub(super) fn names(&self) -> &[String; 2] {
        &self.names
    }

    /// The clocks.
    pub(super) fn controls(&self) -> &Controls {
        &self.controls
    }

    /// The position the game starts from.
    pub(super) fn start(&self) -> &Position {
        &self.start
    }

    /// The rules.
    pub(super) fn rules(&self) -> &GameRules {
        &self.rules
    }

    /// The moves that are already made when the game begins.
    pub(super) fn setup(&self) -> &[Move] {
        &self.setup
    }

    /// The sides that have agreed to the offer, `[color]`; `None` once the game has begun.
    pub(super) fn agreed(&self) -> Option<[bool; 2]> {
        match &self.state {
            State::Agreeing { agreed, .. } => Some(*agreed),
            State::Playing { .. } | State::Over => None,
        }
    }

    /// Whether the game has begun and is not over.
    pub(super) fn is_playing(&self) -> bool {
        matches!(self.state, State::Playing { .. })
    }

    /// When [`HostedGame::tick`] is due.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            State::Agreeing { until, .. } => Some(*until),
            State::Playing { judge, .. } => judge.flag_at()?.checked_add(FLAG_GRACE),
            State::Over => None,
        }
    }

    /// Handles the passing of time.
    pub(super) fn tick(&mut self, now: Instant) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { until, agreed } if now >= *until => {
                let who = Rejected::TimedOut(*agreed);
                self.reject("the Server (timed out)", who)
            }
            State::Playing { judge, .. } => {
                judge.end_by_flag(now).map_or_else(Vec::new, |end| self.end(None, end))
            }
            _ => Vec::new(),
        }
    }

    /// The echo of the last move, or `START`, is sent at `now`: the time of the turn is measured from here.
    pub(super) fn turn_begins(&mut self, now: Instant) {
        if let State::Playing { judge, .. } = &mut self.state {
            judge.turn_begins(now);
        }
    }

    /// Handles a line of one side, read at `arrived`.
    pub(super) fn line(
        &mut self,
        color: Color,
        line: &str,
        arrived: Instant,
        now: Instant,
    ) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { .. } => self.answer_offer(color, line, now),
            State::Playing { .. } => self.play(color, line, arrived, now),
            State::Over => Vec::new(),
        }
    }

    /// Handles the departure of one side.
    pub(super) fn left(&mut self, color: Color, now: Instant) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { .. } => {
                let name = self.names[color.index()].clone();
                self.reject(&name, Rejected::Left(color))
            }
            State::Playing { judge, .. } => {
                if let Some(end) = judge.end_by_flag(now) {
                    return self.end(None, end);
                }
                if judge.side_to_move() == color {
                    let special = Some(("%TORYO", judge.spent(now)));
                    self.end(special, self.lost(color, EndReason::Disconnected))
                } else {
                    self.end(None, self.lost(color, EndReason::Disconnected))
                }
            }
            State::Over => Vec::new(),
        }
    }

    /// Ends the game as lost for a side that misbehaves.
    pub(super) fn forfeit(&mut self, color: Color, now: Instant) -> Vec<Effect> {
        if self.is_playing() {
            self.end(None, self.lost(color, EndReason::IllegalAction))
        } else {
            self.left(color, now)
        }
    }

    /// Suspends a running game or withdraws an offer because the server is shutting down.
    pub(super) fn abort(&mut self) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { .. } => self.withdraw(),
            State::Playing { .. } => self.end(None, self.adjourned()),
            State::Over => Vec::new(),
        }
    }

    /// Ends a restored game to which a player has not come back, without a result.
    pub(super) fn interrupt(&mut self) -> Vec<Effect> {
        if !self.is_playing() {
            return Vec::new();
        }
        self.end(None, GameEnd::without_result(EndReason::Interrupted, self.side_to_move()))
    }

    fn lost(&self, loser: Color, reason: EndReason) -> GameEnd {
        GameEnd::lost(loser, reason, self.side_to_move())
    }

    fn adjourned(&self) -> GameEnd {
        GameEnd::without_result(EndReason::Adjourned, self.side_to_move())
    }

    /// Black before the start.
    fn side_to_move(&self) -> Color {
        match &self.state {
            State::Playing { judge, .. } => judge.side_to_move(),
            State::Agreeing { .. } | State::Over => Color::Black,
        }
    }

    /// Withdraws an offer; a running game continues.
    pub(super) fn withdraw(&mut self) -> Vec<Effect> {
        if matches!(self.state, State::Agreeing { .. }) {
            self.reject("the Server (shutting down)", Rejected::ByServer)
        } else {
            Vec::new()
        }
    }

    fn answer_offer(&mut self, color: Color, line: &str, now: Instant) -> Vec<Effect> {
        let State::Agreeing { agreed, .. } = &mut self.state else { return Vec::new() };
        let error = |text: &str| vec![Effect::Send(color, format!("##[ERROR] {text}"))];
        match ClientMessage::parse(line) {
            ClientMessage::Agree { game_id: Some(id) }
            | ClientMessage::Reject { game_id: Some(id) }
                if id != self.id =>
            {
                error("that game is not offered")
            }
            ClientMessage::Agree { .. } if agreed[color.index()] => {
                error("you have agreed already and wait for your opponent")
            }
            ClientMessage::Agree { .. } => {
                agreed[color.index()] = true;
                if *agreed == [true; 2] { self.begin(now) } else { Vec::new() }
            }
            ClientMessage::Reject { .. } => {
                let name = self.names[color.index()].clone();
                self.reject(&name, Rejected::By(color))
            }
            // A move before START is dropped, as on the reference server.
            _ if line.starts_with(['+', '-', '%']) => Vec::new(),
            _ => error(&unknown(line)),
        }
    }

    fn begin(&mut self, now: Instant) -> Vec<Effect> {
        let game = self.starting_game();
        let times = self.setup_times(game.len());
        let judge = Judge::start(game, self.controls, self.rules, now);
        self.state = State::Playing {
            judge: Box::new(judge),
            times,
            early: Default::default(),
            suspends: [false; 2],
        };
        let start = format!("START:{}", self.id);
        let mut effects = vec![Effect::Begin];
        effects.extend(Color::ALL.map(|color| Effect::Send(color, start.clone())));
        effects
    }

    /// The game after the moves of the setup.
    fn starting_game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        for mv in &self.setup {
            // The moves of a setup are checked before they get here.
            if game.push(*mv).is_err() {
                break;
            }
        }
        game
    }

    /// The numbers after `T` of the setup moves: the increment, so that a client that adds up the times has full clocks
    /// after them.
    fn setup_times(&self, moves: usize) -> Vec<WireTime> {
        let first = self.start.side_to_move();
        let colors = [first, !first].into_iter().cycle().take(moves);
        let time = |color| {
            let control = self.controls.of(color);
            WireTime::floor(control.increment, SpentUnit::TimeUnit.length(control))
        };
        colors.map(time).collect()
    }

    fn play(&mut self, color: Color, line: &str, arrived: Instant, now: Instant) -> Vec<Effect> {
        let State::Playing { judge, early, .. } = &mut self.state else { return Vec::new() };
        let is_play =
            line.starts_with(['+', '-']) || (line.starts_with('%') && !line.starts_with("%%"));
        if !is_play {
            return vec![Effect::Send(color, format!("##[ERROR] {}", unknown(line)))];
        }
        if line.trim_end() == "%CHUDAN" {
            return self.propose_to_suspend(color, now);
        }
        if judge.side_to_move() != color {
            let word = line.split(',').next().unwrap_or_default().trim_end();
            if judge.last_word() == Some(word) {
                return Vec::new();
            }
            let waiting = &mut early[color.index()];
            if waiting.len() >= MAX_EARLY_LINES {
                return self.end(None, self.lost(color, EndReason::IllegalAction));
            }
            waiting.push_back(EarlyLine { line: line.to_owned(), arrived });
            return Vec::new();
        }
        let mut effects = self.handle_line(line, arrived, now);
        while let State::Playing { judge, early, .. } = &mut self.state {
            let Some(next) = early[judge.side_to_move().index()].pop_front() else { break };
            effects.extend(self.handle_line(&next.line, next.arrived, now));
        }
        effects
    }

    /// Handles a side's proposal to suspend the game, which happens when both sides have proposed it. A proposal is
    /// valid until the side's next move.
    fn propose_to_suspend(&mut self, color: Color, now: Instant) -> Vec<Effect> {
        let State::Playing { judge, suspends, .. } = &mut self.state else { return Vec::new() };
        if let Some(end) = judge.end_by_flag(now) {
            return self.end(None, end);
        }
        let is_new = !std::mem::replace(&mut suspends[color.index()], true);
        if *suspends == [true; 2] {
            return self.end(None, self.adjourned());
        }
        let name = &self.names[color.index()];
        let notice = format!("##[CHUDAN] {name} proposes to suspend the game; %CHUDAN agrees");
        if is_new {
            Color::ALL.map(|to| Effect::Send(to, notice.clone())).into()
        } else {
            Vec::new()
        }
    }

    fn handle_line(&mut self, line: &str, arrived: Instant, now: Instant) -> Vec<Effect> {
        let State::Playing { judge, times, suspends, .. } = &mut self.state else {
            return Vec::new();
        };
        let mover = judge.side_to_move();
        match judge.judge(line, arrived, now) {
            Ruling::Move { mv, word, spent, end } => {
                times.push(spent.wire);
                suspends[mover.index()] = false;
                let echo = format!("{word},T{}", spent.wire);
                let comment = line.split_once(",'").map(|(_, comment)| record_comment(comment));
                let left = &mut self.comments_left;
                let comment = comment.filter(|it| !it.is_empty() && it.len() <= *left);
                *left -= comment.as_ref().map_or(0, String::len);
                let mut effects = vec![Effect::Move { mv, word, spent, comment }];
                effects.extend(Color::ALL.map(|color| Effect::Send(color, echo.clone())));
                if let Some(end) = end {
                    effects.extend(self.end(None, end));
                }
                effects
            }
            Ruling::Over { special, end } => {
                let is_illegal = end.reason == EndReason::IllegalMove;
                let mut effects = self.end(special, end);
                if is_illegal && let Some(Effect::Over { illegal_line, .. }) = effects.last_mut() {
                    *illegal_line = Some(printable(line).chars().take(MAX_ILLEGAL_LINE).collect());
                }
                effects
            }
        }
    }

    fn end(&mut self, special: Option<(&'static str, Spent)>, end: GameEnd) -> Vec<Effect> {
        let State::Playing { judge, .. } = &self.state else { return Vec::new() };
        let plies = judge.plies();
        self.played = self.moves_with_times();
        self.state = State::Over;
        let mut effects = Vec::new();
        for color in Color::ALL {
            if let Some((word, spent)) = special {
                // `%TORYO` has no time, as with the reference server; clients expect it so.
                let line = match word {
                    "%TORYO" => word.to_owned(),
                    _ => format!("{word},T{}", spent.wire),
                };
                effects.push(Effect::Send(color, line));
            }
            effects.push(Effect::Send(color, reason_line(&end).to_owned()));
            effects
                .extend(result_line(&end, color).map(|line| Effect::Send(color, line.to_owned())));
        }
        let spent = special.map(|(_, spent)| spent);
        effects.push(Effect::Over { end, illegal_line: None, spent, plies });
        effects
    }

    fn reject(&mut self, by: &str, why: Rejected) -> Vec<Effect> {
        self.state = State::Over;
        let line = format!("REJECT:{} by {by}", self.id);
        let mut effects: Vec<_> =
            Color::ALL.map(|color| Effect::Send(color, line.clone())).into_iter().collect();
        effects.push(Effect::Rejected(why));
        effects
    }
}

/// The error text for an unknown line.
pub(super) fn unknown(line: &str) -> String {
    let shown: String = printable(line).chars().take(64).collect();
    format!("unknown command {shown}")
}

/// The comment for the record, without control characters and of limited length.
fn record_comment(comment: &str) -> String {
    printable(comment).chars().take(MAX_COMMENT).collect()
}

/// Maximum number of early lines kept for each side.
pub(super) const MAX_EARLY_LINES: usize = 16;

/// Maximum number of characters kept of a comment.
const MAX_COMMENT: usize = 1000;

/// Maximum number of bytes kept of all comments of a game, which are in memory until it is over. It is 512 for each of
/// 256 moves; engines write 100 to 300.
const MAX_COMMENTS: usize = 128 * 1024;

/// Maximum number of characters kept of an illegal move.
const MAX_ILLEGAL_LINE: usize = 256;

/// How long after the fall of the flag the timer checks it. A line read just before is still in time: what
/// counts is when it was read.
const FLAG_GRACE: Duration = Duration::from_millis(20);
