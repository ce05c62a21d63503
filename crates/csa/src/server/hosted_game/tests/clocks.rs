//! What a move costs, and when the flag falls.

use super::*;

#[test]
fn parts_of_a_second_cost_nothing() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(2)));
    assert_eq!(harness.wait(999).play("+7776FU"), ["+7776FU,T0"]);
    assert_eq!(harness.wait(1999).play("-3334FU"), ["-3334FU,T1"]);
    assert_eq!(harness.wait(1999).play("+2726FU"), ["+2726FU,T1"]);
    // White has 1 s left, and a whole one is too much.
    assert_eq!(harness.wait(1000).play("-8384FU"), ["#TIME_UP", "#WIN"]);
}

#[test]
fn byoyomi_of_ten_means_less_than_ten() {
    let mut harness = Harness::clocked(TimeControl::byoyomi(secs(0), secs(10)));
    assert_eq!(harness.wait(9999).play("+7776FU"), ["+7776FU,T9"]);
    assert_eq!(harness.wait(9999).play("-3334FU"), ["-3334FU,T9"]);
    assert_eq!(harness.wait(10_000).play("+2726FU"), ["#TIME_UP", "#LOSE"]);
}

#[test]
fn the_increment_can_be_used_in_the_very_move() {
    let mut harness = Harness::clocked(TimeControl::fischer(secs(0), secs(1)));
    assert_eq!(harness.wait(999).play("+7776FU"), ["+7776FU,T0"]);
    assert_eq!(harness.wait(999).play("-3334FU"), ["-3334FU,T0"]);
    // Black saved a second: 1 left and 1 more.
    assert_eq!(harness.wait(1999).play("+2726FU"), ["+2726FU,T1"]);
    assert_eq!(harness.wait(2000).play("-8384FU"), ["#TIME_UP", "#WIN"]);
}

#[test]
fn main_time_byoyomi_and_increment_add_up() {
    let control = TimeControl { byoyomi: secs(2), ..TimeControl::fischer(secs(3), secs(1)) };
    let mut harness = Harness::clocked(control);
    assert_eq!(harness.wait(5999).play("+7776FU"), ["+7776FU,T5"]);
    assert_eq!(harness.wait(6000).play("-3334FU"), ["#TIME_UP", "#WIN"]);
}

#[test]
fn without_a_clock_no_flag_falls() {
    let mut harness = Harness::even();
    assert_eq!(harness.game.wake_at(), None);
    assert_eq!(harness.wait(1_000_000_000).play("+7776FU"), ["+7776FU,T1000000"]);
}

#[test]
fn a_move_costs_at_least_the_least_time() {
    let control = TimeControl { least: secs(1), ..TimeControl::sudden_death(secs(3)) };
    let mut harness = Harness::clocked(control);
    assert_eq!(harness.play("+7776FU"), ["+7776FU,T1"]);
    assert_eq!(harness.play_all("-3334FU +2726FU -8384FU"), ["-8384FU,T1"]);
    // 1 s left, and a move costs that.
    assert_eq!(harness.play("+2625FU"), ["#TIME_UP", "#LOSE"]);
}

#[test]
fn parts_of_a_unit_may_round_up() {
    let control = TimeControl { rounding: Rounding::Up, ..TimeControl::sudden_death(secs(3)) };
    let mut harness = Harness::clocked(control);
    assert_eq!(harness.wait(1).play("+7776FU"), ["+7776FU,T1"]);
    assert_eq!(harness.wait(2000).play("-3334FU"), ["-3334FU,T2"]);
    assert_eq!(harness.wait(1001).play("+2726FU"), ["#TIME_UP", "#LOSE"]);
}

#[test]
fn times_are_sent_in_the_unit() {
    let control =
        TimeControl { unit: Duration::from_millis(100), ..TimeControl::sudden_death(secs(60)) };
    let mut harness = Harness::clocked(control);
    assert_eq!(harness.wait(1250).play("+7776FU"), ["+7776FU,T12"]);
}

#[test]
fn the_stop_watch_charges_only_full_units() {
    let mut harness = Harness::clocked(TimeControl::stop_watch(secs(120), secs(60)));
    assert_eq!(harness.wait(119_999).play("+7776FU"), ["+7776FU,T60"], "in seconds all the same");
    assert_eq!(harness.wait(59_999).play("-3334FU"), ["-3334FU,T0"]);
    assert_eq!(harness.wait(60_000).play("+2726FU"), ["#TIME_UP", "#LOSE"]);
}

#[test]
fn the_flag_falls_by_the_timer() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(2)));
    let wake = harness.game.wake_at().unwrap();
    assert_eq!(wake, harness.now + secs(2) + FLAG_GRACE);
    assert_eq!(harness.game.tick(harness.now + Duration::from_millis(1999)), []);
    let effects = harness.game.tick(wake);
    assert_eq!(lines_to(&effects, BLACK), ["#TIME_UP", "#LOSE"]);
    assert_eq!(lines_to(&effects, WHITE), ["#TIME_UP", "#WIN"]);
    assert_eq!(harness.game.wake_at(), None);
    assert_eq!(harness.play("+7776FU"), [""; 0]);
}

#[test]
fn a_line_is_timed_by_when_it_was_read() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(2)));
    let arrived = harness.now + Duration::from_millis(1999);
    let late = harness.now + Duration::from_millis(2015);
    let effects = harness.game.line(BLACK, "+7776FU", arrived, late);
    assert_eq!(lines_to(&effects, WHITE), ["+7776FU,T1"]);
    // The next turn is measured from when that line was handled.
    harness.now = late;
    assert_eq!(harness.wait(1999).play("-3334FU"), ["-3334FU,T1"]);
}

#[test]
fn the_time_until_a_move_is_passed_on_is_not_charged() {
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(2)));
    // START leaves late.
    harness.wait(900);
    harness.game.turn_begins(harness.now);
    assert_eq!(harness.game.wake_at(), Some(harness.now + secs(2) + FLAG_GRACE));
    assert_eq!(harness.wait(999).play("+7776FU"), ["+7776FU,T0"]);
    // So does the echo.
    harness.wait(5000);
    harness.game.turn_begins(harness.now);
    assert_eq!(harness.wait(1999).play("-3334FU"), ["-3334FU,T1"]);
}

#[test]
fn the_flag_is_checked_first() {
    for line in ["+7776FU", "%TORYO", "%KACHI", "rubbish is no move"] {
        let mut harness = Harness::clocked(TimeControl::sudden_death(secs(1)));
        let effects = harness.wait(1000).send(BLACK, line);
        if line.starts_with('r') {
            assert_eq!(end_of(&effects), None);
        } else {
            assert_eq!(
                end_of(&effects),
                Some(GameEnd::lost(BLACK, EndReason::TimeUp, BLACK)),
                "{line}"
            );
        }
    }
    let mut harness = Harness::clocked(TimeControl::sudden_death(secs(1)));
    harness.wait(1000);
    let effects = harness.game.left(WHITE, harness.now);
    assert_eq!(end_of(&effects), Some(GameEnd::lost(BLACK, EndReason::TimeUp, BLACK)));
}

#[test]
fn the_clocks_of_a_restored_game_stand_still_until_the_players_are_back() {
    let control = TimeControl::fischer(secs(10), secs(1));
    let harness = Harness::offered(control, GameRules::default(), Position::startpos());
    let moves = ["7g7f", "3c3d", "2g2f"].map(kyomi_shogi::notation::usi::parse_move);
    let played: Vec<_> = moves.into_iter().map(Result::unwrap).zip([4, 0, 3].map(secs)).collect();
    let game = harness.game.restored(&played, harness.now).unwrap();
    let mut harness = Harness { game, now: harness.now };
    harness.wait(100_000);
    assert_eq!(harness.game.wake_at(), None);
    assert_eq!(harness.game.tick(harness.now), []);
    // White is to move. Black's coming changes nothing for its clock.
    harness.game.player_returned(BLACK, harness.now);
    harness.wait(100_000);
    assert_eq!(harness.game.wake_at(), None);
    let state = harness.game.state_lines(harness.now);
    for line in ["White_Time_Remaining_Ms:12000", "Black_Time_Remaining_Ms:6000", "Turn_Spent_Ms:0"]
    {
        assert!(state.contains(&line.to_owned()), "{line}: {state:?}");
    }
    harness.game.player_returned(WHITE, harness.now);
    assert_eq!(harness.wait(2500).play("-8384FU"), ["-8384FU,T2"]);
    // 5 s and the increment: from now on the clocks run as ever.
    assert_eq!(harness.wait(5999).play("+2625FU"), ["+2625FU,T5"]);
    harness.game.player_returned(WHITE, harness.now);
    assert_eq!(harness.wait(11_000).play("-8485FU"), ["#TIME_UP", "#WIN"]);
}

#[test]
fn a_game_that_a_move_has_ended_is_not_restored() {
    let rules = GameRules { max_moves: 1, ..GameRules::default() };
    let harness = Harness::offered(TimeControl::UNLIMITED, rules, Position::startpos());
    let mv = kyomi_shogi::notation::usi::parse_move("7g7f").unwrap();
    assert!(harness.game.restored(&[(mv, secs(1))], harness.now).is_none());
}
