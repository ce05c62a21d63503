use jiff::tz::TimeZone;

use super::*;
use crate::{config::Config, watch::Reports};

fn ask(control: &ClientControl, text: &str) -> String {
    control.carry_out(text.parse().unwrap(), &Shutdown::default(), &Watchers::new())
}

#[test]
fn requests_are_words() {
    assert_eq!("games 3".parse(), Ok(Request::Games(3)));
    assert_eq!(" until  18:05 ".parse(), Ok(Request::Until(jiff::civil::time(18, 5, 0, 0))));
    for text in ["", "stop", "games", "games 0", "games -1", "until 25:00", "pause now"] {
        assert!(text.parse::<Request>().is_err(), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_of_games_includes_the_running_one() {
    let control = ClientControl::default();
    control.game_begins();
    control.game_ends();
    control.game_begins();
    assert_eq!(ask(&control, "games 2"), "the client ends after game 3");
    assert!(ask(&control, "status").ends_with("; ends after game 3"));
    assert!(control.gate() != Gate::Over, "the third game is still to come");
    control.game_ends();
    control.game_begins();
    control.no_further_game().await;
    assert_eq!(control.gate(), Gate::Over);
    ask(&control, "resume");
    assert_ne!(control.gate(), Gate::Over);
}

#[test]
fn a_continued_game_keeps_its_number() {
    let control = ClientControl::default();
    control.game_continues(3);
    assert_eq!(ask(&control, "games 2"), "the client ends after game 4");
}

#[test]
fn a_time_that_has_passed_today_is_answered_with_its_date() {
    let (control, ..) = scheduled("", "2027-05-03T15:05:00");
    let answer = ask(&control, "until 15:03");
    assert!(answer.starts_with("no game begins after Tue 2027-05-04 15:03 (in 23 h 5"), "{answer}");
    let answer = ask(&control, "until 15:10");
    assert!(answer.starts_with("no game begins after 15:10 (in "), "{answer}");
}

#[test]
fn only_an_opponent_on_a_server_is_asked_to_suspend() {
    let control = ClientControl::default();
    assert!(ask(&control, "suspend").contains("a game without [server]"));
    let reload = || Reload(Arc::new(|| Err("no".to_owned())));
    let control =
        ClientControl::on_server(&ScheduleConfig::default(), WallClock::default(), reload(), false);
    assert!(ask(&control, "suspend").contains("this server does not know"));
    let control =
        ClientControl::on_server(&ScheduleConfig::default(), WallClock::default(), reload(), true);
    assert!(ask(&control, "suspend").contains("no game is running"));
    control.game_begins();
    assert!(ask(&control, "suspend").starts_with("the opponent is asked"));
}

#[tokio::test(start_paused = true)]
async fn a_pause_lasts_until_it_is_resumed() {
    let control = ClientControl::default();
    ask(&control, "pause");
    control.no_further_game().await;
    assert_ne!(control.gate(), Gate::Over);
    let resuming = async {
        tokio::task::yield_now().await;
        ask(&control, "resume");
    };
    let watchers = Watchers::new();
    assert!(tokio::join!(control.may_begin(&watchers), resuming).0);
    assert!(ask(&control, "status").ends_with("no engine yet"));
}

/// A control with a schedule, and its reports; it is `now` in local time.
fn scheduled(keys: &str, now: &str) -> (ClientControl, Watchers, Reports) {
    let text = format!("[schedule]\n{keys}\n");
    let config = Config::from_text("test", &text, [], &[]).unwrap().config;
    let now: jiff::civil::DateTime = now.parse().unwrap();
    let now = now.to_zoned(TimeZone::system()).unwrap().timestamp();
    let control =
        ClientControl::with_clock(&config.schedule, WallClock::simulated(now), None, false);
    let watchers = Watchers::new();
    let mut reports = watchers.subscribe();
    assert!(matches!(reports.try_next(), Some(Report::Snapshot { .. })));
    (control, watchers, reports)
}

fn local(control: &ClientControl) -> String {
    control.now().to_zoned(TimeZone::system()).strftime("%d %H:%M").to_string()
}

#[tokio::test(start_paused = true)]
async fn the_client_sleeps_until_the_next_window_and_says_so() {
    let keys = r#"windows = ["18:00-23:00"]"#;
    let (control, watchers, mut reports) = scheduled(keys, "2027-05-03T06:00");
    assert!(control.may_begin(&watchers).await);
    assert_eq!(local(&control), "03 18:00");
    let told = reports.try_next();
    let Some(Report::Sleeping { until: Some(_), reason: SleepReason::Closed }) = told else {
        panic!("{told:?}")
    };
    assert!(matches!(reports.try_next(), Some(Report::ScheduleOpen { .. })));
    assert!(ask(&control, "status").contains("the schedule is open until 23:00"));
    // It leaves when the window ends, and comes again in the next one.
    control.no_further_game().await;
    assert_eq!(local(&control), "03 23:00");
    assert!(control.may_begin(&watchers).await);
    assert_eq!(local(&control), "04 18:00");
}

/// The clock on the wall is set by an hour, forward or back, while the client waits.
#[tokio::test(start_paused = true)]
async fn the_schedule_keeps_its_times_when_the_clock_is_set() {
    for hour in [3600, -3600] {
        let (control, watchers, _) = scheduled(r#"windows = ["18:00-23:00"]"#, "2027-05-03T12:00");
        let setting = async {
            tokio::time::sleep(Duration::from_secs(1800)).await;
            control.0.clock.step(hour);
        };
        let (may_begin, ()) = tokio::join!(control.may_begin(&watchers), setting);
        assert!(may_begin);
        assert_eq!(local(&control), "03 18:00", "the window opens at its time");
        let setting = async {
            tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
            control.0.clock.step(hour);
        };
        tokio::join!(control.no_further_game(), setting);
        assert_eq!(local(&control), "03 23:00", "and so it ends");
    }
}

/// An end at a time of day comes at that time, or at once if the clock is set beyond it.
#[tokio::test(start_paused = true)]
async fn an_end_by_request_keeps_its_time_when_the_clock_is_set() {
    for (minutes, ended) in [(-60, "03 22:00"), (60, "03 22:00"), (180, "03 23:10")] {
        let (control, ..) = scheduled("", "2027-05-03T20:00");
        ask(&control, "until 22:00");
        let setting = async {
            tokio::time::sleep(Duration::from_secs(600)).await;
            control.0.clock.step(minutes * 60);
        };
        tokio::join!(control.no_further_game(), setting);
        assert_eq!((control.gate(), local(&control).as_str()), (Gate::Over, ended));
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_has_a_number_of_games() {
    let keys = "windows = [\"18:00-23:00\"]\ngames = 2";
    let (control, watchers, mut reports) = scheduled(keys, "2027-05-03T18:30");
    for _ in 0..2 {
        assert!(control.may_begin(&watchers).await);
        control.game_begins();
        control.game_ends();
    }
    control.no_further_game().await;
    assert_eq!(local(&control), "03 18:30");
    assert!(control.may_begin(&watchers).await);
    assert_eq!(local(&control), "04 18:00");
    let told: Vec<_> = std::iter::from_fn(|| reports.try_next()).collect();
    let slept = |report: &Report| {
        matches!(report, Report::Sleeping { reason: SleepReason::GamesPlayed(2), .. })
    };
    assert!(told.len() == 3 && slept(&told[1]), "{told:?}");
    control.game_begins();
    assert!(matches!(control.gate(), Gate::Open { .. }), "the count begins again");
}

#[tokio::test(start_paused = true)]
async fn requests_work_with_a_schedule() {
    let keys = r#"windows = ["18:00-23:00"]"#;
    let (control, watchers, _) = scheduled(keys, "2027-05-03T12:00");
    // A pause lasts through a window.
    ask(&control, "pause");
    assert_eq!(control.gate(), Gate::Paused);
    ask(&control, "resume");
    assert!(matches!(control.gate(), Gate::Closed { .. }));
    // The end comes in the sleep, before the next window.
    ask(&control, "until 17:00");
    assert!(!control.may_begin(&watchers).await);
    assert_eq!(local(&control), "03 17:00");
    ask(&control, "resume");
    control.game_begins();
    ask(&control, "games 1");
    assert_eq!(control.gate(), Gate::Over);
}

#[tokio::test(start_paused = true)]
async fn the_run_is_over_after_the_last_window() {
    let keys = r#"windows = ["2027-05-03 9:00-17:00"]"#;
    let (control, watchers, mut reports) = scheduled(keys, "2027-05-03T16:59");
    assert!(control.may_begin(&watchers).await);
    control.no_further_game().await;
    assert!(!control.may_begin(&watchers).await);
    reports.try_next();
    assert!(matches!(
        reports.try_next(),
        Some(Report::Sleeping { until: None, reason: SleepReason::Closed })
    ));
}

#[test]
fn a_time_of_day_is_the_next_one() {
    for time in [jiff::civil::time(0, 0, 0, 0), jiff::civil::time(23, 59, 0, 0)] {
        let now = Timestamp::now();
        let left = next_time_of_day(time, now).duration_since(now);
        assert!(left.as_secs() > 0 && left.as_secs() <= 25 * 3600, "{left:?}");
    }
}
