//! The charge of a turn and the time at which the flag falls: the arithmetic of the reference server.
//!
//! For each turn `spent = max(floor(elapsed to the unit), least)`. The turn is lost on time if
//! `spent >= remaining + byoyomi + increment`, unless there is no limit at all. Afterwards
//! `remaining = max(0, remaining + increment - spent)` (docs/csa-protocol.md, section 7.1). A delay is subtracted from
//! the elapsed time first. With [`Rounding::Up`] parts of a unit count as a whole unit.

use std::time::Duration;

use super::control::{Rounding, TimeControl};

/// The judge's decision on one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnCharge {
    /// The charge of the turn: the `T` value.
    pub spent: Duration,
    /// Main time left after the turn, the increment of this turn included.
    pub remaining: Duration,
    /// Whether the flag has fallen, that is, the move came too late.
    pub flag_fell: bool,
}

/// Judges a turn that took `elapsed` and began with `remaining` main time, without the increment of this turn.
pub fn charge_turn(control: &TimeControl, remaining: Duration, elapsed: Duration) -> TurnCharge {
    let spent = charge(control, elapsed);
    TurnCharge {
        spent,
        remaining: remaining_after(control, remaining, spent),
        flag_fell: !control.is_unlimited() && spent >= allowance(control, remaining),
    }
}

/// The charge of a turn that took `elapsed`: the delay is subtracted, the rest is rounded to whole units, and the
/// charge is at least the least time.
pub fn charge(control: &TimeControl, elapsed: Duration) -> Duration {
    let counted = elapsed.saturating_sub(control.delay);
    if control.stop_watch {
        rounded(counted.max(control.least), control)
    } else {
        rounded(counted, control).max(control.least)
    }
}

/// The main time after a turn that cost `spent`.
pub fn remaining_after(control: &TimeControl, remaining: Duration, spent: Duration) -> Duration {
    remaining.saturating_add(control.increment).saturating_sub(spent)
}

/// The charge that a turn must not reach: `remaining + byoyomi + increment`.
pub fn allowance(control: &TimeControl, remaining: Duration) -> Duration {
    remaining.saturating_add(control.byoyomi).saturating_add(control.increment)
}

/// The time from the start of a turn until the flag falls: the shortest elapsed time that [`charge_turn`] finds too
/// long; `None` if the flag never falls.
pub fn flag_after(control: &TimeControl, remaining: Duration) -> Option<Duration> {
    if control.is_unlimited() {
        return None;
    }
    let allowed = allowance(control, remaining);
    if charge(control, Duration::ZERO) >= allowed {
        return Some(Duration::ZERO);
    }
    let unit = unit_ns(control.unit);
    let units = allowed.as_nanos().div_ceil(unit);
    let counted = match control.rounding {
        Rounding::Down => from_nanos(units.saturating_mul(unit)),
        Rounding::Up => from_nanos(units.saturating_sub(1).saturating_mul(unit) + 1),
    };
    Some(counted.saturating_add(control.delay))
}

/// `time` rounded down to whole units.
pub(super) fn whole_units(time: Duration, unit: Duration) -> Duration {
    let unit = unit_ns(unit);
    from_nanos(time.as_nanos() / unit * unit)
}

fn rounded(time: Duration, control: &TimeControl) -> Duration {
    match control.rounding {
        Rounding::Down => whole_units(time, control.unit),
        Rounding::Up => {
            let unit = unit_ns(control.unit);
            from_nanos(time.as_nanos().div_ceil(unit).saturating_mul(unit))
        }
    }
}

fn unit_ns(unit: Duration) -> u128 {
    match unit.as_nanos() {
        0 => 1_000_000,
        unit => unit,
    }
}

/// Saturates, since the rounded product may be a little more than a `Duration` can hold.
fn from_nanos(nanos: u128) -> Duration {
    if nanos > Duration::MAX.as_nanos() { Duration::MAX } else { Duration::from_nanos_u128(nanos) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn less_than_a_second_costs_nothing() {
        let control = TimeControl::sudden_death(secs(10));
        assert_eq!(charge(&control, ms(999)), secs(0));
        assert_eq!(charge(&control, ms(1000)), secs(1));
        assert_eq!(charge(&control, ms(1999)), secs(1));
    }

    #[test]
    fn without_main_time_a_turn_must_be_shorter_than_the_byoyomi() {
        let control = TimeControl::byoyomi(secs(600), secs(10));
        assert!(!charge_turn(&control, secs(0), ms(9_999)).flag_fell);
        assert!(charge_turn(&control, secs(0), ms(10_000)).flag_fell);
        assert_eq!(charge_turn(&control, secs(0), ms(9_999)).remaining, secs(0));
        assert_eq!(charge_turn(&control, secs(3), ms(9_000)).remaining, secs(0));
    }

    #[test]
    fn spending_all_of_the_remaining_time_loses() {
        let control = TimeControl::sudden_death(secs(10));
        assert!(!charge_turn(&control, secs(10), ms(9_999)).flag_fell);
        assert!(charge_turn(&control, secs(10), secs(10)).flag_fell);
    }

    #[test]
    fn the_increment_of_a_move_is_available_in_that_move() {
        let control = TimeControl::fischer(secs(0), secs(1));
        let turn = charge_turn(&control, secs(0), ms(999));
        assert!(!turn.flag_fell);
        assert_eq!(turn.remaining, secs(1));
        assert!(charge_turn(&control, secs(0), secs(1)).flag_fell);
    }

    #[test]
    fn byoyomi_and_increment_add_up() {
        let control = TimeControl { byoyomi: secs(5), ..TimeControl::fischer(secs(60), secs(3)) };
        assert!(!charge_turn(&control, secs(2), ms(9_999)).flag_fell);
        assert!(charge_turn(&control, secs(2), secs(10)).flag_fell);
        assert_eq!(charge_turn(&control, secs(2), secs(4)).remaining, secs(1));
    }

    #[test]
    fn zero_main_time_byoyomi_and_increment_mean_no_limit() {
        let control = TimeControl::sudden_death(secs(0));
        assert!(!charge_turn(&control, secs(0), secs(1_000_000)).flag_fell);
        assert_eq!(flag_after(&control, secs(0)), None);
        let control = TimeControl { least: secs(1), ..control };
        assert!(!charge_turn(&control, secs(0), secs(5)).flag_fell);
    }

    #[test]
    fn a_move_costs_at_least_the_least_time() {
        let control = TimeControl { least: secs(1), ..TimeControl::sudden_death(secs(10)) };
        assert_eq!(charge(&control, ms(0)), secs(1));
        assert_eq!(charge(&control, ms(2_500)), secs(2));
        assert_eq!(flag_after(&control, secs(1)), Some(secs(0)));
    }

    #[test]
    fn partial_units_can_round_up() {
        let control = TimeControl { rounding: Rounding::Up, ..TimeControl::sudden_death(secs(10)) };
        assert_eq!(charge(&control, ms(0)), secs(0));
        assert_eq!(charge(&control, ms(1)), secs(1));
        assert_eq!(charge(&control, ms(1_000)), secs(1));
        assert!(!charge_turn(&control, secs(10), ms(9_000)).flag_fell);
        assert!(charge_turn(&control, secs(10), ms(9_001)).flag_fell);
    }

    #[test]
    fn the_delay_passes_before_the_clock_runs() {
        let control = TimeControl { delay: secs(5), ..TimeControl::sudden_death(secs(10)) };
        assert_eq!(charge(&control, ms(5_999)), secs(0));
        assert_eq!(charge(&control, ms(7_000)), secs(2));
        assert_eq!(flag_after(&control, secs(10)), Some(secs(15)));
    }

    #[test]
    fn the_stop_watch_counts_whole_minutes() {
        let control = TimeControl::stop_watch(secs(1500), secs(60));
        assert_eq!(charge(&control, ms(59_999)), secs(0));
        assert_eq!(charge(&control, secs(119)), secs(60));
        assert!(!charge_turn(&control, secs(60), ms(59_999)).flag_fell);
        assert!(
            charge_turn(&control, secs(60), secs(60)).flag_fell,
            "lost when remaining <= spent"
        );
        let control = TimeControl { least: secs(1), ..control };
        assert_eq!(charge(&control, secs(0)), secs(0), "the least time is rounded down too");
    }

    #[test]
    fn cumulative_increments_give_the_tournament_rule() {
        // Lost when one's cumulative time reaches 15 min + 5 s x (number of own moves).
        let control = TimeControl::fischer(secs(900), secs(5));
        let mut remaining = secs(900);
        let mut total = secs(0);
        for (number, spent) in (1..).zip([40, 300, 3, 250, 330].map(secs)) {
            let turn = charge_turn(&control, remaining, spent);
            total += spent;
            assert_eq!(turn.flag_fell, total >= secs(900) + secs(5) * number);
            remaining = turn.remaining;
        }
    }

    fn any_control() -> impl Strategy<Value = TimeControl> {
        let time = || prop_oneof![Just(0), 0..5u64, 0..10_000u64, Just(u64::MAX)];
        let unit = prop_oneof![Just(1_000_000_000), Just(1_000_000), Just(0), 1..90_000_000_000u64];
        (time(), time(), time(), 0..4000u64, 0..3000u64, unit, any::<bool>(), any::<bool>())
            .prop_map(|(total, byoyomi, increment, delay, least, unit, up, stop_watch)| {
                TimeControl {
                    total: Some(secs(total)),
                    byoyomi: secs(byoyomi),
                    increment: secs(increment),
                    delay: ms(delay),
                    least: ms(least),
                    unit: Duration::from_nanos(unit),
                    rounding: if up { Rounding::Up } else { Rounding::Down },
                    stop_watch,
                }
            })
    }

    proptest! {
        #[test]
        fn the_flag_falls_exactly_at_flag_after(control in any_control(), remaining in 0..100_000u64) {
            let remaining = ms(remaining);
            if let Some(flag) = flag_after(&control, remaining).filter(|flag| *flag < Duration::MAX / 2) {
                prop_assert!(charge_turn(&control, remaining, flag).flag_fell);
                if let Some(before) = flag.checked_sub(Duration::from_nanos(1)) {
                    prop_assert!(!charge_turn(&control, remaining, before).flag_fell);
                }
            }
        }

        #[test]
        fn longer_turns_never_cost_less(control in any_control(), a in 0..100_000u64, b in 0..100_000u64) {
            let (short, long) = (ms(a.min(b)), ms(a.max(b)));
            prop_assert!(charge(&control, short) <= charge(&control, long));
        }

        #[test]
        fn no_arithmetic_overflows(control in any_control(), elapsed: u64, remaining: u64) {
            let turn = charge_turn(&control, secs(remaining), secs(elapsed));
            prop_assert!(turn.spent >= control.least || control.stop_watch);
        }
    }
}
