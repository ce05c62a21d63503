//! Whose time is it, and how much: time controls, the judge's arithmetic, the account of both
//! sides' time, and the budget for one move (layer 2).
//!
//! Pure arithmetic: nothing here reads a clock, sleeps, or uses sockets or searches; every
//! instant comes in as a duration the caller measured.
//!
//! - [`TimeControl`]: what the two sides agreed on (one per side: [`Controls`]).
//! - [`judge`]: what a turn costs and when the flag falls, exactly as the reference server counts;
//!   shared by our server, the client's clocks and the simulation.
//! - [`GameClocks`]: the one account of both sides' time, driven by the server's `T` values, our own
//!   measure kept beside it; hands [`Clocks`] to the players.
//! - [`DelayEstimator`]: how much of a turn the network eats.
//! - [`budget`]: how long to think now.
//!
//! Invariants: no subtraction goes below zero, no sum or product overflows (they saturate), and a
//! clock is never raised above its main time by set-up moves.

pub mod budget;
mod control;
mod game_clocks;
pub mod judge;
mod network;

pub use budget::{Budget, BudgetInput, Signals, TimeWishes};
pub use control::{Controls, Rounding, TimeControl, TimeControlError, TimeUnit, parse_duration};
pub use game_clocks::{Charge, Clocks, Doubt, GameClocks, SideClock, parse_spent};
pub use judge::TurnCharge;
pub use network::{DelayEstimator, DelayPolicy};

#[cfg(test)]
mod simulation;
