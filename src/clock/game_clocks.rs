//! The one account of both sides' time.
//!
//! The server's `T` values drive it; our own measure is kept beside them, so that what the network
//! costs is visible. A missing or impossible `T` is replaced by our own measure and flagged.

use std::time::{Duration, Instant};

use crate::shogi::Color;

use super::control::{Controls, TimeControl};
use super::judge;
use super::network::DelayEstimator;

/// Both sides' clocks, fed with every move of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameClocks {
    clocks: Clocks,
}

impl GameClocks {
    /// Full clocks; `first` is the side whose turn it is.
    pub fn new(controls: Controls, first: Color) -> Self {
        Self::with_network(controls, first, DelayEstimator::default())
    }

    /// Full clocks, with what is already known of the network (login, earlier games).
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

    /// Books a move that was made before the game began (a set-up move). Its time is deducted and
    /// the increment added, but the clock never rises above the main time.
    pub fn set_up(&mut self, color: Color, stated: Option<Duration>) {
        self.resume(color, stated);
        let side = self.clocks.of_mut(color);
        side.remaining = side.remaining.min(side.control.main_time());
    }

    /// Books a move of a game that is resumed, which the server has counted as any other: its time is deducted and the
    /// increment added, and the clock may rise above the main time.
    pub fn resume(&mut self, color: Color, stated: Option<Duration>) {
        let side = self.clocks.of_mut(color);
        if let Some(stated) = stated {
            side.remaining = judge::settle(&side.control, side.remaining, stated);
        }
        self.clocks.turn = !color;
    }

    /// Sets the main time that a side has left, as a server states it: without the increment of the turn to come.
    pub fn set_remaining(&mut self, color: Color, remaining: Duration) {
        self.clocks.of_mut(color).remaining = remaining;
    }

    /// Subtracts time from a clock that the offer does not mention (a handicap agreed elsewhere).
    pub fn lower(&mut self, color: Color, by: Duration) {
        let side = self.clocks.of_mut(color);
        side.remaining = side.remaining.saturating_sub(by);
    }

    /// Books a turn: `stated` is the server's `T` (already a time, see [`parse_spent`]; `None` when
    /// missing or unreadable), `measured` our own measure. For our own turns that is the time from
    /// the line that gave us the turn to our own line, for the opponent's from line to line.
    pub fn charge(&mut self, color: Color, stated: Option<Duration>, measured: Duration) -> Charge {
        let side = self.clocks.of_mut(color);
        let own = judge::charge(&side.control, measured);
        let (spent, doubt) = match stated {
            None => (own, Some(Doubt::Missing)),
            Some(stated) => match doubt_about(side, stated, measured) {
                Some(Doubt::Impossible) => (own, Some(Doubt::Impossible)),
                doubt => (stated, doubt),
            },
        };
        let flag_fell = !side.control.is_unlimited()
            && spent >= judge::allowance(&side.control, side.remaining);
        side.remaining = judge::settle(&side.control, side.remaining, spent);
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
            doubt,
        }
    }

    /// Notes the network's part in a turn of ours: what the server counted and what we measured.
    pub fn observe_own_turn(&mut self, charge: &Charge) {
        if charge.doubt.is_none() {
            self.clocks.network.observe_turn(charge.spent, charge.measured);
        }
    }

    /// Notes the time between a line of ours and its answer (the echo of our move).
    pub fn observe_round_trip(&mut self, round_trip: Duration) {
        self.clocks.network.observe_round_trip(round_trip);
    }

    /// What is known of the network, to be carried into the next game.
    pub const fn network(&self) -> &DelayEstimator {
        &self.clocks.network
    }

    /// The clocks as players see them.
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Main time left of one side, without the increment of a turn that has not been made.
    pub const fn remaining(&self, color: Color) -> Duration {
        self.clocks.of(color).remaining
    }
}

/// One side's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideClock {
    /// Its time control.
    pub control: TimeControl,
    /// Main time left, without the increment of the turn to come (as USI wants it). Zero and
    /// meaningless where there is no limit.
    pub remaining: Duration,
    /// What all turns cost so far, as the server counts.
    pub spent: Duration,
    /// What all turns took so far by our own measure.
    pub measured: Duration,
    /// The number of turns so far, set-up moves left out.
    pub turns: u32,
}

impl SideClock {
    /// How long after the start of its turn this side's flag falls; `None` without a limit.
    pub fn flag_after(&self) -> Option<Duration> {
        judge::flag_after(&self.control, self.remaining)
    }
}

/// Both clocks at the start of a turn, as handed to players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Black's clock.
    pub black: SideClock,
    /// White's clock.
    pub white: SideClock,
    /// Whose turn it is.
    pub turn: Color,
    /// What is known of the network.
    pub network: DelayEstimator,
}

impl Clocks {
    /// The clocks of a game that was not followed, as sent by a USI host: what is left now, how
    /// long the turns took is unknown.
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

    /// The clock of one side, to be changed.
    pub const fn of_mut(&mut self, color: Color) -> &mut SideClock {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// The clock that runs.
    pub const fn running(&self) -> &SideClock {
        self.of(self.turn)
    }

    /// When the running flag falls, for a turn that began at `started`; `None` without a limit.
    pub fn flag_at(&self, started: Instant) -> Option<Instant> {
        self.running().flag_after().and_then(|after| started.checked_add(after))
    }
}

/// What one turn cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// What was booked.
    pub spent: Duration,
    /// Our own measure of the turn.
    pub measured: Duration,
    /// How much more the server counted than we measured.
    pub network_loss: Duration,
    /// Main time left after the turn.
    pub remaining: Duration,
    /// Whether by our account the flag had fallen. The server decides; this is only a hint.
    pub flag_fell: bool,
    /// What is wrong with the server's value, if anything.
    pub doubt: Option<Doubt>,
}

/// Why a `T` value is not believed, or believed with a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// `T` is missing or not a number: our own measurement was charged.
    Missing,
    /// More than both our watch and the clock allow: our own measure was booked.
    Impossible,
    /// Far from our own measure, perhaps in another unit; booked as stated.
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

fn doubt_about(side: &SideClock, stated: Duration, measured: Duration) -> Option<Doubt> {
    let allowed = judge::allowance(&side.control, side.remaining);
    let possible = if side.control.is_unlimited() { measured } else { allowed.max(measured) };
    let whole = side.control.unit.max(side.control.least);
    if stated > possible.saturating_add(IMPOSSIBLE_SLACK).saturating_add(whole) {
        return Some(Doubt::Impossible);
    }
    let slack = DIFFERS_SLACK.saturating_add(whole).saturating_add(side.control.delay);
    (stated.abs_diff(measured) > slack).then_some(Doubt::Differs)
}

/// A server may look at its clock a minute late.
const IMPOSSIBLE_SLACK: Duration = Duration::from_secs(60);

/// More than this and a whole unit is no longer explained by the network and rounding.
const DIFFERS_SLACK: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
