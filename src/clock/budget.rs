//! How long to think now.
use std::time::Duration;

use super::control::TimeControl;
use super::judge;
use super::ledger::Clocks;

/// Everything the budget depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetInput {
    /// Our time control.
    pub control: TimeControl,
    /// Main time left, without this turn's increment.
    pub remaining: Duration,
    /// What all our turns took so far by our own measure.
    pub measured: Duration,
    /// How much of a turn the network may eat.
    pub network_delay: Duration,
    /// The number of the move to be made, counted from 1 over both sides.
    pub ply: u32,
    /// How many moves of ours came before, counted from 0.
    pub own_moves: u32,
    /// The game ends after this many plies, if known.
    pub max_moves: Option<u32>,
    /// Whether there is one legal move only.
    pub forced: bool,
}

impl BudgetInput {
    /// The input for the side whose turn it is.
    pub fn new(clocks: &Clocks, ply: u32, max_moves: Option<u32>) -> Self {
        let side = clocks.running();
        Self {
            control: side.control,
            remaining: side.remaining,
            measured: side.measured,
            network_delay: clocks.network_delay,
            ply,
            own_moves: side.turns,
            max_moves,
            forced: false,
        }
    }
}

/// What the search has seen so far, told after each iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// How often the best move changed in the last four iterations.
    pub best_changes: u32,
    /// For how many iterations the best move has been the same.
    pub stable: u32,
    /// By how many centipawns the score has fallen since the last move; negative when it rose.
    pub score_fall: i32,
    /// Whether every other move is clearly worse.
    pub obvious: bool,
}

/// The limits of one turn, counted from the start of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Think this long when the search sees nothing special.
    pub soft: Duration,
    /// Never think longer, whatever the search sees.
    pub hard: Duration,
}

impl Budget {
    /// When to stop, given what the search has seen so far: between zero and [`Budget::hard`].
    /// The search asks again after each iteration and stops, in mid-iteration too, as soon as this
    /// much of the turn has passed.
    pub fn deadline(&self, signals: &Signals) -> Duration {
        let _ = signals;
        self.soft.min(self.hard)
    }
}

/// How long to think now.
pub fn plan(input: &BudgetInput) -> Budget {
    let Some(flag) = judge::flag_after(&input.control, input.remaining) else {
        return Budget { soft: Duration::from_secs(10), hard: Duration::from_secs(30) };
    };
    let hard = flag.saturating_sub(input.network_delay).saturating_sub(Duration::from_millis(100));
    let soft = (input.remaining / 50 + input.control.byoyomi + input.control.increment).min(hard);
    Budget { soft, hard: (soft * 4).min(hard) }
}
