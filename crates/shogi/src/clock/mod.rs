//! Game clocks: time controls, the charge of a turn, the clocks of both sides, and the time budget for one move.
//!
//! Pure arithmetic: nothing here reads a clock, sleeps, or uses sockets or searches. The caller measures all durations.
//!
//! - [`TimeControl`]: the time settings of one side; [`Controls`] has those of both.
//! - [`GameTime`]: the times of a game as people agree on them.
//! - [`judge`]: the charge of a turn and the time at which the flag falls, exactly as the reference server counts. Our
//!   server, the client's clocks and the simulation share it.
//! - [`GameClocks`]: the clocks of both sides, driven by the server's `T` values, with our own measurements beside
//!   them. The players receive them as [`Clocks`].
//! - [`DelayEstimator`]: the part of a turn that the network takes.
//! - [`budget`]: the time to think in one turn.
//!
//! Invariants: no subtraction goes below zero, no sum or product overflows (they saturate), and set-up moves never
//! raise a clock above its main time.

pub mod budget;
mod control;
mod game_clocks;
mod game_time;
pub mod judge;
mod network;
mod own_turn;
mod signals;
mod time_text;

pub use budget::{Budget, BudgetInput, TimeOptions, TimeSpread};
pub use control::{Controls, Rounding, TimeControl, TimeControlError, TimeUnit, parse_duration};
pub use game_clocks::{Charge, Clocks, GameClocks, SideClock, TimeDiscrepancy, parse_spent};
pub use game_time::{GameTime, GameTimeError};
pub use judge::TurnCharge;
pub use network::{DelayEstimator, DelayPolicy};
pub use own_turn::{NotAnOwnTurn, OwnTurn};
pub use signals::{Signals, TimeRule};

#[cfg(test)]
mod simulation;
