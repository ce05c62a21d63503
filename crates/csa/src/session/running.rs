//! The running game: position, clocks, and what our side is doing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kyomi_shogi::clock::{GameClocks, OwnTurn};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, EnteringKingRule, Finding, Game, Move};

use super::super::event::GameStart;
use super::super::message::{MoveWord, Special, WireTime};
use super::super::summary::GameSummary;
use super::GameSnapshot;

/// The running game.
#[derive(Debug)]
pub(super) struct RunningGame {
    pub(super) start: Arc<GameStart>,
    pub(super) game: Game,
    pub(super) game_clocks: GameClocks,
    /// When the line arrived that began the current turn.
    pub(super) turn_started: Instant,
    pub(super) activity: Activity,
    /// The player's analysis of this position, if it answered without a move.
    pub(super) last_analysis: Option<Finding>,
    /// The last move that the server has sent.
    pub(super) last_word: Option<MoveWord>,
    /// The server sent a move that is not possible on our board: only the result is awaited.
    pub(super) out_of_sync: bool,
    /// The `%` line that the server has relayed.
    pub(super) special: Option<(Special, Option<WireTime>)>,
    /// An unknown `#` line. It is the reason if a result follows.
    pub(super) unknown_reason: Option<String>,
    /// The server's lines about the end.
    pub(super) lines: Vec<String>,
    /// Whether a warning about times that differ from our measurement was already given.
    pub(super) warned_time: bool,
}

/// What our side is currently doing.
#[derive(Debug)]
pub(super) enum Activity {
    /// Nothing: it is the opponent's turn, or the game is out of sync.
    Idle,
    /// The player is searching the current position.
    Thinking {
        /// The id of the request.
        id: u64,
        /// Whether it had pondered on this position; `None` if it had not pondered.
        ponder_hit: Option<bool>,
    },
    /// The player is pondering on this reply.
    Pondering(Move),
    /// Our move was sent and is not yet confirmed.
    MoveSent(Box<SentMove>),
    /// Our `%` line was sent.
    SpecialSent(Special),
}

impl Activity {
    /// Whether the player is searching.
    pub(super) fn is_busy(&self) -> bool {
        match self {
            Self::Thinking { .. } | Self::Pondering(_) => true,
            Self::MoveSent(sent) => sent.is_pondering,
            Self::Idle | Self::SpecialSent(_) => false,
        }
    }
}

/// A move that we have sent.
#[derive(Debug)]
pub(super) struct SentMove {
    pub(super) word: MoveWord,
    pub(super) at: Instant,
    pub(super) analysis: Finding,
    /// The expected reply.
    pub(super) ponder: Option<Move>,
    /// Whether the player is already pondering on it.
    pub(super) is_pondering: bool,
    /// Whether the opponent had played the expected reply before it; `None` if nothing was pondered on.
    pub(super) ponder_hit: Option<bool>,
}

/// A move as sent by the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerMove<'a> {
    pub(super) word: MoveWord,
    pub(super) spent: Option<WireTime>,
    pub(super) comment: Option<&'a str>,
}

impl RunningGame {
    /// A game in which the server has sent no line yet.
    pub(super) fn new(
        start: Arc<GameStart>,
        game: Game,
        game_clocks: GameClocks,
        turn_started: Instant,
    ) -> Self {
        Self {
            start,
            game,
            game_clocks,
            turn_started,
            activity: Activity::Idle,
            last_analysis: None,
            last_word: None,
            out_of_sync: false,
            special: None,
            unknown_reason: None,
            lines: Vec::new(),
            warned_time: false,
        }
    }

    pub(super) fn color(&self) -> Color {
        self.start.color
    }

    pub(super) fn summary(&self) -> &Arc<GameSummary> {
        &self.start.summary
    }

    /// How an entered king wins.
    pub(super) fn entering_king(&self) -> EnteringKingRule {
        self.summary().entering_king()
    }

    pub(super) fn side_to_move(&self) -> Color {
        self.game.position().side_to_move()
    }

    pub(super) fn is_our_turn(&self) -> bool {
        self.side_to_move() == self.color()
    }

    /// The main time that a side has left, without the increment of its next turn; `None` without a limit.
    pub(super) fn main_time_left(&self, side: Color) -> Option<Duration> {
        self.game_clocks.clocks().of(side).main_time_left()
    }

    /// Where the time of our present turn went so far, or until we sent our line; `None` in the opponent's turn.
    pub(super) fn own_turn(&self, now: Instant) -> Option<OwnTurn> {
        if !self.is_our_turn() {
            return None;
        }
        let (sent_at, ponder_hit) = match &self.activity {
            Activity::MoveSent(sent) => (Some(sent.at), sent.ponder_hit),
            Activity::Thinking { ponder_hit, .. } => (None, *ponder_hit),
            Activity::Idle | Activity::Pondering(_) | Activity::SpecialSent(_) => (None, None),
        };
        Some(OwnTurn {
            measured: sent_at.unwrap_or(now).saturating_duration_since(self.turn_started),
            echo: sent_at.map(|at| now.saturating_duration_since(at)),
            before: self.main_time_left(self.color()),
            ponder_hit,
        })
    }

    /// The time by which the server must have sent a line, whatever the opponent does: the echo of our move, or the end
    /// of the game after the opponent's flag has fallen. `None` in our turn and without a clock.
    pub(super) fn server_line_due(&self) -> Option<Instant> {
        let at = match &self.activity {
            Activity::MoveSent(sent) => Some(sent.at),
            _ if self.is_our_turn() => None,
            _ => self.game_clocks.clocks().flag_at(self.turn_started),
        };
        at?.checked_add(LATE_END)
    }

    /// Whether the player is searching and has to be stopped when the game is over.
    pub(super) fn is_busy(&self) -> bool {
        self.activity.is_busy()
    }

    /// Ends what our side is doing, except that a move which was sent may still be confirmed. Returns whether the
    /// player is searching and has to be stopped.
    pub(super) fn stop(&mut self) -> bool {
        let was_busy = self.is_busy();
        match &mut self.activity {
            Activity::Thinking { .. } | Activity::Pondering(_) => self.activity = Activity::Idle,
            Activity::MoveSent(sent) => sent.is_pondering = false,
            Activity::Idle | Activity::SpecialSent(_) => {}
        }
        was_busy
    }

    /// Forgets the lines about an end that was none.
    pub(super) fn forget_end(&mut self) {
        (self.special, self.unknown_reason) = (None, None);
        // A resignation that is sent again still has its score.
        let resigned = self.has_resigned();
        self.last_analysis.take_if(|_| !resigned);
        self.lines.clear();
    }

    /// Whether these moves are legal in sequence.
    pub(super) fn are_legal_moves(&self, words: &[MoveWord]) -> bool {
        let mut position = self.game.position().clone();
        words.iter().all(|word| {
            let mv = csa::parse_move(&position, word.as_str()).ok();
            let mv = mv.filter(|mv| position.is_legal(*mv));
            mv.is_some_and(|mv| {
                position.do_move(mv);
                true
            })
        })
    }

    /// Whether we have sent a resignation in this turn.
    pub(super) fn has_resigned(&self) -> bool {
        matches!(self.activity, Activity::SpecialSent(Special::Toryo))
    }

    /// Stores a line about the end of the game, up to [`MAX_END_LINES`].
    pub(super) fn record_end_line(&mut self, line: &str) {
        if self.lines.len() < MAX_END_LINES {
            self.lines.push(super::clip(line));
        }
    }

    pub(super) fn snapshot(&self, id: u64, game: Game) -> Box<GameSnapshot> {
        Box::new(GameSnapshot {
            id,
            game,
            clocks: *self.game_clocks.clocks(),
            summary: Arc::clone(self.summary()),
            color: self.color(),
            turn_started: self.turn_started,
        })
    }

    /// The longest time that the game can still run on the server without us: until our flag falls, if need be after
    /// the opponent's turn.
    pub(super) fn longest_left(&self) -> Duration {
        let own = self.longest_left_of(self.color());
        if self.is_our_turn() {
            own
        } else {
            own.saturating_add(self.longest_left_of(!self.color()))
        }
    }

    /// The longest time that this side's present or next turn can last.
    pub(super) fn longest_left_of(&self, color: Color) -> Duration {
        self.game_clocks.clocks().of(color).flag_after().unwrap_or(UNLIMITED_LEFT)
    }
}

/// Servers may report the end of a game late: the reference server checks the clocks once a minute.
const LATE_END: Duration = Duration::from_secs(120);
const MAX_END_LINES: usize = 16;
/// For games without a clock: the reference server drops a disconnected player after a day.
const UNLIMITED_LEFT: Duration = Duration::from_secs(24 * 60 * 60);
