//! The clocks, move by move.

use proptest::prelude::*;

use super::*;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn game_clocks(control: TimeControl) -> GameClocks {
    GameClocks::new(Controls::both(control), Color::Black)
}

#[test]
fn the_charge_is_the_servers_time_and_keeps_our_measurement() {
    let mut game_clocks = game_clocks(TimeControl::sudden_death(secs(600)));
    let charge = game_clocks.charge(Color::Black, Some(secs(12)), ms(11_400));
    assert_eq!((charge.spent, charge.measured), (secs(12), ms(11_400)));
    assert_eq!(charge.network_loss, ms(600));
    assert_eq!(charge.discrepancy, None);
    assert_eq!(game_clocks.remaining(Color::Black), secs(588));
    assert_eq!(game_clocks.remaining(Color::White), secs(600));
    let clocks = game_clocks.clocks();
    assert_eq!((clocks.black.spent, clocks.black.measured), (secs(12), ms(11_400)));
    assert_eq!((clocks.turn, clocks.black.turns), (Color::White, 1));
}

#[test]
fn the_increment_is_added_before_the_move() {
    let mut game_clocks = game_clocks(TimeControl::fischer(secs(0), secs(10)));
    assert_eq!(game_clocks.clocks().running().flag_after(), Some(secs(10)));
    let charge = game_clocks.charge(Color::Black, Some(secs(9)), ms(9_100));
    assert!(!charge.flag_fell);
    assert_eq!(charge.remaining, secs(1));
    assert!(game_clocks.charge(Color::White, Some(secs(10)), secs(10)).flag_fell);
}

#[test]
fn byoyomi_never_lowers_a_clock_below_zero() {
    let mut game_clocks = game_clocks(TimeControl::byoyomi(secs(5), secs(10)));
    game_clocks.charge(Color::Black, Some(secs(12)), secs(12));
    assert_eq!(game_clocks.remaining(Color::Black), secs(0));
    game_clocks.charge(Color::Black, Some(secs(9)), secs(9));
    assert_eq!(game_clocks.remaining(Color::Black), secs(0));
}

#[test]
fn a_missing_time_is_replaced_by_our_measurement() {
    let mut game_clocks = game_clocks(TimeControl::sudden_death(secs(600)));
    let charge = game_clocks.charge(Color::Black, None, ms(3_900));
    assert_eq!((charge.spent, charge.discrepancy), (secs(3), Some(TimeDiscrepancy::Missing)));
}

#[test]
fn an_impossible_time_is_replaced_by_our_measurement() {
    let mut game_clocks = game_clocks(TimeControl::sudden_death(secs(60)));
    let charge = game_clocks.charge(Color::Black, Some(secs(4000)), ms(2_000));
    assert_eq!((charge.spent, charge.discrepancy), (secs(2), Some(TimeDiscrepancy::Impossible)));
    assert_eq!(charge.remaining, secs(58));
}

#[test]
fn a_time_far_from_our_measurement_is_charged_with_a_warning() {
    // Ten seconds in a unit of 100 ms, read as seconds.
    let mut game_clocks = game_clocks(TimeControl::sudden_death(secs(600)));
    let charge = game_clocks.charge(Color::Black, Some(secs(100)), secs(10));
    assert_eq!((charge.spent, charge.discrepancy), (secs(100), Some(TimeDiscrepancy::Differs)));
}

#[test]
fn a_turn_that_the_server_ends_late_is_no_discrepancy() {
    let mut game_clocks = game_clocks(TimeControl::sudden_death(secs(600)));
    assert_eq!(game_clocks.charge(Color::Black, Some(secs(13)), secs(10)).discrepancy, None);
}

#[test]
fn set_up_moves_may_lower_a_clock_but_never_raise_it() {
    // The reference server writes T1 for each and starts with full clocks.
    let mut preset = game_clocks(TimeControl::fischer(secs(300), secs(10)));
    for color in [Color::Black, Color::White, Color::Black] {
        preset.charge_set_up_move(color, Some(secs(1)));
    }
    assert_eq!(preset.remaining(Color::Black), secs(300));
    assert_eq!(preset.clocks().turn, Color::White);
    // A handicap: a large count on one side's first move; then increments may make up for it.
    let mut handicap = game_clocks(TimeControl::fischer(secs(300), secs(10)));
    handicap.charge_set_up_move(Color::Black, Some(secs(100)));
    assert_eq!(handicap.remaining(Color::Black), secs(210));
    handicap.charge_set_up_move(Color::Black, Some(secs(0)));
    assert_eq!(handicap.remaining(Color::Black), secs(220));
    handicap.charge_set_up_move(Color::Black, None);
    assert_eq!(handicap.remaining(Color::Black), secs(220));
    handicap.subtract(Color::Black, secs(500));
    assert_eq!(handicap.remaining(Color::Black), secs(0));
}

#[test]
fn a_resumed_clock_continues_from_the_counted_times() {
    let mut resumed = game_clocks(TimeControl::fischer(secs(60), secs(5)));
    for (color, spent) in [(Color::Black, 5), (Color::White, 3), (Color::Black, 4)] {
        resumed.charge_earlier_move(color, Some(secs(spent)));
    }
    let left = [Color::Black, Color::White].map(|color| resumed.remaining(color));
    assert_eq!(left, [secs(61), secs(62)]);
    assert_eq!(resumed.clocks().turn, Color::White);
    resumed.charge_earlier_move(Color::White, None);
    assert_eq!((resumed.remaining(Color::White), resumed.clocks().turn), (secs(62), Color::Black));
}

#[test]
fn the_sides_may_have_different_clocks() {
    let controls = Controls {
        black: TimeControl::sudden_death(secs(60)),
        white: TimeControl::byoyomi(secs(600), secs(10)),
    };
    let mut game_clocks = GameClocks::new(controls, Color::White);
    assert_eq!(game_clocks.clocks().running().flag_after(), Some(secs(610)));
    game_clocks.charge(Color::White, Some(secs(5)), secs(5));
    assert_eq!(game_clocks.clocks().running().flag_after(), Some(secs(60)));
}

#[test]
fn without_a_limit_the_flag_never_falls() {
    let mut game_clocks = game_clocks(TimeControl::UNLIMITED);
    assert_eq!(game_clocks.clocks().flag_at(Instant::now()), None);
    assert!(!game_clocks.charge(Color::Black, Some(secs(100_000)), secs(100_000)).flag_fell);
}

#[test]
fn times_are_read_with_fractions() {
    let read = |text| parse_spent(text, secs(1));
    assert_eq!(read("12"), Some(secs(12)));
    assert_eq!(read("1.5"), Some(ms(1_500)));
    assert_eq!(read("1."), Some(secs(1)));
    assert_eq!(read(".5"), Some(ms(500)));
    assert_eq!(read("0.123456789012345"), Some(Duration::from_nanos(123_456_789)));
    assert_eq!(parse_spent("15", ms(100)), Some(ms(1_500)));
    for text in ["", ".", "-1", "+1", "1,5", "1e3", "x", "99999999999999999999", "1.x", "٣"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn our_turns_and_echoes_update_the_delay_estimate() {
    let mut game_clocks = game_clocks(TimeControl::sudden_death(secs(600)));
    assert_eq!(game_clocks.clocks().network.bound(), DelayEstimator::LONGEST_UNMEASURED);
    for _ in 0..40 {
        let charge = game_clocks.charge(Color::Black, Some(secs(1)), ms(1_200));
        game_clocks.observe_own_turn(&charge);
        game_clocks.observe_round_trip(ms(40));
        game_clocks.charge(Color::White, Some(secs(1)), ms(1_000));
    }
    assert!(game_clocks.clocks().network.bound() < ms(150));
    let next = GameClocks::with_network(Controls::default(), Color::Black, *game_clocks.network());
    assert_eq!(next.clocks().network.bound(), game_clocks.clocks().network.bound());
}

proptest! {
    #[test]
    fn no_account_overflows_or_rises_without_increment(
        total in 0..10_000u64,
        byoyomi in 0..100u64,
        turns in proptest::collection::vec((proptest::option::of(any::<u64>()), any::<u64>()), 0..50),
    ) {
        let mut game_clocks = game_clocks(TimeControl::byoyomi(secs(total), secs(byoyomi)));
        let mut color = Color::Black;
        for (stated, measured) in turns {
            let before = game_clocks.remaining(color);
            let charge = game_clocks.charge(color, stated.map(secs), secs(measured));
            prop_assert!(charge.remaining <= before);
            color = !color;
        }
    }

    #[test]
    fn any_text_for_a_count_is_harmless(text: String) {
        let _ = parse_spent(&text, Duration::MAX);
    }
}
