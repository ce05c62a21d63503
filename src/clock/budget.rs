//! How long to think now: a pure function of what is known at the start of a turn, and of what the
//! search sees while it thinks.
//!
//! # The formula
//! All amounts are charges, what a turn costs by [`super::judge`]; `D` is the bound on the
//! network's delay, `c(t)` the charge of a turn of length `t`, `m` the number of our own move.
//! - An instant answer costs at most `c(D)`. That much for each of our moves to come (until the
//!   move limit, or ply 512 where none is known; less the increment) is set aside, or, once enough
//!   delays were seen, their mean `u` with four and a half standard deviations:
//!   `min(M c(D), M u + 4.5 sqrt(M u c(D)))`.
//! - Besides, a cushion `S` for delays out of line: a tenth of the main time, within two and four
//!   times [`DelayEstimator::spike`]. What is left above both may be spent.
//! - Until own move 55 this turn's share is `(R - set aside - tail) w(m) / (w(m) + .. + w(55))`,
//!   with weights that spend less in the opening and most between moves 15 and 45; the tail is 11 %
//!   of the main time (all that is set aside within it). What was saved until then goes the same way by move 60;
//!   later the share is a twenty-fifth.
//!   So nine tenths of a sudden-death clock are used by move 60, and the rest lasts to any end.
//!   (A mean game has 115 plies, 57 or 58 moves of ours.)
//! - An increment is spent as it comes, 95 % of it; half while the clock is below the cushion.
//! - Byoyomi of two seconds or more protects the rest, so all main time may go; each turn adds
//!   0.6 of the byoyomi while it lasts, and the whole of it afterwards.
//! - Signals scale the share by a factor in `[0.2, 3]`.
//! - The charge so found becomes a time to stop at: the latest moment at which the turn costs no
//!   more, `D` and 30 ms before the boundary. Where parts of a second are dropped, thinking to
//!   just under a whole second is thus free.
//! - In sudden death under five minutes the free parts would add up to more real time than the
//!   clock has; there the turn stops just behind the boundary, and the real time of all turns
//!   stays below 97 % of the main time.
//! - No turn is planned beyond `F - spike - 30 ms`, where the flag falls at `F`; with byoyomi or an
//!   increment beyond `F - max(D, min(spike, F / 3)) - 30 ms`.
//! - While nothing can be set aside (delays unknown or long, clock short), only time that costs
//!   nothing more than an instant answer is used, zero if there is none.

use std::time::Duration;

use super::control::{Rounding, TimeControl};
use super::game_clocks::Clocks;
use super::judge;
use super::network::DelayEstimator;

/// The input of the time budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetInput {
    /// Our time control.
    pub control: TimeControl,
    /// Main time left, without this turn's increment.
    pub remaining: Duration,
    /// What all our turns took so far by our own measure; zero if unknown.
    pub measured: Duration,
    /// What is known of the network.
    pub network: DelayEstimator,
    /// The number of the move to be made, counted from 1 over both sides, set-up moves included.
    pub ply: u32,
    /// How many moves of ours came before.
    pub own_moves: u32,
    /// The game ends after this many plies, if known.
    pub max_moves: Option<u32>,
    /// Whether there is one legal move only.
    pub forced: bool,
    /// What the user wishes.
    pub wishes: TimeWishes,
}

/// What the user wishes of the time for a move. The default wishes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWishes {
    /// Think at least this long, as far as the clock allows.
    pub least: Duration,
    /// This much of the share of the main time that a move would have, in percent.
    pub share_percent: u32,
}

impl Default for TimeWishes {
    fn default() -> Self {
        Self { least: Duration::ZERO, share_percent: 100 }
    }
}

impl TimeWishes {
    /// The share as wished, no more than `most` unless it was more before.
    fn scale_share(&self, share: Duration, most: Duration) -> Duration {
        match self.share_percent {
            100 => share,
            percent => scale(share, f64::from(percent) / 100.0).min(most.max(share)),
        }
    }
}

impl BudgetInput {
    /// The input for the side whose turn it is; `ply` is the number of the move to be made.
    pub fn new(clocks: &Clocks, ply: u32, max_moves: Option<u32>) -> Self {
        let side = clocks.running();
        Self {
            control: side.control,
            remaining: side.remaining,
            measured: side.measured,
            network: clocks.network,
            ply,
            own_moves: side.turns,
            max_moves: max_moves.filter(|limit| *limit > 0),
            forced: false,
            wishes: TimeWishes::default(),
        }
    }

    /// The same with one legal move only, or not.
    #[must_use]
    pub const fn forced(mut self, forced: bool) -> Self {
        self.forced = forced;
        self
    }

    /// The same with these wishes.
    #[must_use]
    pub const fn wishes(mut self, wishes: TimeWishes) -> Self {
        self.wishes = wishes;
        self
    }

    /// How many moves of ours may come after this one.
    fn moves_after(&self) -> u32 {
        match self.max_moves {
            Some(limit) => limit.saturating_sub(self.ply) / 2,
            None => (LONGEST_GAME.saturating_sub(self.ply) / 2).max(UNKNOWN_REST),
        }
    }
}

/// The state of the search, reported after each iteration. The default is neutral.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// How often the best move changed in the last four iterations.
    pub best_changes: u32,
    /// For how many iterations the best move has been the same.
    pub stable: u32,
    /// By how many centipawns the score has fallen since our last move; negative when it rose.
    pub score_fall: i32,
    /// Whether every other move is clearly worse (a recapture, the only way out of mate).
    pub obvious: bool,
}

impl Signals {
    /// What the share of the turn is multiplied by, in `[0.2, 3]`.
    fn factor(&self) -> f64 {
        let changes = 0.3 * f64::from(self.best_changes.min(4));
        let fall = (f64::from(self.score_fall) / 100.0).clamp(-0.2, 1.2);
        let calm = match self.stable {
            0..=3 => 1.0,
            4..=6 => 0.85,
            _ => 0.7,
        };
        let obvious = if self.obvious { 0.3 } else { 1.0 };
        ((1.0 + changes + fall) * calm * obvious).clamp(0.2, 3.0)
    }
}

/// The limits of one turn, counted from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Think this long when the search sees nothing special.
    pub soft: Duration,
    /// Never think longer, regardless of the search.
    pub hard: Duration,
    /// Think at least this long, but not longer than `hard`.
    least: Duration,
    plan: Plan,
}

impl Budget {
    const fn new(soft: Duration, hard: Duration, plan: Plan) -> Self {
        Self { soft, hard, least: Duration::ZERO, plan }
    }

    /// Exactly this long, regardless of the search (a fixed time per move).
    pub const fn fixed(time: Duration) -> Self {
        Self { soft: time, hard: time, least: Duration::ZERO, plan: Plan::Fixed }
    }

    /// When to stop, given what the search has seen so far: never beyond [`Budget::hard`]. The
    /// search asks again after each iteration, and stops, in mid-iteration too, as soon as this
    /// much of the turn has passed: stopping early does not save time where whole seconds are
    /// charged, and stopping late may cost one.
    pub fn deadline(&self, signals: &Signals) -> Duration {
        let time = match self.plan {
            Plan::Scaled => scale(self.soft, signals.factor()),
            Plan::Byoyomi if signals.obvious => self.soft / 2,
            Plan::Fixed | Plan::Byoyomi => self.soft,
            Plan::Charged(share) => share.think(signals.factor()),
        };
        time.max(self.least).min(self.hard)
    }

    fn at_least(mut self, least: Duration) -> Self {
        self.least = least.min(self.hard);
        self.soft = self.soft.max(self.least);
        self
    }
}

/// How signals change the time to stop at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    /// Not at all.
    Fixed,
    /// By their factor.
    Scaled,
    /// Unused byoyomi is lost, so only an obvious move is made before its time.
    Byoyomi,
    /// By their factor on the share, stopping at a boundary.
    Charged(Share),
}

/// What one turn may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    control: TimeControl,
    /// What the turn costs in any case.
    base: Duration,
    /// What it may cost on top when nothing special is seen.
    usual: Duration,
    /// What it may cost on top at most.
    most: Duration,
    /// Delay and margin that are kept before a boundary.
    reserve: Duration,
    /// Stop this much behind the boundary instead of just before the next one.
    pace: Option<Duration>,
}

impl Share {
    fn think(&self, factor: f64) -> Duration {
        let extra = scale(self.usual, factor).min(self.most);
        let unit = self.control.unit;
        let spend = self.base.saturating_add(extra);
        let snapped = if unit < COARSE_UNIT {
            spend
        } else {
            let units = (spend.as_secs_f64() / unit.as_secs_f64()).round().min(1e9) as u32;
            unit.saturating_mul(units)
                .min(judge::whole_units(self.base.saturating_add(self.most), unit))
                .max(self.base)
        };
        if let Some(free) = self.pace {
            return self.control.delay.saturating_add(snapped).saturating_add(free);
        }
        let latest = latest(&self.control, snapped).saturating_sub(self.reserve);
        // A calm search leaves part of what would be free.
        let earliest = self.control.delay.saturating_add(snapped).min(latest);
        earliest.saturating_add(scale(latest.saturating_sub(earliest), (factor * 1.5).min(1.0)))
    }
}

/// Computes the time budget of a turn.
pub fn plan(input: &BudgetInput) -> Budget {
    plan_freely(input).at_least(input.wishes.least)
}

/// The budget without a least time.
fn plan_freely(input: &BudgetInput) -> Budget {
    let control = &input.control;
    let Some(flag) = judge::flag_after(control, input.remaining) else {
        let hard = if input.forced { FORCED } else { UNLIMITED * 3 };
        return Budget::new(UNLIMITED.min(hard), hard, Plan::Scaled);
    };
    let delay = input.network.bound();
    let reserve = delay.saturating_add(MARGIN);
    // Where time comes back, fearing the worst in every turn would waste most of it.
    let fear = if control.is_sudden_death() { Duration::MAX } else { flag / 3 };
    let guard = delay.max(input.network.spike().min(fear)).saturating_add(MARGIN);
    let latest = flag.saturating_sub(guard);
    if input.forced {
        // No longer than costs nothing.
        let free = free_time(control, delay, reserve).min(latest).min(FORCED);
        return Budget::fixed(free);
    }
    if is_protected(input) {
        return plan_byoyomi(input, latest);
    }
    let cost = judge::charge(control, delay);
    let after = input.moves_after();
    let aside = set_aside(input, after).saturating_add(cost.saturating_sub(control.increment));
    let cushion = cushion(input);
    let spare = input.remaining.checked_sub(aside.saturating_add(cushion));
    let income = control.increment.saturating_sub(cost);
    let Some(spare) = spare else {
        // Behind free time a delay out of line costs that much more, which must not be the last.
        let free = free_time(control, delay, reserve);
        let slack = free.saturating_add(control.unit.saturating_mul(2));
        let has_slack = aside.is_zero() || input.remaining >= aside.saturating_add(slack);
        let free = if has_slack { free } else { Duration::ZERO };
        // Below the cushion half of an increment is saved.
        let half = self::latest(control, cost.saturating_add(income / 2)).saturating_sub(reserve);
        let time = if income.is_zero() { free } else { free.max(half) }.min(latest);
        return Budget::fixed(time);
    };
    let tail = scale(control.main_time(), TAIL).saturating_sub(aside.saturating_add(cushion));
    let own_move = input.own_moves.saturating_add(1);
    let (mut portion, open) = portion(own_move, after, spare, tail);
    portion = input.wishes.scale_share(portion, scale(open, 0.35));
    if own_move >= PLANNED_END && spare.saturating_sub(tail) >= control.unit {
        // Else parts of a unit would never become a whole one.
        portion = portion.max(control.unit);
    }
    let income = scale(income, INCOME);
    let share = Share {
        control: *control,
        base: cost,
        usual: income.saturating_add(portion),
        most: income.saturating_add(portion.saturating_mul(3).min(scale(open, 0.35).max(portion))),
        reserve,
        pace: pace(input, spare),
    };
    let hard = share.think(3.0).min(latest);
    let soft = share.think(1.0).min(hard);
    Budget::new(soft, hard, Plan::Charged(share))
}

/// Whether byoyomi keeps an instant player alive whatever the main time is, so that the main time
/// may be used up.
fn is_protected(input: &BudgetInput) -> bool {
    let worst = input.network.bound().saturating_add(MARGIN * 2);
    // Where no main time is left there is none to keep: each turn has its byoyomi and no other.
    let is_all = input.remaining.is_zero() && !input.control.byoyomi.is_zero();
    (is_all || input.control.byoyomi >= USEFUL_BYOYOMI)
        && judge::flag_after(&input.control, Duration::ZERO).is_none_or(|flag| flag > worst)
}

fn plan_byoyomi(input: &BudgetInput, latest: Duration) -> Budget {
    let control = &input.control;
    let bare_flag = judge::flag_after(control, Duration::ZERO).unwrap_or(Duration::MAX);
    let guard = input.network.bound().max(input.network.spike().min(bare_flag / 3));
    let bare = bare_flag.saturating_sub(guard.saturating_add(MARGIN));
    if input.remaining <= control.byoyomi {
        let soft = bare.saturating_add(input.remaining / 2).min(latest);
        return Budget::new(soft, latest.min(soft.max(bare)), Plan::Byoyomi);
    }
    let after = input.moves_after();
    let own_move = input.own_moves.saturating_add(1);
    let (portion, open) = portion(own_move, after, input.remaining, Duration::ZERO);
    let portion = input.wishes.scale_share(portion, scale(open, 0.35));
    let soft = scale(bare, 0.6).saturating_add(portion).min(latest);
    let hard = soft.saturating_mul(3).min(bare.saturating_add(scale(input.remaining, 0.35)));
    Budget::new(soft, hard.max(soft).min(latest), Plan::Scaled)
}

/// What instant answers may cost in all moves to come, net of increments.
fn set_aside(input: &BudgetInput, after: u32) -> Duration {
    let control = &input.control;
    let net = |delay| judge::charge(control, delay).saturating_sub(control.increment);
    let most = net(input.network.bound()).as_secs_f64();
    let mean = input.network.mean_cost(net).min(most);
    let count = f64::from(after);
    let likely = count * mean + 4.5 * (count * mean * most).sqrt();
    seconds(likely.min(count * most))
}

/// What is kept for delays out of line.
fn cushion(input: &BudgetInput) -> Duration {
    let control = &input.control;
    let spike = input.network.spike();
    let total = control.main_time();
    if control.increment.is_zero() {
        let least = (spike * 2).min(total / 2);
        let most = (spike * 4).max(least);
        if total < BLITZ { least } else { (total / 10).clamp(least, most) }
    } else {
        spike * 2
    }
}

/// This turn's share of `spare`, and how much of that may be touched at all: until the planned end
/// a weighted part of what is above the tail, later a constant fraction.
fn portion(own_move: u32, after: u32, spare: Duration, tail: Duration) -> (Duration, Duration) {
    let last = own_move.saturating_add(after);
    let planned = if own_move < PLANNED_END { PLANNED_END } else { LATEST_END };
    let end = planned.min(last);
    if own_move >= end {
        let moves = (after + 1).min(LATE_MOVES);
        return (spare / moves, spare);
    }
    let tail = if last <= PLANNED_END { Duration::ZERO } else { tail };
    let open = spare.saturating_sub(tail);
    let sum: f64 = (own_move..=end).map(weight).sum();
    (scale(open, weight(own_move) / sum), open)
}

/// How much of the clock an own move deserves, relative to the others.
fn weight(own_move: u32) -> f64 {
    match own_move {
        0..=5 => 0.5,
        15..=45 => 1.2,
        _ => 0.9,
    }
}

/// In short sudden death: how much thinking behind each boundary keeps the real time of the game
/// within the clock.
fn pace(input: &BudgetInput, spare: Duration) -> Option<Duration> {
    let control = &input.control;
    let delay = input.network.bound();
    let applies = control.is_sudden_death()
        && control.main_time() < SLOW
        && control.unit >= COARSE_UNIT
        && control.rounding == Rounding::Down
        && judge::charge(control, delay).is_zero();
    if !applies {
        return None;
    }
    let wall = scale(control.main_time(), 0.97).saturating_sub(input.measured);
    let moves = 110u32.saturating_sub(input.own_moves).max(20);
    let free = wall.saturating_sub(spare) / moves;
    let most = control.unit.saturating_sub(delay).saturating_sub(MARGIN);
    Some(free.clamp(PACE.min(most), most))
}

/// How long a turn may take without costing more than an instant answer, whatever the delay below
/// the bound: zero unless that is nothing beyond the least time.
fn free_time(control: &TimeControl, delay: Duration, reserve: Duration) -> Duration {
    let least = judge::charge(control, Duration::ZERO);
    if judge::charge(control, delay) == least {
        latest(control, least).saturating_sub(reserve)
    } else {
        Duration::ZERO
    }
}

/// The end of the time in which a turn costs no more than `spend`.
fn latest(control: &TimeControl, spend: Duration) -> Duration {
    let whole = judge::whole_units(spend, control.unit);
    let counted = match control.rounding {
        Rounding::Down => whole.saturating_add(control.unit),
        Rounding::Up => whole,
    };
    counted.saturating_add(control.delay)
}

fn scale(time: Duration, factor: f64) -> Duration {
    seconds(time.as_secs_f64() * factor)
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

/// Time from the decision to stop until our line is sent.
const MARGIN: Duration = Duration::from_millis(30);

/// Time per move in games without a clock.
const UNLIMITED: Duration = Duration::from_secs(10);

/// For the only legal move: enough for a line to show and a move to ponder on.
const FORCED: Duration = Duration::from_millis(50);

/// Units from here on make parts of them worth using, or worth avoiding.
const COARSE_UNIT: Duration = Duration::from_millis(500);

/// Shorter byoyomi does not let the main time go.
const USEFUL_BYOYOMI: Duration = Duration::from_secs(2);

/// Below this the cushion is all that delays out of line leave.
const BLITZ: Duration = Duration::from_secs(60);

/// From here on the free parts of seconds do not make a game noticeably longer.
const SLOW: Duration = Duration::from_secs(300);

/// The least thinking behind a boundary.
const PACE: Duration = Duration::from_millis(10);

/// The own move by which the main time is used but for the tail, a little before a mean game ends.
const PLANNED_END: u32 = 55;

/// What was saved until then is spent by this one.
const LATEST_END: u32 = 61;

/// What is left of the main time then.
const TAIL: f64 = 0.11;

/// Later each move takes this part of what is spare.
const LATE_MOVES: u32 = 25;

/// How much of an increment is spent as it comes.
const INCOME: f64 = 0.95;

/// No known server lets a game run longer than this many plies.
const LONGEST_GAME: u32 = 512;

/// Moves that may come at any time when no limit is known.
const UNKNOWN_REST: u32 = 30;

#[cfg(test)]
mod tests;
