//! What is to be shown, updated by events; independent of lines and columns.

use std::time::{Duration, Instant};

use crate::{
    clock::{Clocks, SideClock},
    csa::MoveEvent,
    engine::SearchInfo,
    shogi::{
        Color, Game, Move, Score, Square,
        notation::{csa, japanese},
    },
};

use super::clean;

/// The game that is running or has just ended.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    /// Which game of this run, from 1 on.
    pub(super) number: u64,
    /// Black's and white's name, cleaned.
    pub(super) names: [String; 2],
    pub(super) game: Game,
    /// As of the last move; the running side's time since then is not in them.
    pub(super) clocks: Clocks,
    /// Since when the side to move thinks.
    pub(super) turn_began: Instant,
    pub(super) moves: Vec<Row>,
    /// The latest word of each side's engine.
    pub(super) thoughts: [Option<Thought>; 2],
    pub(super) ending: Option<Ending>,
}

/// A move in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) ply: u32,
    pub(super) color: Color,
    /// `▲７六歩(77)`
    pub(super) japanese: String,
    /// `+7776FU`
    pub(super) csa: String,
    pub(super) spent: Duration,
    /// What black and white have left after it; `None`: no limit.
    pub(super) left: [Option<Duration>; 2],
    /// From black's view.
    pub(super) score: Option<Score>,
}

/// What an engine thinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thought {
    pub(super) depth: u32,
    /// From black's view.
    pub(super) score: Option<Score>,
    pub(super) nodes: u64,
    pub(super) nps: u64,
    /// The expected line, ready to be read.
    pub(super) line: String,
}

/// How the game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    /// `black`, `white`, `draw` or `none`.
    pub(super) result: String,
    /// The CSA end word, such as `%TORYO`.
    pub(super) reason: String,
    /// Where the record is.
    pub(super) record: Option<String>,
}

impl Scene {
    pub(super) fn new(
        number: u64,
        names: [&str; 2],
        game: Game,
        clocks: &Clocks,
        now: Instant,
    ) -> Self {
        Self {
            number,
            names: names.map(clean),
            game,
            clocks: *clocks,
            turn_began: now,
            moves: Vec::new(),
            thoughts: [None, None],
            ending: None,
        }
    }

    /// A move was made; one that is not legal here is left out, as the judge will do something
    /// about it.
    pub(super) fn make(
        &mut self,
        event: &MoveEvent,
        clocks: &Clocks,
        now: Instant,
    ) -> Option<&Row> {
        let position = self.game.position();
        let color = position.side_to_move();
        let japanese = japanese::move_text(position, event.mv, self.last_square());
        let csa = csa::format_move(position, event.mv);
        self.game.push(event.mv).ok()?;
        self.clocks = *clocks;
        self.turn_began = now;
        let score = event.analysis.as_ref().and_then(|analysis| analysis.score);
        self.moves.push(Row {
            ply: event.ply,
            color,
            japanese,
            csa,
            spent: event.spent,
            left: [Color::Black, Color::White].map(|side| self.left(side)),
            score,
        });
        self.moves.last()
    }

    /// The game goes on over a new connection, with these clocks.
    pub(super) fn resume(&mut self, clocks: &Clocks, now: Instant) {
        self.clocks = *clocks;
        self.turn_began = now;
    }

    /// What an engine thinks about `game`; its line is cut where it ceases to fit.
    pub(super) fn think(&mut self, color: Color, game: &Game, info: &SearchInfo) {
        if info.multipv.is_some_and(|line| line > 1) {
            return;
        }
        let slot = &mut self.thoughts[color.index()];
        let position = game.position();
        let black = position.side_to_move() == Color::Black;
        let score = info.score.map(|score| if black { score } else { -score });
        let line = if info.pv.is_empty() {
            slot.take().map(|before| before.line).unwrap_or_default()
        } else {
            japanese::line(position, &info.pv, game.moves().last().map(|mv| mv.to()))
        };
        *slot = Some(Thought { depth: info.depth, score, nodes: info.nodes, nps: info.nps, line });
    }

    pub(super) fn last_move(&self) -> Option<Move> {
        self.game.moves().last().copied()
    }

    fn last_square(&self) -> Option<Square> {
        self.last_move().map(Move::to)
    }

    fn left(&self, color: Color) -> Option<Duration> {
        let clock = self.clocks.of(color);
        (!clock.control.is_unlimited()).then_some(clock.remaining)
    }

    /// A side's clock as computed for the present moment: time left, and what is left of the byoyomi once
    /// that is what runs.
    pub(super) fn face(&self, color: Color, now: Instant) -> Face {
        let SideClock { control, remaining, .. } = self.clocks.of(color);
        let running = self.runs(color);
        if control.is_unlimited() {
            return Face { left: None, byoyomi: None, running };
        }
        let (account, used) = if running {
            let used = now.saturating_duration_since(self.turn_began);
            (remaining.saturating_add(control.increment), used.saturating_sub(control.delay))
        } else {
            (*remaining, Duration::ZERO)
        };
        let left = account.saturating_sub(used);
        let byoyomi = (left.is_zero() && !control.byoyomi.is_zero())
            .then(|| control.byoyomi.saturating_sub(used.saturating_sub(account)));
        Face { left: Some(left), byoyomi, running }
    }

    fn runs(&self, color: Color) -> bool {
        self.ending.is_none() && self.game.position().side_to_move() == color
    }
}

/// What a clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Face {
    /// `None`: no limit.
    pub(super) left: Option<Duration>,
    /// What is left of the byoyomi while it runs.
    pub(super) byoyomi: Option<Duration>,
    pub(super) running: bool,
}
