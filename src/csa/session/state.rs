//! The states and what belongs to each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::Ledger;
use crate::shogi::notation::csa;
use crate::shogi::{Color, Game, Move};

use super::super::event::{Analysis, GameStart};
use super::super::message::{MoveWord, ReasonWord, ResultWord, Special, WireTime};
use super::super::summary::GameSummary;
use super::{Farewell, GameSnapshot};

/// Where the session is.
#[derive(Debug)]
pub(super) enum State {
    /// Not connected.
    Offline,
    /// `LOGIN` is sent.
    LoggingIn { since: Instant },
    /// Logged in, no offer.
    Waiting(Waiting),
    /// An offer is being read.
    Agreeing,
    /// `AGREE` was sent at this time.
    Starting { summary: Arc<GameSummary>, since: Instant },
    /// The game runs.
    Playing(Box<Play>),
    /// The first line about the end has come.
    Ending(Box<Ending>),
    /// We are leaving; the server may still say goodbye.
    Closing { since: Instant, farewell: Farewell },
    /// Over.
    Closed,
}

impl State {
    /// For warnings: what we are doing.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Offline => "before the connection stands",
            Self::LoggingIn { .. } => "while logging in",
            Self::Waiting(_) => "while waiting for a game",
            Self::Agreeing => "while an offer is read",
            Self::Starting { .. } => "before the game starts",
            Self::Playing(_) => "in the game",
            Self::Ending(_) => "at the end of the game",
            Self::Closing { .. } => "while leaving",
            Self::Closed => "after the end",
        }
    }
}

/// Waiting for an offer.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Since the login; `None` when there was a game or an offer before.
    pub(super) fresh: Option<Instant>,
    /// The server's error soon after the login, where it means that no game will come.
    pub(super) error: Option<String>,
}

/// A game.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) start: Arc<GameStart>,
    pub(super) game: Game,
    pub(super) ledger: Ledger,
    /// When the line came that began the running turn.
    pub(super) turn_started: Instant,
    pub(super) mind: Mind,
    /// The last move the server has confirmed.
    pub(super) last_word: Option<MoveWord>,
    /// The server made a move that we cannot follow: only the result counts now.
    pub(super) adrift: bool,
    /// A `%` word that the server has relayed.
    pub(super) special: Option<(Special, Option<WireTime>)>,
    /// A `#` word we do not know; the reason, should a result follow.
    pub(super) strange_reason: Option<String>,
    /// The server's lines about the end.
    pub(super) lines: Vec<String>,
    /// Warned about times that differ from our own measure.
    pub(super) warned_time: bool,
}

/// What our side is doing.
#[derive(Debug)]
pub(super) enum Mind {
    /// Nothing: the opponent's turn, or all is said.
    Idle,
    /// The player thinks about the position on the board.
    Thinking { id: u64 },
    /// The player thinks on the opponent's time.
    Pondering,
    /// Our move is sent and not confirmed.
    Sent(Box<Sent>),
    /// Our `%` word is sent.
    Said(Special),
}

/// Our move on its way.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) word: MoveWord,
    pub(super) at: Instant,
    pub(super) analysis: Analysis,
    pub(super) ponder: Option<Move>,
}

/// A move as the server relays it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relayed<'a> {
    pub(super) word: MoveWord,
    pub(super) spent: Option<WireTime>,
    pub(super) comment: Option<&'a str>,
}

/// The end of a game in the making.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) play: Play,
    pub(super) reason: Option<ReasonWord>,
    pub(super) result: Option<ResultWord>,
    /// What is missing then does not come any more.
    pub(super) until: Instant,
}

impl Play {
    pub(super) fn color(&self) -> Color {
        self.start.color
    }

    pub(super) fn summary(&self) -> &Arc<GameSummary> {
        &self.start.summary
    }

    pub(super) fn side_to_move(&self) -> Color {
        self.game.position().side_to_move()
    }

    pub(super) fn is_our_turn(&self) -> bool {
        self.side_to_move() == self.color()
    }

    /// Whether the player is at work and has to be told when the game is over.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.mind, Mind::Thinking { .. } | Mind::Pondering)
    }

    /// Whether these moves can be made one after the other.
    pub(super) fn can_follow(&self, words: &[MoveWord]) -> bool {
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

    /// Whether our resignation is the last that was said in this turn.
    pub(super) fn has_resigned(&self) -> bool {
        matches!(self.mind, Mind::Said(Special::Toryo))
    }

    /// Keeps a line about the end, a few of them at most.
    pub(super) fn note(&mut self, line: &str) {
        if self.lines.len() < MOST_END_LINES {
            self.lines.push(super::clip(line));
        }
    }

    pub(super) fn snapshot(&self, id: u64, game: Game) -> Box<GameSnapshot> {
        Box::new(GameSnapshot {
            id,
            game,
            clocks: *self.ledger.clocks(),
            summary: Arc::clone(self.summary()),
            color: self.color(),
            turn_started: self.turn_started,
        })
    }

    /// The longest that the game can still run on the server without us.
    pub(super) fn longest_left(&self) -> Duration {
        Color::ALL
            .into_iter()
            .map(|color| self.ledger.clocks().of(color))
            .map(|clock| clock.flag_after().unwrap_or(UNLIMITED_LEFT))
            .max()
            .unwrap_or_default()
    }
}

const MOST_END_LINES: usize = 16;
/// Games without a clock: the reference server forgets a lost player after a day.
const UNLIMITED_LEFT: Duration = Duration::from_secs(24 * 60 * 60);
