//! The windows of time of `[schedule]`.

use jiff::civil::{Date, DateTime, Time, Weekday};

/// A window of time, in local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Every week.
    Weekly {
        /// The days on which it begins.
        days: Days,
        /// When it begins.
        from: Time,
        /// When it ends: on the same day if this is later than `from`, otherwise on the next day.
        until: Time,
    },
    /// Once.
    Once {
        /// When it begins.
        from: DateTime,
        /// When it ends; later than `from`.
        until: DateTime,
    },
}

/// Days of the week, one bit each, Monday first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days(u8);

impl Days {
    /// Every day.
    pub const ALL: Self = Self(0x7f);

    /// Whether this day is one of them.
    pub fn contains(self, day: Weekday) -> bool {
        self.0 >> day.to_monday_zero_offset() & 1 == 1
    }
}

impl Window {
    /// Reads `18:00-23:00`, `sat,sun 9:00-24:00`, `mon-fri 22:00-6:00`, `2027-05-03 9:00-17:30`, `2027-05-03 -
    /// 2027-05-05` or `2027-05-03 18:00 - 2027-05-05 9:00`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        read(text).ok_or_else(|| {
            let shown: String = text.chars().take(64).collect();
            format!(
                "{shown:?} is no window; write \"18:00-23:00\", \"sat,sun 9:00-24:00\", \
                 \"2027-05-03 9:00-17:30\" or \"2027-05-03 18:00 - 2027-05-05 9:00\""
            )
        })
    }
}

/// One end of a window as written.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    days: Option<Days>,
    date: Option<Date>,
    /// The time, and whether it is 24:00.
    time: Option<(Time, bool)>,
}

fn read(text: &str) -> Option<Window> {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let (left, right): (Vec<&str>, Vec<&str>) =
        if let Some(at) = words.iter().position(|it| *it == "-") {
            (words.get(..at)?.to_vec(), words.get(at + 1..)?.to_vec())
        } else {
            let (last, before) = words.split_last()?;
            match last.split_once('-').filter(|(from, _)| from.contains(':')) {
                Some((from, until)) => ([before, &[from]].concat(), vec![until]),
                None => (words, Vec::new()),
            }
        };
    let (left, right) = (side(&left)?, side(&right)?);
    let midnight = Time::midnight();
    let (from, from_is_24) = left.time.unwrap_or((midnight, false));
    // A side without a time is the whole day.
    let (until, until_is_24) = right.time.unwrap_or((midnight, true));
    let times_fit = left.time.is_some() == right.time.is_some() || right.date.is_some();
    if from_is_24 || right.days.is_some() || !times_fit {
        return None;
    }
    if let Some(first) = left.date {
        let last = right.date.unwrap_or(first);
        let crosses = right.date.is_none() && right.time.is_some() && until < from;
        let last = if until_is_24 || crosses { last.tomorrow().ok()? } else { last };
        let (from, until) = (first.to_datetime(from), last.to_datetime(until));
        return (left.days.is_none() && from < until).then_some(Window::Once { from, until });
    }
    let is_whole_day = until_is_24 && from == midnight;
    if right.date.is_some() || (from == until && !is_whole_day) {
        return None;
    }
    if left.days.is_none() && left.time.is_none() {
        return None;
    }
    Some(Window::Weekly { days: left.days.unwrap_or(Days::ALL), from, until })
}

fn side(words: &[&str]) -> Option<Side> {
    let mut side = Side::default();
    for word in words {
        let unset = if word.contains(':') {
            side.time.replace(time(word)?).is_none()
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            side.date.replace(word.parse().ok()?).is_none() && side.time.is_none()
        } else {
            side.days.replace(days(word)?).is_none() && side.time.is_none()
        };
        if !unset {
            return None;
        }
    }
    Some(side)
}

/// The time, and whether it is 24:00.
fn time(word: &str) -> Option<(Time, bool)> {
    if word == "24:00" {
        return Some((Time::midnight(), true));
    }
    let (hours, minutes) = word.split_once(':')?;
    let number = |text: &str, longest: usize| {
        let fits = (1..=longest).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| text.parse::<i8>().ok()).flatten()
    };
    let minutes = (minutes.len() == 2).then(|| number(minutes, 2)).flatten()?;
    Time::new(number(hours, 2)?, minutes, 0, 0).ok().map(|time| (time, false))
}

/// `sat`, `sat,sun`, `mon-fri`, `fri-mon`.
fn days(word: &str) -> Option<Days> {
    let mut days = 0u8;
    for part in word.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (mut day, last) = (day(first)?, day(last)?);
        loop {
            days |= 1 << day;
            if day == last {
                break;
            }
            day = (day + 1) % 7;
        }
    }
    Some(Days(days))
}

/// The number of the day, from 0 for Monday.
fn day(word: &str) -> Option<usize> {
    const DAYS: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    DAYS.iter().position(|day| word == *day || Some(word) == day.get(..3))
}

#[cfg(test)]
mod tests {
    use jiff::civil::{date, time};

    use super::*;

    #[test]
    fn windows_are_times_of_day_days_and_dates() {
        let weekly = |days, from, until| Ok(Window::Weekly { days, from, until });
        let at = |hour, minute| time(hour, minute, 0, 0);
        let weekend = Days(0b110_0000);
        for (text, window) in [
            ("18:00-23:00", weekly(Days::ALL, at(18, 0), at(23, 0))),
            (" 9:05 - 24:00 ", weekly(Days::ALL, at(9, 5), at(0, 0))),
            ("sat,sun 22:00-6:00", weekly(weekend, at(22, 0), at(6, 0))),
            ("Sat-Sunday", weekly(weekend, at(0, 0), at(0, 0))),
            ("fri-mon 1:00-2:00", weekly(Days(0b111_0001), at(1, 0), at(2, 0))),
            ("00:00-24:00", weekly(Days::ALL, at(0, 0), at(0, 0))),
        ] {
            assert_eq!(Window::parse(text), window, "{text}");
        }
        let once = |from, until| Ok(Window::Once { from, until });
        for (text, window) in [
            (
                "2027-05-03 9:00-17:30",
                once(date(2027, 5, 3).at(9, 0, 0, 0), date(2027, 5, 3).at(17, 30, 0, 0)),
            ),
            (
                "2027-05-03 22:00-6:00",
                once(date(2027, 5, 3).at(22, 0, 0, 0), date(2027, 5, 4).at(6, 0, 0, 0)),
            ),
            ("2027-05-03", once(date(2027, 5, 3).at(0, 0, 0, 0), date(2027, 5, 4).at(0, 0, 0, 0))),
            (
                "2027-05-03 - 2027-05-05",
                once(date(2027, 5, 3).at(0, 0, 0, 0), date(2027, 5, 6).at(0, 0, 0, 0)),
            ),
            (
                "2027-05-03 18:00 - 2027-05-05 18:00",
                once(date(2027, 5, 3).at(18, 0, 0, 0), date(2027, 5, 5).at(18, 0, 0, 0)),
            ),
        ] {
            assert_eq!(Window::parse(text), window, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_windows() {
        for text in [
            "",
            "-",
            "18:00",
            "18:00-",
            "-18:00",
            "18-23",
            "18:00-18:00",
            "25:00-26:00",
            "24:00-1:00",
            "18:0-19:00",
            "1:00-2:00-3:00",
            "someday 1:00-2:00",
            "mon, 1:00-2:00",
            "mon mon 1:00-2:00",
            "2027-02-30 1:00-2:00",
            "2027-05-05 - 2027-05-03",
            "2027-05-03 9:00 - 2027-05-03 9:00",
            "1:00-2:00 mon",
            "9999-12-31",
            "mon 1:00 - tue 2:00",
            "1:00 - 2027-05-03 2:00",
            "+1:00-2:00",
            "２:00-3:00",
            "\u{1b}[2J",
        ] {
            assert!(Window::parse(text).is_err(), "{text}");
        }
        assert!(Window::parse(&"9".repeat(100_000)).unwrap_err().len() < 400);
    }
}
