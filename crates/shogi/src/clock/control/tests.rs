//! The forms of controls, units and durations.

use proptest::prelude::*;

use super::*;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

#[test]
fn the_forms_of_the_command_line_are_parsed() {
    let read = |text: &str| text.parse::<TimeControl>().unwrap();
    assert_eq!(read("1200"), TimeControl::sudden_death(secs(1200)));
    assert_eq!(read("60+1"), TimeControl::fischer(secs(60), secs(1)));
    assert_eq!(read("600,byoyomi=10"), TimeControl::byoyomi(secs(600), secs(10)));
    assert_eq!(read("20m"), TimeControl::sudden_death(secs(1200)));
    assert_eq!(read(" 1h + 30s , byoyomi = 500ms ").byoyomi, Duration::from_millis(500));
    assert_eq!(read("0.5").total, Some(Duration::from_millis(500)));
    assert_eq!(read("1.5m").total, Some(secs(90)));
    assert_eq!(read("none"), TimeControl::UNLIMITED);
    let control = read("60,delay=3,least=1,unit=100ms,round=up,stopwatch");
    assert_eq!((control.delay, control.least), (secs(3), secs(1)));
    assert_eq!(control.unit, Duration::from_millis(100));
    assert!(control.stop_watch && control.rounding == Rounding::Up);
}

#[test]
fn errors_are_reported_in_one_line() {
    for text in [
        "",
        "abc",
        "-5",
        "60+",
        "60+x",
        "60,byoyomi",
        "60,byoyomi=",
        "60,foo=1",
        "60,unit=0",
        "1.2.3",
        "60s+-1",
        ".5",
        "none+1",
        "99999999999999999999999999999999999999999999999999",
        "9e9",
        "60,round=sideways",
        "1.0000000001",
        "60,byoyomi=10000000h",
        "٣٠",
    ] {
        let error = text.parse::<TimeControl>().expect_err(text).to_string();
        assert!(!error.is_empty() && error.lines().count() == 1, "{text}: {error}");
    }
}

#[test]
fn both_sides_may_differ() {
    let controls: Controls = "60+1/30".parse().unwrap();
    assert_eq!(controls.of(Color::White), &TimeControl::sudden_death(secs(30)));
    assert_eq!(controls.to_string(), "60+1/30");
    assert_eq!("60".parse::<Controls>().unwrap().to_string(), "60");
}

#[test]
fn without_main_time_byoyomi_and_increment_there_is_no_limit() {
    assert!(TimeControl::UNLIMITED.is_unlimited());
    assert!(TimeControl::sudden_death(secs(0)).is_unlimited());
    assert!(!TimeControl::byoyomi(secs(0), secs(1)).is_unlimited());
    assert!(TimeControl::sudden_death(secs(1)).is_sudden_death());
    assert!(!TimeControl::fischer(secs(1), secs(1)).is_sudden_death());
}

#[test]
fn units_of_the_protocol_are_read() {
    let read = |text: &str| text.parse::<TimeUnit>().unwrap().duration();
    assert_eq!(read("1sec"), secs(1));
    assert_eq!(read("sec"), secs(1));
    assert_eq!(read("200msec"), Duration::from_millis(200));
    assert_eq!(read("10min"), secs(600));
    for text in ["", "0sec", "1hour", "sec1", "-1sec", "99999999999sec", "4000000000min"] {
        text.parse::<TimeUnit>().expect_err(text);
    }
}

#[test]
fn a_count_of_units_does_not_overflow() {
    assert_eq!(TimeUnit::SECOND.times(900).unwrap(), secs(900));
    TimeUnit::SECOND.times(u64::MAX).unwrap_err();
    "1min".parse::<TimeUnit>().unwrap().times(10_000_000).unwrap_err();
    assert_eq!(TimeUnit::SECOND.count(Duration::MAX), u64::MAX);
}

#[test]
fn the_coarsest_unit_divides_all_settings() {
    let unit = |ms: &[u64]| TimeUnit::coarsest(ms.iter().map(|ms| Duration::from_millis(*ms)));
    assert_eq!(unit(&[60_000, 0, 1_000]).to_string(), "1sec");
    assert_eq!(unit(&[60_000, 100]).to_string(), "100msec");
    assert_eq!(unit(&[60_010, 100]).to_string(), "10msec");
    assert_eq!(unit(&[60_001]).to_string(), "1msec");
    assert_eq!(unit(&[]).to_string(), "1sec");
}

proptest! {
    #[test]
    fn every_control_is_read_as_printed(
        total in proptest::option::of(0..100_000_000u64),
        parts in proptest::array::uniform4(0..10_000_000u64),
        unit in 1..200_000u64,
        up: bool,
        stop_watch: bool,
    ) {
        let ms = |ms: u64| Duration::from_millis(ms);
        let [byoyomi, increment, delay, least] = parts.map(ms);
        let control = TimeControl {
            total: total.map(ms),
            byoyomi: if total.is_some() { byoyomi } else { Duration::ZERO },
            increment: if total.is_some() { increment } else { Duration::ZERO },
            delay,
            least,
            unit: ms(unit),
            rounding: if up { Rounding::Up } else { Rounding::Down },
            stop_watch,
        };
        prop_assert_eq!(control.to_string().parse::<TimeControl>(), Ok(control));
    }

    #[test]
    fn every_unit_is_read_as_printed(ms in 1..1_000_000u64) {
        let unit = TimeUnit::new(Duration::from_millis(ms)).unwrap();
        prop_assert_eq!(unit.to_string().parse::<TimeUnit>(), Ok(unit));
    }

    #[test]
    fn no_text_panics(text: String) {
        let _ = text.parse::<Controls>();
        let _ = text.parse::<TimeUnit>();
        let _ = parse_duration(&text);
    }
}
