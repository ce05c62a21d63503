//! Two players and their game: offer, agreement, moves, end; without I/O.
//!
//! ```text
//!            AGREE x 2             end of the game
//! Agreeing ------------> Playing -----------------> Over
//!     |  REJECT, time out, a player gone               ^
//!     +------------------------------------------------+
//! ```
//! Time comes in with every call; effects come out and are carried out in order by the lobby.
//!
//! - Lines of the side that is not to move are kept, as on the reference server, and judged when
//!   its turn comes (their time is then zero); an identical repeat of its last move is dropped.
//!   More than [`MOST_EARLY_LINES`] of them lose by `#ILLEGAL_ACTION`.
//! - A player who leaves has lost, at once: in its own turn as by resignation (the reference
//!   server's lines), in the other side's turn by `#ILLEGAL_ACTION`, so that nobody can read the
//!   resignation as the other side's.
//! - The flag is looked at by a timer, not when the next line comes.
//! - Comments are kept for the record and not sent to the opponent.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::clock::Controls;
use crate::config::{DeclarationRule, RulesConfig};
use crate::csa::{ClientMessage, GameSummary, printable, reason_line, result_line};
use crate::shogi::{Color, EndReason, Game, GameEnd, Move, Position};

use super::judge::{Judge, Ruling, Spent};

/// One table.
#[derive(Debug)]
pub(super) struct HostedGame {
    id: String,
    names: [String; 2],
    controls: Controls,
    start: Position,
    rules: RulesConfig,
    state: State,
}

#[derive(Debug)]
enum State {
    Agreeing { until: Instant, agreed: [bool; 2] },
    Playing { judge: Box<Judge>, early: [VecDeque<Early>; 2] },
    Over,
}

/// A line that came before its sender's turn.
#[derive(Debug)]
struct Early {
    line: String,
    arrived: Instant,
}

/// What a table wants done, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// A line to one side.
    Say(Color, String),
    /// Both have agreed: a record begins.
    Begin,
    /// A move for the record, with its comment.
    Move { mv: Move, spent: Duration, comment: Option<String> },
    /// The end for the record, with the line that was no legal move; the table is over.
    Over { end: GameEnd, offence: Option<String>, spent: Option<Duration>, plies: usize },
    /// The offer came to nothing; the table is over.
    Rejected(Rejected),
}

/// Why an offer came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejected {
    /// This side turned it down.
    By(Color),
    /// This side left.
    Left(Color),
    /// Time ran out; `[color]`: who had agreed.
    TimedOut([bool; 2]),
    /// The server ends.
    ByServer,
}

impl HostedGame {
    /// A table with its offer made: the sides have until `until` to agree.
    pub(super) fn new(
        id: String,
        names: [String; 2],
        controls: Controls,
        start: Position,
        rules: RulesConfig,
        until: Instant,
    ) -> Self {
        let state = State::Agreeing { until, agreed: [false; 2] };
        Self { id, names, controls, start, rules, state }
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

    /// Whether the game has begun and is not over.
    pub(super) fn is_playing(&self) -> bool {
        matches!(self.state, State::Playing { .. })
    }

    /// The offer to one side.
    pub(super) fn offer_lines(&self, color: Color) -> Vec<String> {
        let [black, white] = &self.names;
        let declaration = match self.rules.declaration {
            DeclarationRule::Points27 => Some("Jishogi 1.1".to_owned()),
            DeclarationRule::Off => None,
        };
        GameSummary {
            your_turn: color,
            declaration,
            max_moves: Some(self.rules.max_moves),
            times: self.controls,
            start: self.start.clone(),
            ..GameSummary::new(&self.id, black, white)
        }
        .to_lines()
    }

    /// When [`HostedGame::tick`] has something to do.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            State::Agreeing { until, .. } => Some(*until),
            State::Playing { judge, .. } => judge.flag_at()?.checked_add(FLAG_GRACE),
            State::Over => None,
        }
    }

    /// Time has passed.
    pub(super) fn tick(&mut self, now: Instant) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { until, agreed } if now >= *until => {
                let who = Rejected::TimedOut(*agreed);
                self.reject("the Server (timed out)", who)
            }
            State::Playing { judge, .. } => {
                judge.look_at_flag(now).map_or_else(Vec::new, |end| self.end(None, end))
            }
            _ => Vec::new(),
        }
    }

    /// What the last move or `START` made heard leaves at `now`: the turn counts from here.
    pub(super) fn turn_begins(&mut self, now: Instant) {
        if let State::Playing { judge, .. } = &mut self.state {
            judge.turn_begins(now);
        }
    }

    /// A line of one side, read at `arrived`.
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

    /// One side is gone.
    pub(super) fn left(&mut self, color: Color, now: Instant) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { .. } => {
                let name = self.names[color.index()].clone();
                self.reject(&name, Rejected::Left(color))
            }
            State::Playing { judge, .. } => {
                if let Some(end) = judge.look_at_flag(now) {
                    return self.end(None, end);
                }
                if judge.side_to_move() == color {
                    let said = Some(("%TORYO", judge.spent(now)));
                    self.end(said, self.lost(color, EndReason::Disconnected))
                } else {
                    self.end(None, self.lost(color, EndReason::Disconnected))
                }
            }
            State::Over => Vec::new(),
        }
    }

    /// One side behaves so that it has to lose.
    pub(super) fn forfeit(&mut self, color: Color, now: Instant) -> Vec<Effect> {
        if self.is_playing() {
            self.end(None, self.lost(color, EndReason::IllegalAction))
        } else {
            self.left(color, now)
        }
    }

    /// The server ends: a running game is broken off, an offer withdrawn.
    pub(super) fn abort(&mut self) -> Vec<Effect> {
        match &self.state {
            State::Agreeing { .. } => self.withdraw(),
            State::Playing { .. } => self.end(None, self.suspended()),
            State::Over => Vec::new(),
        }
    }

    fn lost(&self, loser: Color, reason: EndReason) -> GameEnd {
        GameEnd::lost(loser, reason, self.side_to_move())
    }

    fn suspended(&self) -> GameEnd {
        GameEnd::without_result(EndReason::Suspended, self.side_to_move())
    }

    /// Black before the start.
    fn side_to_move(&self) -> Color {
        match &self.state {
            State::Playing { judge, .. } => judge.side_to_move(),
            State::Agreeing { .. } | State::Over => Color::Black,
        }
    }

    /// Withdraws an offer; a running game goes on.
    pub(super) fn withdraw(&mut self) -> Vec<Effect> {
        if matches!(self.state, State::Agreeing { .. }) {
            self.reject("the Server (shutting down)", Rejected::ByServer)
        } else {
            Vec::new()
        }
    }

    fn answer_offer(&mut self, color: Color, line: &str, now: Instant) -> Vec<Effect> {
        let State::Agreeing { agreed, .. } = &mut self.state else { return Vec::new() };
        let error = |text: &str| vec![Effect::Say(color, format!("##[ERROR] {text}"))];
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
        let judge = Judge::start(Game::new(self.start.clone()), self.controls, self.rules, now);
        self.state = State::Playing { judge: Box::new(judge), early: Default::default() };
        let start = format!("START:{}", self.id);
        let mut effects = vec![Effect::Begin];
        effects.extend(Color::ALL.map(|color| Effect::Say(color, start.clone())));
        effects
    }

    fn play(&mut self, color: Color, line: &str, arrived: Instant, now: Instant) -> Vec<Effect> {
        let State::Playing { judge, early } = &mut self.state else { return Vec::new() };
        let is_play =
            line.starts_with(['+', '-']) || (line.starts_with('%') && !line.starts_with("%%"));
        if !is_play {
            return vec![Effect::Say(color, format!("##[ERROR] {}", unknown(line)))];
        }
        if judge.side_to_move() != color {
            let word = line.split(',').next().unwrap_or_default().trim_end();
            if judge.last_word() == Some(word) {
                return Vec::new();
            }
            let waiting = &mut early[color.index()];
            if waiting.len() >= MOST_EARLY_LINES {
                return self.end(None, self.lost(color, EndReason::IllegalAction));
            }
            waiting.push_back(Early { line: line.to_owned(), arrived });
            return Vec::new();
        }
        let mut effects = self.rule(line, arrived, now);
        while let State::Playing { judge, early } = &mut self.state {
            let Some(next) = early[judge.side_to_move().index()].pop_front() else { break };
            effects.extend(self.rule(&next.line, next.arrived, now));
        }
        effects
    }

    fn rule(&mut self, line: &str, arrived: Instant, now: Instant) -> Vec<Effect> {
        let State::Playing { judge, .. } = &mut self.state else { return Vec::new() };
        match judge.rule(line, arrived, now) {
            Ruling::Move { mv, word, spent, end } => {
                let echo = format!("{word},T{}", spent.wire);
                let comment = line.split_once(",'").map(|(_, comment)| kept_comment(comment));
                let comment = comment.filter(|comment| !comment.is_empty());
                let mut effects = vec![Effect::Move { mv, spent: spent.time, comment }];
                effects.extend(Color::ALL.map(|color| Effect::Say(color, echo.clone())));
                if let Some(end) = end {
                    effects.extend(self.end(None, end));
                }
                effects
            }
            Ruling::Over { said, end } => {
                let is_illegal = end.reason == EndReason::IllegalMove;
                let mut effects = self.end(said, end);
                if is_illegal && let Some(Effect::Over { offence, .. }) = effects.last_mut() {
                    *offence = Some(printable(line).chars().take(LONGEST_OFFENCE).collect());
                }
                effects
            }
        }
    }

    fn end(&mut self, said: Option<(&'static str, Spent)>, end: GameEnd) -> Vec<Effect> {
        let State::Playing { judge, .. } = &self.state else { return Vec::new() };
        let plies = judge.plies();
        self.state = State::Over;
        let mut effects = Vec::new();
        for color in Color::ALL {
            if let Some((word, spent)) = said {
                // Without a time, as the reference server says it: clients know it by heart so.
                let line = match word {
                    "%TORYO" => word.to_owned(),
                    _ => format!("{word},T{}", spent.wire),
                };
                effects.push(Effect::Say(color, line));
            }
            effects.push(Effect::Say(color, reason_line(&end).to_owned()));
            effects
                .extend(result_line(&end, color).map(|line| Effect::Say(color, line.to_owned())));
        }
        let spent = said.map(|(_, spent)| spent.time);
        effects.push(Effect::Over { end, offence: None, spent, plies });
        effects
    }

    fn reject(&mut self, by: &str, why: Rejected) -> Vec<Effect> {
        self.state = State::Over;
        let line = format!("REJECT:{} by {by}", self.id);
        let mut effects: Vec<_> =
            Color::ALL.map(|color| Effect::Say(color, line.clone())).into_iter().collect();
        effects.push(Effect::Rejected(why));
        effects
    }
}

/// What to say about a line that nobody understands.
pub(super) fn unknown(line: &str) -> String {
    let shown: String = printable(line).chars().take(64).collect();
    format!("unknown command {shown}")
}

/// The comment as the record keeps it: no control characters, no endless ones.
fn kept_comment(comment: &str) -> String {
    printable(comment).chars().take(LONGEST_COMMENT).collect()
}

/// Early lines that are kept for each side.
pub(super) const MOST_EARLY_LINES: usize = 16;

/// Characters of a comment that are kept.
const LONGEST_COMMENT: usize = 4096;

/// Characters of an illegal move that are kept.
const LONGEST_OFFENCE: usize = 256;

/// How long after the flag's fall we look, so that a line read just before it is still on time;
/// it is judged by when it was read.
const FLAG_GRACE: Duration = Duration::from_millis(20);
