//! The clocks of both sides.
//!
//! The server's `T` values drive the clocks. Our own measurements are kept beside them, so that the network's part is
//! visible. A missing or impossible `T` is replaced by our own measurement. The charge then reports a
//! [`TimeDiscrepancy`].

use std::time::{Duration, Instant};

use crate::Color;

use super::control::{Controls, TimeControl};
use super::judge;
use super::network::DelayEstimator;

/// Both sides' clocks, fed with every move of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameClocks {
    clocks: Clocks,
}

impl GameClocks {
    /// Full clocks; `first` is the side to move.
    pub fn new(controls: Controls, first: Color) -> Self {
        Self::with_network(controls, first, DelayEstimator::default())
    }

    /// Full clocks, with a delay estimator that already has samples (from the login or earlier games).
    pub fn with_network(controls: Controls, first: Color, network: DelayEstimator) -> Self {
        let full = |control: TimeControl| SideClock {
            control,
            remaining: control.main_time(),
            spent: Duration::ZERO,
            measured: Duration::ZERO,
            turns: 0,
        };
        Self {
            clocks: Clocks {
                black: full(controls.black),
                white: full(controls.white),
                turn: first,
                network,
            },
        }
    }

    /// Charges a move that was made before the game began (a set-up move). Its time is subtracted and the increment
    /// added, but the clock never rises above the main time.
    pub fn charge_set_up_move(&mut self, color: Color, stated: Option<Duration>) {
        self.charge_earlier_move(color, stated);
        let side = self.clocks.of_mut(color);
        side.remaining = side.remaining.min(side.control.main_time());
    }

    /// Charges a move of a resumed game, which the server has counted like any other: its time is subtracted and the
    /// increment added, and the clock may rise above the main time.
    pub fn charge_earlier_move(&mut self, color: Color, stated: Option<Duration>) {
        let side = self.clocks.of_mut(color);
        if let Some(stated) = stated {
            side.remaining = judge::remaining_after(&side.control, side.remaining, stated);
        }
        self.clocks.turn = !color;
    }

    /// Sets the main time that a side has left, as a server states it: without the increment of the turn to come.
    pub fn set_remaining(&mut self, color: Color, remaining: Duration) {
        self.clocks.of_mut(color).remaining = remaining;
    }

    /// Subtracts time from a clock that the offer does not mention (a handicap agreed elsewhere).
    pub fn subtract(&mut self, color: Color, by: Duration) {
        let side = self.clocks.of_mut(color);
        side.remaining = side.remaining.saturating_sub(by);
    }

    /// Charges a turn. `stated` is the server's `T` as a time (see [`parse_spent`]), or `None` if it is missing or
    /// unreadable. `measured` is our own measurement: for our turns the time from the line that started the turn to our
    /// own line, for the opponent's turns the time from line to line.
    pub fn charge(&mut self, color: Color, stated: Option<Duration>, measured: Duration) -> Charge {
        let side = self.clocks.of_mut(color);
        let measured_charge = judge::charge(&side.control, measured);
        let (spent, discrepancy) = match stated {
            None => (measured_charge, Some(TimeDiscrepancy::Missing)),
            Some(stated) => match discrepancy_of(side, stated, measured) {
                Some(TimeDiscrepancy::Impossible) => {
                    (measured_charge, Some(TimeDiscrepancy::Impossible))
                }
                discrepancy => (stated, discrepancy),
            },
        };
        let flag_fell = !side.control.is_unlimited()
            && spent >= judge::allowance(&side.control, side.remaining);
        side.remaining = judge::remaining_after(&side.control, side.remaining, spent);
        side.spent = side.spent.saturating_add(spent);
        side.measured = side.measured.saturating_add(measured);
        side.turns = side.turns.saturating_add(1);
        let remaining = side.remaining;
        self.clocks.turn = !color;
        Charge {
            spent,
            measured,
            network_loss: stated.map_or(Duration::ZERO, |stated| stated.saturating_sub(measured)),
            remaining,
            flag_fell,
            discrepancy,
        }
    }

    /// Records the network's part in one of our turns, from the time the server counted and the time we measured.
    pub fn observe_own_turn(&mut self, charge: &Charge) {
        if charge.discrepancy.is_none() {
            self.clocks.network.observe_turn(charge.spent, charge.measured);
        }
    }

    /// Records the time between one of our lines and its answer (the echo of our move).
    pub fn observe_round_trip(&mut self, round_trip: Duration) {
        self.clocks.network.observe_round_trip(round_trip);
    }

    /// The delay estimator, to be used in the next game too.
    pub const fn network(&self) -> &DelayEstimator {
        &self.clocks.network
    }

    /// The clocks for the players.
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The main time left of one side, without the increment of its next turn.
    pub const fn remaining(&self, color: Color) -> Duration {
        self.clocks.of(color).remaining
    }
}

/// One side's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideClock {
    /// The side's time control.
    pub control: TimeControl,
    /// The main time left, without the increment of the next turn, as in USI. Zero and meaningless without a limit:
    /// see [`Self::main_time_left`].
    pub remaining: Duration,
    /// The charges of all turns so far, as the server counts them.
    pub spent: Duration,
    /// The lengths of all turns so far, as we measured them.
    pub measured: Duration,
    /// The number of turns so far, without set-up moves.
    pub turns: u32,
}

impl SideClock {
    /// The main time left, without the increment of the next turn; `None` without a limit.
    pub fn main_time_left(&self) -> Option<Duration> {
        (!self.control.is_unlimited()).then_some(self.remaining)
    }

    /// The time from the start of this side's turn until its flag falls; `None` without a limit.
    pub fn flag_after(&self) -> Option<Duration> {
        judge::flag_after(&self.control, self.remaining)
    }
}

/// Both clocks at the start of a turn, for the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Black's clock.
    pub black: SideClock,
    /// White's clock.
    pub white: SideClock,
    /// The side to move.
    pub turn: Color,
    /// The estimate of network delays.
    pub network: DelayEstimator,
}

impl Clocks {
    /// The clocks of a game whose turns are not known, as a USI host sends them: only the main time left is known.
    pub fn new(
        controls: Controls,
        black: Duration,
        white: Duration,
        turn: Color,
        network: DelayEstimator,
    ) -> Self {
        let mut clocks = *GameClocks::with_network(controls, turn, network).clocks();
        clocks.black.remaining = black;
        clocks.white.remaining = white;
        clocks
    }

    /// The clock of one side.
    pub const fn of(&self, color: Color) -> &SideClock {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The clock of one side, mutably.
    pub const fn of_mut(&mut self, color: Color) -> &mut SideClock {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// The running clock.
    pub const fn running(&self) -> &SideClock {
        self.of(self.turn)
    }

    /// The instant at which the running side's flag falls, for a turn that began at `started`; `None` without a limit.
    pub fn flag_at(&self, started: Instant) -> Option<Instant> {
        self.running().flag_after().and_then(|after| started.checked_add(after))
    }
}

/// The charge of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The time charged.
    pub spent: Duration,
    /// The time we measured.
    pub measured: Duration,
    /// The time that the server counted beyond our measurement.
    pub network_loss: Duration,
    /// Main time left after the turn.
    pub remaining: Duration,
    /// Whether the flag has fallen by these clocks. The server decides; this is only a hint.
    pub flag_fell: bool,
    /// Set if the server's value disagrees with the measurement.
    pub discrepancy: Option<TimeDiscrepancy>,
}

/// The disagreement between a `T` value and our measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeDiscrepancy {
    /// `T` is missing or not a number: our own measurement was charged.
    Missing,
    /// `T` is more than our measurement and the clock allow: our own measurement was charged.
    Impossible,
    /// `T` is far from our measurement, perhaps in another unit; it was charged as stated.
    Differs,
}

/// Reads the number of a `T` value (`12`, `1.5`, `1.`), counted in `unit`.
///
/// `None` for anything else, and for values too large for a clock.
pub fn parse_spent(text: &str, unit: Duration) -> Option<Duration> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction = fraction.get(..9).unwrap_or(fraction);
    let parts: u128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let unit = unit.as_nanos();
    let ns = whole
        .checked_mul(unit)?
        .checked_add(unit.checked_mul(parts)? / 10u128.pow(fraction.len() as u32))?;
    (ns <= TimeControl::LONGEST.as_nanos()).then(|| Duration::from_nanos_u128(ns))
}

fn discrepancy_of(
    side: &SideClock,
    stated: Duration,
    measured: Duration,
) -> Option<TimeDiscrepancy> {
    let allowed = judge::allowance(&side.control, side.remaining);
    let possible = if side.control.is_unlimited() { measured } else { allowed.max(measured) };
    let whole = side.control.unit.max(side.control.least);
    if stated > possible.saturating_add(IMPOSSIBLE_SLACK).saturating_add(whole) {
        return Some(TimeDiscrepancy::Impossible);
    }
    let slack = DIFFERS_SLACK.saturating_add(whole).saturating_add(side.control.delay);
    (stated.abs_diff(measured) > slack).then_some(TimeDiscrepancy::Differs)
}

/// The excess of a `T` beyond which it is impossible: a server may check its clock a minute late.
const IMPOSSIBLE_SLACK: Duration = Duration::from_secs(60);

/// The difference, beyond a whole unit, that network and rounding can explain.
const DIFFERS_SLACK: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
