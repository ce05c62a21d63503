//! The schedule: the windows of `[schedule]` in which games may begin.

use jiff::{Timestamp, ToSpan as _, civil::DateTime, tz::TimeZone};

use crate::config::{ScheduleConfig, Window};

/// The windows of the configuration in a time zone.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    windows: Vec<Window>,
    /// The number of games in each window; 0: no limit.
    pub(super) games: u32,
    zone: TimeZone,
}

/// The state of the schedule at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// There is no schedule.
    Always,
    /// In a window.
    Open {
        /// When the window began.
        began: Timestamp,
        /// When no window is open any more; `None`: not within a week.
        until: Option<Timestamp>,
        /// When the next window begins.
        next: Option<Timestamp>,
    },
    /// Between windows, or after the last one.
    Closed {
        /// When the next window begins.
        next: Option<Timestamp>,
    },
}

impl Schedule {
    /// The schedule in the time zone of this machine.
    pub(super) fn new(config: &ScheduleConfig) -> Self {
        Self::in_zone(config, TimeZone::system())
    }

    fn in_zone(config: &ScheduleConfig, zone: TimeZone) -> Self {
        Self { windows: config.windows.clone(), games: config.games, zone }
    }

    /// The state at this moment.
    pub(super) fn phase(&self, now: Timestamp) -> Phase {
        if self.windows.is_empty() {
            return Phase::Always;
        }
        let mut spans = self.spans(now);
        spans.sort_unstable();
        let next = spans.iter().map(|(from, _)| *from).find(|from| *from > now);
        let open = spans.iter().rfind(|(from, until)| *from <= now && now < *until);
        let Some((began, until)) = open.copied() else { return Phase::Closed { next } };
        // A window may begin before this one ends.
        let end = spans.iter().fold(
            until,
            |end, (from, until)| {
                if *from <= end { end.max(*until) } else { end }
            },
        );
        let until = (end < now + FORESIGHT_HOURS.hours()).then_some(end);
        Phase::Open { began, until, next }
    }

    /// The windows that are open, begin within a week, or ended a short time ago.
    fn spans(&self, now: Timestamp) -> Vec<(Timestamp, Timestamp)> {
        let today = now.to_zoned(self.zone.clone()).date();
        let at = |time: DateTime| time.to_zoned(self.zone.clone()).ok().map(|it| it.timestamp());
        let mut spans = Vec::new();
        for window in &self.windows {
            match *window {
                Window::Once { from, until } => spans.extend(at(from).zip(at(until))),
                Window::Weekly { days, from, until } => {
                    let dates = (-2..=8).filter_map(|day| today.checked_add(day.days()).ok());
                    for date in dates.filter(|date| days.contains(date.weekday())) {
                        let last = if until > from { Some(date) } else { date.tomorrow().ok() };
                        let end = last.and_then(|last| at(last.to_datetime(until)));
                        spans.extend(at(date.to_datetime(from)).zip(end));
                    }
                }
            }
        }
        spans
    }
}

/// The number of hours for which windows are computed in advance.
const FORESIGHT_HOURS: i64 = 7 * 24;

#[cfg(test)]
mod tests {
    use crate::config::Config;

    use super::*;

    fn schedule(windows: &str) -> Schedule {
        let text = format!("[schedule]\nwindows = [{windows}]\n");
        let config = Config::from_text("test", &text, [], &[]).unwrap().config;
        Schedule::in_zone(&config.schedule, TimeZone::fixed(jiff::tz::offset(9)))
    }

    fn at(text: &str) -> Timestamp {
        format!("{text}+09:00").parse().unwrap()
    }

    fn open(began: &str, until: &str, next: &str) -> Phase {
        Phase::Open { began: at(began), until: Some(at(until)), next: Some(at(next)) }
    }

    #[test]
    fn without_windows_games_begin_at_any_time() {
        assert_eq!(schedule("").phase(at("2027-05-03T12:00")), Phase::Always);
    }

    #[test]
    fn a_daily_window_opens_and_closes_at_its_minutes() {
        let schedule = schedule(r#""18:00-23:00""#);
        let next = Some(at("2027-05-03T18:00"));
        assert_eq!(schedule.phase(at("2027-05-03T17:59:59")), Phase::Closed { next });
        let evening = open("2027-05-03T18:00", "2027-05-03T23:00", "2027-05-04T18:00");
        assert_eq!(schedule.phase(at("2027-05-03T18:00")), evening);
        assert_eq!(schedule.phase(at("2027-05-03T22:59:59")), evening);
        let next = Some(at("2027-05-04T18:00"));
        assert_eq!(schedule.phase(at("2027-05-03T23:00")), Phase::Closed { next });
    }

    #[test]
    fn a_window_over_midnight_belongs_to_the_day_on_which_it_begins() {
        // 2027-05-07 is a Friday.
        let schedule = schedule(r#""fri 22:00-6:00""#);
        let night = open("2027-05-07T22:00", "2027-05-08T06:00", "2027-05-14T22:00");
        assert_eq!(schedule.phase(at("2027-05-08T05:59")), night);
        let next = Some(at("2027-05-07T22:00"));
        assert_eq!(schedule.phase(at("2027-05-07T03:00")), Phase::Closed { next });
    }

    #[test]
    fn windows_that_touch_are_one_for_its_end_and_two_for_their_games() {
        let schedule = schedule(r#""18:00-20:00", "20:00-22:00""#);
        assert_eq!(
            schedule.phase(at("2027-05-03T19:00")),
            open("2027-05-03T18:00", "2027-05-03T22:00", "2027-05-03T20:00")
        );
        assert_eq!(
            schedule.phase(at("2027-05-03T20:00")),
            open("2027-05-03T20:00", "2027-05-03T22:00", "2027-05-04T18:00")
        );
        let always = self::schedule(r#""0:00-24:00""#);
        let phase = always.phase(at("2027-05-03T20:00"));
        assert!(matches!(phase, Phase::Open { until: None, .. }), "{phase:?}");
    }

    #[test]
    fn a_window_with_a_date_comes_once() {
        let schedule = schedule(r#""2027-05-03 9:00 - 2027-05-05 18:00""#);
        let next = Some(at("2027-05-03T09:00"));
        assert_eq!(schedule.phase(at("2027-01-01T00:00")), Phase::Closed { next });
        let until = Some(at("2027-05-05T18:00"));
        let began = at("2027-05-03T09:00");
        let during = schedule.phase(at("2027-05-04T03:00"));
        assert_eq!(during, Phase::Open { began, until, next: None });
        assert_eq!(schedule.phase(at("2027-05-05T18:00")), Phase::Closed { next: None });
    }

    #[test]
    fn a_day_with_a_change_of_the_clocks_has_its_window() {
        let text = "[schedule]\nwindows = [\"2:30-4:00\"]\n";
        let config = Config::from_text("test", text, [], &[]).unwrap().config;
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let schedule = Schedule::in_zone(&config.schedule, zone);
        // 2:30 does not exist on 2027-03-28: the clocks go from 2:00 to 3:00.
        let phase = schedule.phase("2027-03-28T03:45+02:00".parse().unwrap());
        let Phase::Open { until, .. } = phase else { panic!("{phase:?}") };
        assert_eq!(until, Some("2027-03-28T04:00+02:00".parse().unwrap()));
    }
}
