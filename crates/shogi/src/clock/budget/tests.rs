//! Single properties of the budget. The simulation tests whole games.

use proptest::prelude::*;

use super::*;
use crate::clock::{DelayEstimator, DelayPolicy};

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A network with many short delays.
fn quick() -> DelayEstimator {
    let mut network = DelayEstimator::default();
    (0..100).for_each(|_| network.observe_round_trip(ms(1)));
    network
}

fn input(control: TimeControl, remaining: Duration, own_moves: u32) -> BudgetInput {
    BudgetInput {
        control,
        remaining,
        measured: Duration::ZERO,
        network: quick(),
        ply: 2 * own_moves + 1,
        own_moves,
        max_moves: Some(256),
        forced: false,
        time_options: TimeOptions::default(),
    }
}

fn soft(input: &BudgetInput) -> Duration {
    plan(input).deadline(&Signals::default())
}

#[test]
fn the_classic_clock_is_planned_over_a_mean_game() {
    let control = TimeControl::sudden_death(secs(1200));
    let opening = soft(&input(control, secs(1200), 0));
    let middle = soft(&input(control, secs(900), 20));
    assert!(opening > secs(8) && opening < secs(15), "{opening:?}");
    assert!(middle > secs(20) && middle < secs(35), "{middle:?}");
    let late = soft(&input(control, secs(120), 90));
    assert!(late > secs(1) && late < secs(7), "{late:?}");
}

#[test]
fn share_percent_scales_the_share_within_the_clock() {
    let at = |percent, remaining, own_moves| {
        let control = TimeControl::sudden_death(secs(1200));
        let time_options = TimeOptions { share_percent: percent, ..TimeOptions::default() };
        let usual = input(control, remaining, own_moves);
        soft(&usual.time_options(time_options)).as_secs_f64() / soft(&usual).as_secs_f64()
    };
    assert!((1.7..2.3).contains(&at(200, secs(900), 20)));
    assert!((0.4..0.6).contains(&at(50, secs(900), 20)));
    let control = TimeControl { byoyomi: secs(10), ..TimeControl::sudden_death(secs(600)) };
    let time_options = TimeOptions { share_percent: 1000, ..TimeOptions::default() };
    for (remaining, control) in
        [(secs(600), control), (secs(5), control), (secs(20), TimeControl::sudden_death(secs(300)))]
    {
        for own_moves in [0, 20, 54, 90] {
            let usual = input(control, remaining, own_moves);
            let budget = plan(&usual.time_options(time_options));
            let flag = remaining + control.byoyomi;
            assert!(budget.soft <= budget.hard && budget.hard < flag, "{budget:?}");
        }
    }
}

#[test]
fn a_least_time_is_kept_if_the_clock_allows_it() {
    let least = |time| TimeOptions { least: time, ..TimeOptions::default() };
    let control = TimeControl::sudden_death(secs(1200));
    let usual = input(control, secs(1200), 0);
    let calm = Signals { stable: 10, obvious: true, ..Signals::default() };
    let free = plan(&usual).deadline(&calm);
    assert!(free < secs(12));
    assert_eq!(plan(&usual.time_options(least(secs(12)))).deadline(&calm), secs(12));
    assert_eq!(plan(&usual.time_options(least(ms(1)))).deadline(&calm), free);
    // Neither for the only legal move nor for the last seconds of the clock.
    let forced = usual.forced(true);
    assert_eq!(plan(&forced.time_options(least(secs(12)))).hard, plan(&forced).hard);
    let short = input(control, secs(6), 100);
    assert!(plan(&short.time_options(least(secs(12)))).deadline(&calm) < secs(4));
}

#[test]
fn thinking_ends_just_before_a_whole_second() {
    let control = TimeControl::sudden_death(secs(1200));
    for own_moves in 0..100 {
        let budget = plan(&input(control, secs(1200) / (own_moves + 1), own_moves));
        let parts = budget.deadline(&Signals::default()).subsec_millis();
        assert!((900..990).contains(&parts), "{budget:?}");
    }
}

#[test]
fn signals_lengthen_and_shorten_the_time() {
    let budget = plan(&input(TimeControl::sudden_death(secs(1200)), secs(900), 20));
    let usual = budget.deadline(&Signals::default());
    let changing = budget.deadline(&Signals { best_changes: 2, ..Signals::default() });
    let falling = budget.deadline(&Signals { score_fall: 100, ..Signals::default() });
    let both = Signals { best_changes: 3, score_fall: 200, ..Signals::default() };
    let stable = budget.deadline(&Signals { stable: 9, ..Signals::default() });
    let obvious = budget.deadline(&Signals { obvious: true, ..Signals::default() });
    assert!(changing > usual + usual / 3 && falling > usual + usual / 3);
    assert!(stable < usual && obvious < usual / 2);
    let most = budget.deadline(&both);
    assert!(most > changing && most <= budget.hard && budget.soft == usual);
}

#[test]
fn a_forced_move_is_made_at_once() {
    for control in [
        TimeControl::sudden_death(secs(1200)),
        TimeControl::byoyomi(secs(600), secs(10)),
        TimeControl::fischer(secs(300), secs(10)),
        TimeControl::UNLIMITED,
    ] {
        let budget = plan(&input(control, secs(600), 20).forced(true));
        assert!(budget.hard <= ms(50), "{budget:?}");
    }
}

#[test]
fn an_increment_is_spent_in_its_turn() {
    let control = TimeControl::fischer(secs(300), secs(10));
    let usual = soft(&input(control, secs(300), 10));
    assert!(usual > secs(12) && usual < secs(20), "{usual:?}");
    let late = soft(&input(control, secs(12), 100));
    assert!(late > secs(8) && late < secs(12), "{late:?}");
    let empty = soft(&input(control, secs(0), 100));
    assert!(empty > secs(3) && empty < secs(7), "half is saved: {empty:?}");
}

#[test]
fn byoyomi_is_used_up() {
    let control = TimeControl::byoyomi(secs(600), secs(30));
    let main = soft(&input(control, secs(600), 10));
    assert!(main > secs(20) && main < secs(50), "{main:?}");
    let last = plan(&input(control, secs(0), 100));
    assert!(last.soft > secs(26) && last.hard < secs(27), "three seconds are kept: {last:?}");
    let fixed = DelayEstimator::new(DelayPolicy::Fixed(ms(200)));
    let last = plan(&BudgetInput { network: fixed, ..input(control, secs(0), 100) });
    assert!(last.soft > ms(29_700) && last.hard < ms(29_800), "as set: {last:?}");
}

#[test]
fn a_second_of_byoyomi_is_used_once_the_main_time_is_gone() {
    let control = TimeControl::byoyomi(secs(0), secs(1));
    for (delay, used) in [(0, 970), (10, 960), (30, 940)] {
        let network = DelayEstimator::new(DelayPolicy::Fixed(ms(delay)));
        let budget = plan(&BudgetInput { network, ..input(control, secs(0), 10) });
        assert_eq!((budget.soft, budget.hard), (ms(used), ms(used)), "a delay of {delay} ms");
    }
    let unknown = DelayEstimator::default();
    let budget = plan(&BudgetInput { network: unknown, ..input(control, secs(0), 10) });
    assert_eq!(budget.hard, Duration::ZERO, "a delay as long as that would lose");
}

#[test]
fn an_unmeasured_network_on_a_short_clock_leaves_no_time() {
    let unknown = DelayEstimator::default();
    let control = TimeControl::sudden_death(secs(60));
    let budget = plan(&BudgetInput { network: unknown, ..input(control, secs(60), 0) });
    assert_eq!(budget.hard, Duration::ZERO);
    let control = TimeControl::sudden_death(secs(1200));
    let budget = plan(&BudgetInput { network: unknown, ..input(control, secs(1200), 0) });
    assert!(budget.soft > secs(3), "a long clock can afford not to know: {budget:?}");
}

#[test]
fn an_empty_clock_leaves_only_free_time() {
    let control = TimeControl::sudden_death(secs(600));
    let budget = plan(&input(control, secs(5), 100));
    assert!(budget.hard < secs(1) && budget.hard > ms(900), "{budget:?}");
    let budget = plan(&input(control, secs(2), 100));
    assert_eq!(budget.hard, Duration::ZERO, "one delay out of line would lose");
}

#[test]
fn with_a_stop_watch_a_minute_is_free() {
    let control = TimeControl::stop_watch(secs(1500), secs(60));
    let soft = soft(&input(control, secs(1500), 10));
    assert!(soft > secs(59) && soft < secs(60), "{soft:?}");
}

#[test]
fn without_a_limit_the_time_is_fixed() {
    assert_eq!(soft(&input(TimeControl::UNLIMITED, secs(0), 5)), UNLIMITED);
}

#[test]
fn a_short_sudden_death_stays_within_real_time() {
    let control = TimeControl::sudden_death(secs(60));
    let mut remaining = secs(60);
    let mut real = Duration::ZERO;
    for own_moves in 0..128 {
        let turn = soft(&BudgetInput { measured: real, ..input(control, remaining, own_moves) });
        real += turn;
        remaining = judge::charge_turn(&control, remaining, turn + ms(1)).remaining;
    }
    assert!(real < secs(59), "{real:?}");
    assert!(remaining < secs(9), "{remaining:?}");
}

fn any_input() -> impl Strategy<Value = BudgetInput> {
    let time = || prop_oneof![Just(0), 0..5_000u64, 0..5_000_000u64, Just(u64::MAX)].prop_map(ms);
    let unit = prop_oneof![Just(1000), Just(1), Just(100), Just(60_000), Just(0)].prop_map(ms);
    let network = proptest::collection::vec(0..4_000u64, 0..20);
    (
        (time(), time(), time(), time(), time(), unit, any::<bool>(), any::<bool>()),
        (time(), time(), network, 0..2_000u32, proptest::option::of(0..2_000u32), any::<bool>()),
    )
        .prop_map(|(control, rest)| {
            let (total, byoyomi, increment, delay, least, unit, up, stop_watch) = control;
            let (remaining, measured, delays, own_moves, max_moves, forced) = rest;
            let mut network = DelayEstimator::default();
            for delay in delays {
                network.observe_round_trip(ms(delay));
            }
            BudgetInput {
                control: TimeControl {
                    total: Some(total),
                    byoyomi,
                    increment,
                    delay,
                    least,
                    unit,
                    rounding: if up { Rounding::Up } else { Rounding::Down },
                    stop_watch,
                },
                remaining,
                measured,
                network,
                ply: own_moves * 2,
                own_moves,
                max_moves,
                forced,
                time_options: TimeOptions::default(),
            }
        })
}

fn any_signals() -> impl Strategy<Value = Signals> {
    (any::<u32>(), any::<u32>(), any::<i32>(), any::<bool>()).prop_map(
        |(best_changes, stable, score_fall, obvious)| Signals {
            best_changes,
            stable,
            score_fall,
            obvious,
        },
    )
}

proptest! {
    #[test]
    fn no_turn_is_planned_to_the_flag(input in any_input(), signals in any_signals()) {
        let budget = plan(&input);
        let deadline = budget.deadline(&signals);
        prop_assert!(deadline <= budget.hard && budget.soft <= budget.hard);
        if let Some(flag) = judge::flag_after(&input.control, input.remaining) {
            let kept = input.network.bound() + MARGIN;
            prop_assert!(budget.hard <= flag.saturating_sub(kept), "{:?}", budget);
        }
    }

    #[test]
    fn the_same_input_gives_the_same_budget(input in any_input()) {
        prop_assert_eq!(plan(&input), plan(&input));
    }
}
