//! What a turn costs and when the flag falls: the arithmetic of the reference server.
//!
//! Per turn `spent = max(floor(elapsed to the unit), least)`; the turn is lost when
//! `spent >= remaining + byoyomi + increment`, unless there is no limit at all; then
//! `remaining = max(0, remaining + increment - spent)` (CSA protocol notes, section 7). A delay is
//! taken off the elapsed time first; with [`Rounding::Up`] parts of a unit count as a whole one.

use std::time::Duration;

use super::control::{Rounding, TimeControl};

/// What the judge says of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What the turn costs: the `T` value.
    pub spent: Duration,
    /// Main time left after the turn, the increment of this turn included.
    pub remaining: Duration,
    /// Whether the flag has fallen: the move came too late.
    pub flag_fell: bool,
}

/// Judges a turn that took `elapsed`, begun with `remaining` main time (without the increment of
/// this turn).
pub fn judge(control: &TimeControl, remaining: Duration, elapsed: Duration) -> Verdict {
    let spent = charge(control, elapsed);
    Verdict {
        spent,
        remaining: settle(control, remaining, spent),
        flag_fell: !control.is_unlimited() && spent >= allowance(control, remaining),
    }
}

/// What a turn of this length costs: delay taken off, brought to whole units, at least the least
/// time.
pub fn charge(control: &TimeControl, elapsed: Duration) -> Duration {
    let counted = elapsed.saturating_sub(control.delay);
    if control.stop_watch {
        whole_units(counted.max(control.least), control)
    } else {
        whole_units(counted, control).max(control.least)
    }
}

/// The main time after a turn that cost `spent`.
pub fn settle(control: &TimeControl, remaining: Duration, spent: Duration) -> Duration {
    remaining.saturating_add(control.increment).saturating_sub(spent)
}

/// What a turn may not reach: `remaining + byoyomi + increment`.
pub fn allowance(control: &TimeControl, remaining: Duration) -> Duration {
    remaining.saturating_add(control.byoyomi).saturating_add(control.increment)
}

/// How long after the start of a turn the flag falls: the shortest elapsed time that
/// [`judge`] finds too long. `None` when it never does.
pub fn flag_after(control: &TimeControl, remaining: Duration) -> Option<Duration> {
    if control.is_unlimited() {
        return None;
    }
    let allowed = allowance(control, remaining);
    if charge(control, Duration::ZERO) >= allowed {
        return Some(Duration::ZERO);
    }
    let unit = unit_ns(control);
    let units = allowed.as_nanos().div_ceil(unit);
    let counted = match control.rounding {
        Rounding::Down => from_nanos(units.saturating_mul(unit)),
        Rounding::Up => from_nanos(units.saturating_sub(1).saturating_mul(unit) + 1),
    };
    Some(counted.saturating_add(control.delay))
}

fn whole_units(time: Duration, control: &TimeControl) -> Duration {
    let unit = unit_ns(control);
    let units = match control.rounding {
        Rounding::Down => time.as_nanos() / unit,
        Rounding::Up => time.as_nanos().div_ceil(unit),
    };
    from_nanos(units.saturating_mul(unit))
}

fn unit_ns(control: &TimeControl) -> u128 {
    match control.unit.as_nanos() {
        0 => 1_000_000,
        unit => unit,
    }
}

/// Saturating, since the rounded product may be a little more than a `Duration` holds.
fn from_nanos(nanos: u128) -> Duration {
    if nanos > Duration::MAX.as_nanos() { Duration::MAX } else { Duration::from_nanos_u128(nanos) }
}
