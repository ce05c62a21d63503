//! The time to think in one turn: a pure function of the state at the start of the turn, and of signals from the search
//! while it runs.
//!
//! # The formula
//! All amounts are charges by [`super::judge`]. `R` is the main time left, `D` the bound on the network's delay, `c(t)`
//! the charge of a turn of length `t`, `m` the number of our own move, `M` the number of our later moves.
//! - An instant answer costs at most `c(D)`, less the increment. A reserve for the `M` later moves (up to the move
//!   limit, or to ply 512 if no limit is known) is set aside: `min(M c(D), M u + 4.5 sqrt(M u c(D)))`. Here `u` is the
//!   mean cost by the delays seen so far, and 4.5 the number of standard deviations.
//! - A reserve for outlying delays is kept in addition: a tenth of the main time, but between two and four times
//!   [`DelayEstimator::outlier_bound`], and at least a fiftieth of the main time. The rest of the clock may be spent.
//! - Until own move 55 the share of a turn is `(R - reserves - tail) w(m) / (w(m) + .. + w(55))`. The weights are
//!   smallest in the opening and largest from move 15 to move 45. The tail is 11 % of the main time and includes
//!   both reserves. The rest is distributed in the same way over the moves up to own move 61; afterwards the
//!   share is a twenty-fifth. Thus nine tenths of a sudden-death clock are used by move 60, and the rest lasts until
//!   any end of the game. (A mean game has 115 plies, 57 or 58 moves of ours.)
//! - 95 % of an increment is spent in the turn that receives it, 50 % while the clock is below both reserves.
//! - With byoyomi of two seconds or more all of the main time may be used. While main time lasts, each turn adds 60 %
//!   of the byoyomi; afterwards it uses all of it.
//! - Signals multiply the share by a factor in `[0.2, 3]`.
//! - The resulting charge becomes a time to stop at: the latest moment at which the turn costs no more, less `D` and 30
//!   ms. If parts of a second are dropped, thinking until just before the next whole second is therefore free.
//! - In sudden death under five minutes these free parts would add up to more real time than the clock has. There the
//!   turn stops just after a whole second, and the real time of all turns stays below 97 % of the main time.
//! - If the flag falls at `F`, no turn is planned beyond `F - outlier bound - 30 ms`; with byoyomi or an increment,
//!   beyond `F - max(D, min(outlier bound, F / 3)) - 30 ms`.
//! - While the clock is too short for both reserves (delays unknown or long, or little time left), only time that
//!   costs no more than an instant answer is used, or none at all; in sudden death under five minutes the part of it
//!   with which the real time of all turns stays near the main time.

use std::num::NonZeroU32;
use std::time::Duration;

use super::control::{Rounding, TimeControl};
use super::game_clocks::Clocks;
use super::judge;
use super::network::DelayEstimator;
use super::signals::{Signals, TimeRule};

/// The input of the time budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetInput {
    /// Our time control.
    pub control: TimeControl,
    /// The main time left, without this turn's increment.
    pub remaining: Duration,
    /// The length of all our turns so far by our own measurement; zero if unknown.
    pub measured: Duration,
    /// The estimate of network delays.
    pub network: DelayEstimator,
    /// The number of the move to be made, from 1, counting the moves of both sides and set-up moves.
    pub ply: u32,
    /// The number of our moves so far.
    pub own_moves: u32,
    /// The number of plies after which the game ends, if there is such a limit.
    pub max_moves: Option<u32>,
    /// Whether there is only one legal move.
    pub forced: bool,
    /// The user's options.
    pub time_options: TimeOptions,
}

/// The user's options for the time of a move. The default changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOptions {
    /// Think at least this long, as far as the clock allows.
    pub least: Duration,
    /// Percentage of the share of the main time that is planned for a move; 100 leaves it unchanged.
    pub share_percent: u32,
    /// How the main time is divided among the moves.
    pub spread: TimeSpread,
    /// The rule that is switched off (`TimeWithout`), for comparisons.
    pub without: Option<TimeRule>,
    /// Count time by nodes, at this number per second. The result of a comparison then does not depend on the machine.
    pub nodes_per_second: Option<NonZeroU32>,
}

/// How the main time is divided among the moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeSpread {
    /// By the number of the move and the signals of the search.
    #[default]
    Weighted,
    /// Evenly over the moves that a mean game still has, whatever the search finds. For comparison.
    Even,
}

impl Default for TimeOptions {
    fn default() -> Self {
        Self {
            least: Duration::ZERO,
            share_percent: 100,
            spread: TimeSpread::Weighted,
            without: None,
            nodes_per_second: None,
        }
    }
}

impl TimeOptions {
    /// The share times `share_percent`, but at most `most` or the share itself.
    fn scale_share(&self, share: Duration, most: Duration) -> Duration {
        match self.share_percent {
            100 => share,
            percent => scale(share, f64::from(percent) / 100.0).min(most.max(share)),
        }
    }
}

impl BudgetInput {
    /// The input for the side to move; `ply` is the number of the move to be made.
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
            time_options: TimeOptions::default(),
        }
    }

    /// The same input with [`forced`](Self::forced) set.
    #[must_use]
    pub const fn forced(mut self, forced: bool) -> Self {
        self.forced = forced;
        self
    }

    /// The same with these time options.
    #[must_use]
    pub const fn time_options(mut self, time_options: TimeOptions) -> Self {
        self.time_options = time_options;
        self
    }

    /// The largest number of our moves that may come after this one.
    fn moves_after(&self) -> u32 {
        match self.max_moves {
            Some(limit) => limit.saturating_sub(self.ply) / 2,
            None => (LONGEST_GAME.saturating_sub(self.ply) / 2).max(UNKNOWN_REST),
        }
    }
}

/// The limits of one turn, counted from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The time to think with neutral signals.
    pub soft: Duration,
    /// The longest time to think, with any signals.
    pub hard: Duration,
    /// Think at least this long, but not longer than `hard`.
    least: Duration,
    effect: SignalEffect,
    /// The rule that is switched off.
    without: Option<TimeRule>,
}

impl Budget {
    const fn new(soft: Duration, hard: Duration, effect: SignalEffect) -> Self {
        Self { soft, hard, least: Duration::ZERO, effect, without: None }
    }

    /// A fixed time per move, with any signals.
    pub const fn fixed(time: Duration) -> Self {
        Self::new(time, time, SignalEffect::Fixed)
    }

    /// The time at which to stop with these signals, never beyond [`Budget::hard`].
    ///
    /// The search recomputes it after each iteration and stops at this time, even during an iteration: if whole
    /// seconds are charged, stopping earlier saves nothing, and stopping later may cost a second.
    pub fn deadline(&self, signals: &Signals) -> Duration {
        let signals = signals.without(self.without);
        let time = match self.effect {
            SignalEffect::Scaled => scale(self.soft, signals.factor()),
            SignalEffect::Byoyomi if signals.obvious => self.soft / 2,
            SignalEffect::Fixed | SignalEffect::Byoyomi => self.soft,
            SignalEffect::Charged(share) => share.time(signals.factor()),
        };
        time.max(self.least).min(self.hard)
    }

    fn at_least(mut self, least: Duration) -> Self {
        self.least = least.min(self.hard);
        self.soft = self.soft.max(self.least);
        self
    }
}

/// How signals change the time at which to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SignalEffect {
    /// Signals have no effect.
    Fixed,
    /// Their factor scales the time.
    Scaled,
    /// Only an obvious move is made early, since unused byoyomi is lost.
    Byoyomi,
    /// Their factor scales the share; the turn stops at a boundary between two charges.
    Charged(Share),
}

/// The charge that one turn may have.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    control: TimeControl,
    /// The charge of an instant answer.
    base: Duration,
    /// The additional charge with neutral signals.
    usual: Duration,
    /// The largest additional charge.
    most: Duration,
    /// Delay and margin, which are kept free before a boundary.
    reserve: Duration,
    /// If set, the turn stops this long after a boundary instead of just before the next one.
    pace: Option<Duration>,
}

impl Share {
    /// The time to think when signals have this factor.
    fn time(&self, factor: f64) -> Duration {
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
        if let Some(pace) = self.pace {
            return self.control.delay.saturating_add(snapped).saturating_add(pace);
        }
        let latest = latest_at_charge(&self.control, snapped).saturating_sub(self.reserve);
        // With a small factor part of the free time is not used.
        let earliest = self.control.delay.saturating_add(snapped).min(latest);
        earliest.saturating_add(scale(latest.saturating_sub(earliest), (factor * 1.5).min(1.0)))
    }
}

/// Computes the time budget of a turn.
pub fn plan(input: &BudgetInput) -> Budget {
    let without = input.time_options.without;
    let budget = Budget { without, ..plan_with_all_rules(input) };
    budget.at_least(input.time_options.least)
}

/// The budget before [`TimeOptions::least`] and [`TimeOptions::without`] are applied.
fn plan_with_all_rules(input: &BudgetInput) -> Budget {
    let control = &input.control;
    let Some(flag) = judge::flag_after(control, input.remaining) else {
        let hard = if input.forced { FORCED } else { UNLIMITED * 3 };
        return Budget::new(UNLIMITED.min(hard), hard, SignalEffect::Scaled);
    };
    let delay = input.network.bound();
    let reserve = delay.saturating_add(MARGIN);
    // With byoyomi or an increment, a full guard against outliers would waste most of the time of each turn.
    let most_guard = if control.is_sudden_death() { Duration::MAX } else { flag / 3 };
    let guard = delay.max(input.network.outlier_bound().min(most_guard)).saturating_add(MARGIN);
    let before_flag = flag.saturating_sub(guard);
    if input.forced {
        // Only free time is used.
        let free = free_time(control, delay, reserve).min(before_flag).min(FORCED);
        return Budget::fixed(free);
    }
    if has_safe_byoyomi(input) {
        return plan_byoyomi(input, before_flag);
    }
    let cost = judge::charge(control, delay);
    let after = input.moves_after();
    let later_moves =
        later_moves_reserve(input, after).saturating_add(cost.saturating_sub(control.increment));
    let outliers = outlier_reserve(input);
    let spare = input.remaining.checked_sub(later_moves.saturating_add(outliers));
    let income = control.increment.saturating_sub(cost);
    let Some(spare) = spare else {
        // An outlying delay after the free time adds to the charge; the clock must survive that.
        let free = free_time(control, delay, reserve);
        let slack = free.saturating_add(control.unit.saturating_mul(2));
        let has_slack =
            later_moves.is_zero() || input.remaining >= later_moves.saturating_add(slack);
        let free = if has_slack { free } else { Duration::ZERO };
        let free = pace(input, Duration::ZERO).map_or(free, |pace| free.min(pace));
        // Below the reserves half of an increment is saved.
        let half =
            latest_at_charge(control, cost.saturating_add(income / 2)).saturating_sub(reserve);
        let time = if income.is_zero() { free } else { free.max(half) }.min(before_flag);
        return Budget::fixed(time);
    };
    let own_move = input.own_moves.saturating_add(1);
    let income = scale(income, INCOME);
    if input.time_options.spread == TimeSpread::Even {
        let moves =
            MEAN_OWN_MOVES.saturating_sub(input.own_moves).max(LATE_EVEN_MOVES).min(after + 1);
        let spend = cost.saturating_add(income).saturating_add(spare / moves);
        return Budget::fixed(
            latest_at_charge(control, spend).saturating_sub(reserve).min(before_flag),
        );
    }
    let tail =
        scale(control.main_time(), TAIL).saturating_sub(later_moves.saturating_add(outliers));
    let (mut portion, open) = share_of(own_move, after, spare, tail);
    portion = input.time_options.scale_share(portion, scale(open, 0.35));
    if own_move >= PLANNED_END && spare.saturating_sub(tail) >= control.unit {
        // Otherwise shares below one unit would never be spent.
        portion = portion.max(control.unit);
    }
    let share = Share {
        control: *control,
        base: cost,
        usual: income.saturating_add(portion),
        most: income.saturating_add(portion.saturating_mul(3).min(scale(open, 0.35).max(portion))),
        reserve,
        pace: pace(input, spare),
    };
    let hard = share.time(3.0).min(before_flag);
    let soft = share.time(1.0).min(hard);
    Budget::new(soft, hard, SignalEffect::Charged(share))
}

/// Whether byoyomi is long enough for instant answers, so that all of the main time may be used.
fn has_safe_byoyomi(input: &BudgetInput) -> bool {
    let worst = input.network.bound().saturating_add(MARGIN * 2);
    // Without main time left only the byoyomi can be used, however short it is.
    let only_byoyomi = input.remaining.is_zero() && !input.control.byoyomi.is_zero();
    (only_byoyomi || input.control.byoyomi >= USEFUL_BYOYOMI)
        && judge::flag_after(&input.control, Duration::ZERO).is_none_or(|flag| flag > worst)
}

/// The budget of a turn if [`has_safe_byoyomi`].
fn plan_byoyomi(input: &BudgetInput, before_flag: Duration) -> Budget {
    let control = &input.control;
    let bare_flag = judge::flag_after(control, Duration::ZERO).unwrap_or(Duration::MAX);
    let guard = input.network.bound().max(input.network.outlier_bound().min(bare_flag / 3));
    let bare = bare_flag.saturating_sub(guard.saturating_add(MARGIN));
    if input.remaining <= control.byoyomi {
        let soft = bare.saturating_add(input.remaining / 2).min(before_flag);
        return Budget::new(soft, before_flag.min(soft.max(bare)), SignalEffect::Byoyomi);
    }
    let after = input.moves_after();
    let own_move = input.own_moves.saturating_add(1);
    let (portion, open) = share_of(own_move, after, input.remaining, Duration::ZERO);
    let portion = input.time_options.scale_share(portion, scale(open, 0.35));
    let soft = scale(bare, 0.6).saturating_add(portion).min(before_flag);
    let hard = soft.saturating_mul(3).min(bare.saturating_add(scale(input.remaining, 0.35)));
    Budget::new(soft, hard.max(soft).min(before_flag), SignalEffect::Scaled)
}

/// The reserve for instant answers in the `after` later moves, net of increments.
fn later_moves_reserve(input: &BudgetInput, after: u32) -> Duration {
    let control = &input.control;
    let net = |delay| judge::charge(control, delay).saturating_sub(control.increment);
    let most = net(input.network.bound()).as_secs_f64();
    let mean = input.network.mean_cost(net).min(most);
    let count = f64::from(after);
    let likely = count * mean + 4.5 * (count * mean * most).sqrt();
    seconds(likely.min(count * most))
}

/// The reserve for outlying delays.
fn outlier_reserve(input: &BudgetInput) -> Duration {
    let control = &input.control;
    let outlier = input.network.outlier_bound();
    let total = control.main_time();
    if control.increment.is_zero() {
        let least = (outlier * 2).max(total / 50).min(total / 2);
        let most = (outlier * 4).max(least);
        if total < BLITZ { least } else { (total / 10).clamp(least, most) }
    } else {
        outlier * 2
    }
}

/// This turn's share of `spare`, and the part of `spare` that may be used at all. Until the planned end the share is a
/// weighted part of the time above the tail, later a constant fraction.
fn share_of(own_move: u32, after: u32, spare: Duration, tail: Duration) -> (Duration, Duration) {
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

/// The weight of an own move: its part of the clock relative to the other moves.
fn weight(own_move: u32) -> f64 {
    match own_move {
        0..=5 => 0.5,
        15..=45 => 1.2,
        _ => 0.9,
    }
}

/// In short sudden death the thinking time after each boundary with which the real time of the game stays within the
/// clock; `None` for other clocks.
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
    let real_time = scale(control.main_time(), 0.97).saturating_sub(input.measured);
    let moves = 110u32.saturating_sub(input.own_moves).max(20);
    let pace = real_time.saturating_sub(spare) / moves;
    let most = control.unit.saturating_sub(delay).saturating_sub(MARGIN);
    Some(pace.clamp(LEAST_PACE.min(most), most))
}

/// The time that a turn may take at the charge of an instant answer, for any delay up to the bound. It is zero if a
/// delay at the bound alone raises the charge.
fn free_time(control: &TimeControl, delay: Duration, reserve: Duration) -> Duration {
    let least = judge::charge(control, Duration::ZERO);
    if judge::charge(control, delay) == least {
        latest_at_charge(control, least).saturating_sub(reserve)
    } else {
        Duration::ZERO
    }
}

/// The end of the time during which a turn costs no more than `spend`.
fn latest_at_charge(control: &TimeControl, spend: Duration) -> Duration {
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

/// The time from the decision to stop until our line is sent.
const MARGIN: Duration = Duration::from_millis(30);

/// The time per move in games without a clock.
const UNLIMITED: Duration = Duration::from_secs(10);

/// The time for the only legal move: enough for a principal variation and a move to ponder on.
const FORCED: Duration = Duration::from_millis(50);

/// The end of a turn is aligned to units of at least this length.
const COARSE_UNIT: Duration = Duration::from_millis(500);

/// With shorter byoyomi the main time is not used up.
const USEFUL_BYOYOMI: Duration = Duration::from_secs(2);

/// Main time below which the reserve for outlying delays is at its minimum.
const BLITZ: Duration = Duration::from_secs(60);

/// Main time from which the free parts of seconds do not make a game noticeably longer.
const SLOW: Duration = Duration::from_secs(300);

/// The least thinking time after a boundary.
const LEAST_PACE: Duration = Duration::from_millis(10);

/// The own move by which the main time above the tail is used, a little before the end of a mean game.
const PLANNED_END: u32 = 55;

/// The number of moves of each side in a mean game.
const MEAN_OWN_MOVES: u32 = 58;

/// An even spread assumes at least this number of own moves to come.
const LATE_EVEN_MOVES: u32 = 20;

/// The own move by which time saved until then is used.
const LATEST_END: u32 = 61;

/// The part of the main time that is left at the planned end.
const TAIL: f64 = 0.11;

/// After both ends, a move takes the spare time divided by this number.
const LATE_MOVES: u32 = 25;

/// The part of an increment that is spent in the turn that receives it.
const INCOME: f64 = 0.95;

/// The largest number of plies of a game on any known server.
const LONGEST_GAME: u32 = 512;

/// The least number of later moves that is assumed if no limit is known.
const UNKNOWN_REST: u32 = 30;

#[cfg(test)]
mod tests;
