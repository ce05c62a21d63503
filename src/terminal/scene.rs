//! A displayed game, which follows the state of a running one; independent of lines and columns.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::players::SearchInfo;
use crate::watch::{Line, LiveGame, LiveMove};
use kyomi_csa::MoveEvent;
use kyomi_record::EndKind;
use kyomi_shogi::clock::{Clocks, SideClock};
use kyomi_shogi::{
    Color, Game, GameEnd, Move, Score, Square,
    notation::{csa, japanese},
};

use super::clean;

/// The game that is running or has just ended.
#[derive(Debug, Clone)]
pub(super) struct DisplayedGame {
    /// The number of the game in this run, from 1.
    pub(super) number: u64,
    /// The names of black and white, cleaned.
    pub(super) names: [String; 2],
    /// The start position and the moves.
    pub(super) state: Game,
    /// The clocks after the last move. They do not include the running side's time since then.
    pub(super) clocks: Clocks,
    /// The time at which the current turn began.
    pub(super) turn_began: Instant,
    pub(super) moves: Vec<MoveRow>,
    /// The latest search report of each side's engine.
    pub(super) summaries: [Option<SearchSummary>; 2],
    pub(super) ending: Option<Ending>,
}

/// A move in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoveRow {
    pub(super) ply: u32,
    pub(super) color: Color,
    /// `▲７六歩(77)`
    pub(super) japanese: String,
    /// `+7776FU`
    pub(super) csa: String,
    pub(super) spent: Duration,
    /// The main time left of black and of white after the move; `None` without a limit.
    pub(super) left: [Option<Duration>; 2],
    /// From black's view.
    pub(super) score: Option<Score>,
}

/// The latest search report of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchSummary {
    pub(super) depth: u32,
    /// From black's view.
    pub(super) score: Option<Score>,
    pub(super) nodes: u64,
    pub(super) nps: u64,
    pub(super) workers: u32,
    /// The principal variation in Japanese notation.
    pub(super) line: String,
}

/// How the game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    /// `black`, `white`, `draw` or `none`.
    pub(super) result: String,
    /// The CSA end word, such as `%TORYO`.
    pub(super) reason: String,
    /// The path of the record.
    pub(super) record: Option<String>,
}

impl Ending {
    pub(super) fn of((end, record): &(GameEnd, Option<PathBuf>)) -> Self {
        Self {
            result: end.result_word().to_owned(),
            reason: format!("%{}", clean(EndKind::of(end).word())),
            record: record.as_ref().map(|path| clean(&path.display().to_string())),
        }
    }
}

impl DisplayedGame {
    /// The game at its beginning.
    pub(super) fn new(live: &LiveGame) -> Self {
        Self {
            number: live.number,
            names: live.names.each_ref().map(|name| clean(name)),
            state: live.start.as_ref().clone(),
            clocks: live.start_clocks,
            turn_began: live.turn_began,
            moves: Vec::new(),
            summaries: [None, None],
            ending: None,
        }
    }

    /// Adds what is new in the state of the game.
    pub(super) fn follow(&mut self, live: &LiveGame) {
        for LiveMove { event, clocks } in live.moves.iter().skip(self.moves.len()) {
            if !self.add_move(event, clocks, live.turn_began) {
                break;
            }
        }
        for (color, line) in Color::ALL.into_iter().zip(&live.lines) {
            if let Some(Line { game, info }) = line {
                self.update_search(color, game, info);
            }
        }
        (self.clocks, self.turn_began) = (live.clocks, live.turn_began);
    }

    /// Adds a move. An illegal move is ignored here, and `false` returned; the rules of the game decide about it.
    pub(super) fn add_move(&mut self, event: &MoveEvent, clocks: &Clocks, now: Instant) -> bool {
        let position = self.state.position();
        let color = position.side_to_move();
        let japanese = japanese::move_text(position, event.mv, self.last_square());
        let csa = csa::format_move(position, event.mv);
        if self.state.push(event.mv).is_err() {
            return false;
        }
        self.clocks = *clocks;
        self.turn_began = now;
        let score = event.analysis.as_ref().and_then(|analysis| analysis.score);
        self.moves.push(MoveRow {
            ply: event.ply,
            color,
            japanese,
            csa,
            spent: event.spent,
            left: [Color::Black, Color::White].map(|side| self.left(side)),
            score,
        });
        true
    }

    /// Updates an engine's search report on the position of `game`. The line ends before its first illegal move.
    pub(super) fn update_search(&mut self, color: Color, game: &Game, info: &SearchInfo) {
        if !info.is_best_line() {
            return;
        }
        let slot = &mut self.summaries[color.index()];
        let position = game.position();
        let black = position.side_to_move() == Color::Black;
        let score = info.score.map(|score| if black { score } else { -score });
        let line = if info.pv.is_empty() {
            slot.take().map(|before| before.line).unwrap_or_default()
        } else {
            japanese::line(position, &info.pv, game.moves().last().map(|mv| mv.to()))
        };
        *slot = Some(SearchSummary {
            depth: info.depth,
            score,
            nodes: info.nodes,
            nps: info.nps,
            workers: info.workers,
            line,
        });
    }

    pub(super) fn last_move(&self) -> Option<Move> {
        self.state.moves().last().copied()
    }

    fn last_square(&self) -> Option<Square> {
        self.last_move().map(Move::to)
    }

    fn left(&self, color: Color) -> Option<Duration> {
        self.clocks.of(color).main_time_left()
    }

    /// The time that a side's clock shows at `now`: the main time left, and the byoyomi left once the main time is used
    /// up.
    pub(super) fn clock_face(&self, color: Color, now: Instant) -> ClockFace {
        let SideClock { control, remaining, .. } = self.clocks.of(color);
        let running = self.runs(color);
        if control.is_unlimited() {
            return ClockFace { left: None, byoyomi: None, running };
        }
        let (available, used) = if running {
            let used = now.saturating_duration_since(self.turn_began);
            (remaining.saturating_add(control.increment), used.saturating_sub(control.delay))
        } else {
            (*remaining, Duration::ZERO)
        };
        let left = available.saturating_sub(used);
        let byoyomi = (left.is_zero() && !control.byoyomi.is_zero())
            .then(|| control.byoyomi.saturating_sub(used.saturating_sub(available)));
        ClockFace { left: Some(left), byoyomi, running }
    }

    fn runs(&self, color: Color) -> bool {
        self.ending.is_none() && self.state.position().side_to_move() == color
    }
}

/// The times shown on a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockFace {
    /// The main time left; `None` without a limit.
    pub(super) left: Option<Duration>,
    /// The byoyomi left while the byoyomi runs.
    pub(super) byoyomi: Option<Duration>,
    pub(super) running: bool,
}
