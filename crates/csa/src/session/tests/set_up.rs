//! The clocks after the moves that an offer contains.

use super::*;
use kyomi_shogi::clock::{Controls, TimeControl};

/// The remaining time of black and white at the start, in seconds.
fn clocks(profile: Profile, control: TimeControl, moves: &str, us: Color) -> [u64; 2] {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.your_turn = us;
    summary.times = Controls::both(control);
    let mut game = Game::new(summary.start.clone());
    let mut lines = summary.to_lines();
    let at = lines.iter().position(|line| line == "END Position").unwrap();
    for (index, line) in moves.split_whitespace().enumerate() {
        let mv = csa::parse_move(game.position(), &line[..7]).unwrap();
        game.push(mv).unwrap();
        lines.insert(at + index, line.to_owned());
    }
    let to_move = format!("To_Move:{}", csa::sign(game.position().side_to_move()));
    for line in lines.iter_mut().filter(|line| line.starts_with("To_Move:")) {
        line.clone_from(&to_move);
    }
    let mut harness = Harness::new(profile);
    harness.feed(Input::Connected);
    harness.line("LOGIN:kyomi OK");
    harness.lines(&lines);
    harness.line("START:game");
    let clocks = harness.session.clocks().unwrap();
    [Color::Black, Color::White].map(|color| clocks.of(color).remaining.as_secs())
}

fn fischer(total: u64, increment: u64) -> TimeControl {
    TimeControl::fischer(Duration::from_secs(total), Duration::from_secs(increment))
}

#[test]
fn a_resumed_clock_may_exceed_the_main_time_if_the_moves_were_counted() {
    let moves = "+2726FU,T5 -8384FU,T3 +2625FU,T4";
    for us in [Color::Black, Color::White] {
        for profile in [Profile::Wcsc, Profile::Rshogi, Profile::Kyomi, Profile::Auto] {
            assert_eq!(clocks(profile, fischer(60, 5), moves, us), [61, 62], "{profile}");
        }
        for profile in [Profile::Reference, Profile::Floodgate, Profile::Denryu] {
            assert_eq!(clocks(profile, fischer(60, 5), moves, us), [60, 60], "{profile}");
        }
    }
}

#[test]
fn opening_times_of_an_unknown_server_do_not_raise_a_clock() {
    for (moves, expected) in [
        ("+2726FU,T1 -8384FU,T1 +2625FU,T1", [60, 60]),
        ("+2726FU,T0 -8384FU,T0 +2625FU,T0", [60, 60]),
        ("+2726FU,T5 -8384FU,T5 +2625FU,T5", [60, 60]),
        ("+2726FU -8384FU +2625FU", [60, 60]),
        // A handicap for white.
        ("+2726FU,T1 -8384FU,T35 +2625FU,T1", [60, 30]),
        ("+2726FU,T5 -8384FU,T35 +2625FU,T5 -8485FU,T5", [60, 30]),
    ] {
        assert_eq!(clocks(Profile::Auto, fischer(60, 5), moves, Color::Black), expected, "{moves}");
    }
    let counted =
        clocks(Profile::Wcsc, fischer(60, 5), "+2726FU,T1 -8384FU,T1 +2625FU,T1", Color::Black);
    assert_eq!(counted, [68, 64]);
}

#[test]
fn no_clock_without_an_increment_exceeds_its_main_time_or_falls_below_zero() {
    let moves = "+2726FU,T5 -8384FU,T70 +2625FU,T4";
    let second = Duration::from_secs(1);
    for profile in Profile::ALL {
        for control in
            [TimeControl::sudden_death(60 * second), TimeControl::byoyomi(60 * second, 10 * second)]
        {
            assert_eq!(clocks(profile, control, moves, Color::White), [51, 0], "{profile}");
        }
    }
}

#[test]
fn equal_times_of_all_moves_are_not_counted() {
    for us in [Color::Black, Color::White] {
        let moves = "+2726FU,T3 -8384FU,T3 +2625FU,T3";
        assert_eq!(clocks(Profile::Auto, fischer(60, 5), moves, us), [60, 60]);
        let moves = "+2726FU,T3 -8384FU,T3 +2625FU,T2";
        assert_eq!(clocks(Profile::Auto, fischer(60, 5), moves, us), [65, 62]);
    }
}
