//! The lines that describe a game: the offer, the state for a player who reconnects, the state and the record for
//! watchers.

use std::time::Instant;

use crate::text::Secret;
use crate::{GameSummary, MoveWord, ReconnectState, SetupMove, SpentUnit, WireTime};
use kyomi_record::csa::{write_header, write_move};
use kyomi_record::{Header, RecordMove};
use kyomi_shogi::{Color, Game, Move, Position};

use super::{HostedGame, State};

impl HostedGame {
    /// The lines of the offer to one side, with all moves made so far.
    pub(in super::super) fn offer_lines(&self, color: Color) -> Vec<String> {
        self.summary_lines(self.moves_with_times(), color)
    }

    /// All moves made so far, with the numbers after `T`.
    pub(super) fn moves_with_times(&self) -> Vec<SetupMove> {
        let set_up = |(mv, spent): (&_, &_)| SetupMove { mv: *mv, spent: Some(*spent) };
        match &self.state {
            State::Playing { judge, times, .. } => {
                judge.moves().iter().zip(times).map(set_up).collect()
            }
            State::Over if !self.played.is_empty() => self.played.clone(),
            State::Agreeing { .. } | State::Over => {
                let times = self.setup_times(self.setup.len());
                self.setup.iter().zip(&times).map(set_up).collect()
            }
        }
    }

    fn summary_lines(&self, moves: Vec<SetupMove>, color: Color) -> Vec<String> {
        let reconnect_token = self.token(color).map(Secret::new);
        let start = self.start.clone();
        let summary = self.summary();
        GameSummary { moves, reconnect_token, your_turn: color, start, ..summary }.to_lines()
    }

    /// The offer without a side, a position and moves.
    fn summary(&self) -> GameSummary {
        let [black, white] = &self.names;
        let mut summary = GameSummary {
            max_moves: Some(self.rules.max_moves),
            rematch_on_draw: Some(self.rules.rematch_on_draw),
            times: self.controls,
            ..GameSummary::new(&self.id, black, white)
        };
        summary.set_entering_king(self.rules.declaration);
        summary
    }

    /// The lines that show the game to other clients: the offer with the current position, and the time left on both
    /// clocks at the start of the current turn.
    pub(in super::super) fn show_lines(&self) -> Vec<String> {
        let game = match &self.state {
            State::Playing { judge, .. } => judge.game().clone(),
            State::Agreeing { .. } | State::Over => self.starting_game(),
        };
        let summary = GameSummary { start: game.position().clone(), ..self.summary() };
        let mut lines = summary.to_lines();
        lines.retain(|line| !line.starts_with("Your_Turn:"));
        let left = Color::ALL.map(|color| {
            let control = self.controls.of(color);
            let left = match &self.state {
                State::Playing { judge, .. } => judge.remaining(color),
                State::Agreeing { .. } | State::Over => control.main_time(),
            };
            left.as_nanos() / SpentUnit::TimeUnit.length(control).as_nanos().max(1)
        });
        let last = match &self.state {
            State::Playing { judge, times, .. } => {
                let time = times.last().map_or_else(String::new, |time| format!(",T{time}"));
                judge.last_word().map_or_else(String::new, |word| format!("{word}{time}"))
            }
            State::Agreeing { .. } | State::Over => String::new(),
        };
        let [black, white] = left;
        let state = [
            format!("Remaining_Time+:{black}"),
            format!("Remaining_Time-:{white}"),
            format!("Last_Move:{last}"),
            format!("Current_Turn:{}", game.len()),
        ];
        let end = lines.iter().rposition(|line| line.starts_with("END Time"));
        let at = end.unwrap_or(lines.len());
        lines.splice(at..at, state);
        lines
    }

    /// The lines of the record so far.
    pub(in super::super) fn record_lines(&self, header: &Header) -> Vec<String> {
        let mut text = write_header(header, &self.start);
        let mut game = Game::new(self.start.clone());
        for made in self.record_moves() {
            text.push_str(&write_move(game.position(), &made));
            if game.push(made.mv).is_err() {
                break;
            }
        }
        text.lines().map(str::to_owned).collect()
    }

    /// All moves made in the running game, those of the setup included, as its record has them.
    pub(in super::super) fn record_moves(&self) -> Vec<RecordMove> {
        let State::Playing { judge, times, .. } = &self.state else { return Vec::new() };
        let mut side = self.start.side_to_move();
        let made = |(mv, time): (&Move, &WireTime)| {
            let unit = SpentUnit::TimeUnit.length(self.controls.of(side));
            side = !side;
            RecordMove::timed(*mv, time.to_duration(unit))
        };
        judge.moves().iter().zip(times).map(made).collect()
    }

    /// The lines with the state of the running game, for a player who has come back.
    pub(in super::super) fn state_lines(&self, now: Instant) -> Vec<String> {
        let State::Playing { judge, .. } = &self.state else { return Vec::new() };
        let remaining = Color::ALL.map(|color| {
            let increment = self.controls.of(color).increment;
            Some(judge.remaining(color).saturating_add(increment))
        });
        ReconnectState {
            turn: Some(judge.side_to_move()),
            remaining,
            turn_spent: Some(judge.turn_spent(now)),
            last_move: judge.last_word().and_then(MoveWord::parse),
        }
        .to_lines()
    }

    /// The position before the first move, and all moves.
    pub(in super::super) fn moves(&self) -> (&Position, Vec<Move>) {
        let moves = match &self.state {
            State::Playing { judge, .. } => judge.moves().to_vec(),
            State::Agreeing { .. } | State::Over => self.setup.clone(),
        };
        (&self.start, moves)
    }
}
