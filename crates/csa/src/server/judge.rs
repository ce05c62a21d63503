//! The rules of one running game: clocks, legality, repetition, declaration, move limit.
//!
//! The rules are those of the reference server. For each turn `spent = max(floor(elapsed), least)`; the game is
//! lost on time when `spent >= remaining + byoyomi + increment`. The elapsed time is measured from when the
//! previous line was recorded and passed to the writers until this line was read. The order of the checks for
//! each line is: flag, legality (including checks to the own king and pawn-drop mate), a king's move that wins by the
//! try rule, perpetual check, repetition, move limit. A declaration instead of the last move still wins; mate by the last move is a draw.
//! Moves of the offer count for the limit. The start position does not count for repetition unless configured.
//! Any `%` line except `%TORYO` and `%KACHI` is an illegal move. `%CHUDAN` does not come here: it is a proposal, see
//! `hosted_game`.
//!
//! The caller checks whose turn it is.

use std::time::{Duration, Instant};

use crate::{SpentUnit, WireTime};
use kyomi_shogi::clock::{Controls, TimeControl, judge};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Adjudicator, Color, CountStart, EndReason, Game, GameEnd, Move};

use super::rules::GameRules;

/// A running game with its clocks.
#[derive(Debug)]
pub(super) struct Judge {
    game: Game,
    controls: Controls,
    /// Main time left, `[color]`.
    remaining: [Duration; 2],
    rules: GameRules,
    turn_began: Instant,
    /// The last move as echoed, without its time.
    last_word: Option<String>,
    /// The sides whose clock is stopped, `[color]`: they have not come back to a restored game.
    away: [bool; 2],
}

/// The result of a line of the side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ruling {
    /// The move is legal; the game may end with it.
    Move { mv: Move, word: String, spent: Spent, end: Option<GameEnd> },
    /// The game ends without a move; `special` is the `%` line, if there was one.
    Over { special: Option<(&'static str, Spent)>, end: GameEnd },
}

/// The time charged for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent {
    /// The charged time.
    pub(super) time: Duration,
    /// The number after `T`, in the game's time unit.
    pub(super) wire: WireTime,
}

impl Judge {
    /// Starts the game: the clock of the side to move runs from `now`.
    pub(super) fn start(game: Game, controls: Controls, rules: GameRules, now: Instant) -> Self {
        let remaining = [controls.black.main_time(), controls.white.main_time()];
        Self {
            game,
            controls,
            remaining,
            rules,
            turn_began: now,
            last_word: None,
            away: [false; 2],
        }
    }

    /// Starts the clock of the current turn at `now`, when the previous line was passed to the writers.
    pub(super) fn turn_begins(&mut self, now: Instant) {
        self.turn_began = self.turn_began.max(now);
    }

    /// Makes a move of a restored game, for which this time was charged. Returns false if it is not legal, or if it
    /// ends the game.
    pub(super) fn replay(&mut self, mv: Move, spent: Duration) -> bool {
        let side = self.side_to_move();
        let word = csa::format_move(self.game.position(), mv);
        let remaining = judge::remaining_after(self.control(), self.left(), spent);
        if self.game.push(mv).is_err() || self.end_after_move().is_some() {
            return false;
        }
        self.remaining[side.index()] = remaining;
        self.last_word = Some(word);
        true
    }

    /// Stops both clocks; [`Judge::restart_clock`] restarts each.
    pub(super) fn stop_clocks(&mut self) {
        self.away = [true; 2];
    }

    /// Restarts the clock of a side. If that side is to move, its turn begins at `now`; returns whether this is so.
    pub(super) fn restart_clock(&mut self, color: Color, now: Instant) -> bool {
        let begins = std::mem::take(&mut self.away[color.index()]) && self.side_to_move() == color;
        if begins {
            self.turn_began = now;
        }
        begins
    }

    /// Whether the clock of a side is stopped.
    pub(super) fn is_away(&self, color: Color) -> bool {
        self.away[color.index()]
    }

    /// The side to move.
    pub(super) fn side_to_move(&self) -> Color {
        self.game.position().side_to_move()
    }

    /// The number of moves made.
    pub(super) fn plies(&self) -> usize {
        self.game.len()
    }

    /// The game so far.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// The moves made.
    pub(super) fn moves(&self) -> &[Move] {
        self.game.moves()
    }

    /// The main time that a side has left, without the turn that is running.
    pub(super) fn remaining(&self, color: Color) -> Duration {
        self.remaining[color.index()]
    }

    /// How long the current turn has lasted at `now`.
    pub(super) fn turn_spent(&self, now: Instant) -> Duration {
        if self.is_away(self.side_to_move()) {
            return Duration::ZERO;
        }
        now.saturating_duration_since(self.turn_began)
    }

    /// The last move as echoed, without its time.
    pub(super) fn last_word(&self) -> Option<&str> {
        self.last_word.as_deref()
    }

    /// When the flag of the side to move falls.
    pub(super) fn flag_at(&self) -> Option<Instant> {
        if self.is_away(self.side_to_move()) {
            return None;
        }
        let after = judge::flag_after(self.control(), self.left())?;
        self.turn_began.checked_add(after)
    }

    /// The time that would be charged for the turn at `now`.
    pub(super) fn spent(&self, now: Instant) -> Spent {
        self.charge(now).0
    }

    /// Returns the end of the game if the flag of the side to move has fallen by `now`.
    pub(super) fn end_by_flag(&self, now: Instant) -> Option<GameEnd> {
        self.charge(now).1.flag_fell.then(|| self.lost(self.side_to_move(), EndReason::TimeUp))
    }

    /// Applies the rules to a line of the side to move, which was read at `arrived` and is handled at `now`, when
    /// the next turn begins.
    pub(super) fn judge(&mut self, line: &str, arrived: Instant, now: Instant) -> Ruling {
        let side = self.side_to_move();
        let (spent, charge) = self.charge(arrived);
        if charge.flag_fell {
            return Ruling::Over { special: None, end: self.lost(side, EndReason::TimeUp) };
        }
        let word = line.split(',').next().unwrap_or_default().trim_end();
        if word.starts_with('%') {
            return self.judge_special(word, spent);
        }
        let Some(mv) = self.legal_move(word) else {
            return Ruling::Over { special: None, end: self.lost(side, EndReason::IllegalMove) };
        };
        if self.game.push(mv).is_err() {
            return Ruling::Over { special: None, end: self.lost(side, EndReason::IllegalMove) };
        }
        self.remaining[side.index()] = charge.remaining;
        self.turn_began = now;
        self.last_word = Some(word.to_owned());
        Ruling::Move { mv, word: word.to_owned(), spent, end: self.end_after_move() }
    }

    fn judge_special(&self, word: &str, spent: Spent) -> Ruling {
        let side = self.side_to_move();
        match word {
            "%TORYO" => Ruling::Over {
                special: Some(("%TORYO", spent)),
                end: self.lost(side, EndReason::Resignation),
            },
            "%KACHI" => {
                let end = self.adjudicator().declared(&self.game);
                Ruling::Over { special: Some(("%KACHI", spent)), end }
            }
            _ => Ruling::Over { special: None, end: self.lost(side, EndReason::IllegalMove) },
        }
    }

    fn legal_move(&self, word: &str) -> Option<Move> {
        let position = self.game.position();
        csa::parse_move(position, word).ok().filter(|mv| position.is_legal(*mv))
    }

    /// The rules on the board. A mate is left to the players: the mated side resigns, loses on time, or makes an illegal
    /// move.
    fn adjudicator(&self) -> Adjudicator {
        let GameRules { max_moves, declaration, repetition_counts_start, .. } = self.rules;
        Adjudicator {
            entering_king: declaration,
            count_start: if repetition_counts_start { CountStart::Yes } else { CountStart::No },
            mate_ends: false,
            max_moves: Some(max_moves).filter(|most| *most > 0),
        }
    }

    fn end_after_move(&self) -> Option<GameEnd> {
        self.adjudicator().end(&self.game)
    }

    fn lost(&self, loser: Color, reason: EndReason) -> GameEnd {
        GameEnd::lost(loser, reason, self.side_to_move())
    }

    fn charge(&self, arrived: Instant) -> (Spent, judge::TurnCharge) {
        let control = self.control();
        let elapsed = self.turn_spent(arrived);
        let charge = judge::charge_turn(control, self.left(), elapsed);
        let unit = SpentUnit::TimeUnit.length(control);
        (Spent { time: charge.spent, wire: WireTime::floor(charge.spent, unit) }, charge)
    }

    fn control(&self) -> &TimeControl {
        self.controls.of(self.side_to_move())
    }

    fn left(&self) -> Duration {
        self.remaining[self.side_to_move().index()]
    }
}
