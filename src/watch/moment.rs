//! Future times, and texts about them.

use kyomi_csa::text::printable;

use std::time::Duration;

use jiff::{
    Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};

use super::SleepReason;

/// When a server that pairs at fixed times pairs next: the first multiple of `every` since the full hour after `now`.
pub fn next_pairing(every: Duration, now: Timestamp) -> Timestamp {
    let every = i64::try_from(every.as_secs()).unwrap_or(i64::MAX).max(1);
    let second = now.as_second();
    let next = second.saturating_sub(second.rem_euclid(every)).saturating_add(every);
    Timestamp::from_second(next).unwrap_or(Timestamp::MAX)
}

/// The next time after `now` at which local clocks show this time of day.
pub fn next_time_of_day(time: Time, now: Timestamp) -> Timestamp {
    let now = now.to_zoned(TimeZone::system());
    let at = |date: Date| date.to_datetime(time).to_zoned(now.time_zone().clone()).ok();
    let today = at(now.date()).filter(|at| *at > now);
    let next = today.or_else(|| now.date().tomorrow().ok().and_then(at));
    next.map_or(Timestamp::MAX, |next| next.timestamp())
}

/// What a logged-in client is waiting for: `waiting for a game as kyomi`, or the next pairing, if the server pairs
/// players at this interval.
pub fn waiting_words(name: &str, pairing: Option<Duration>, now: Timestamp) -> String {
    match pairing {
        Some(every) => {
            let next = moment_words(next_pairing(every, now), now);
            format!("waiting for the pairing at {next} as {}", printable(name))
        }
        None => format!("waiting for a game as {}", printable(name)),
    }
}

/// Until when a client sleeps, and why.
pub fn sleeping_words(until: Option<Timestamp>, reason: SleepReason, now: Timestamp) -> String {
    match until {
        Some(until) => format!("sleeping until {}: {reason}", moment_words(until, now)),
        None => format!("no more games: {reason}"),
    }
}

/// A future time as local time, and how long it is until then: `18:30 (in 12 min)`.
pub fn moment_words(at: Timestamp, now: Timestamp) -> String {
    in_zone(at, now, &TimeZone::system())
}

fn in_zone(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let left = Duration::try_from(at.duration_since(now)).unwrap_or_default();
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let form = match left {
        left if left < MINUTE => "%H:%M:%S",
        _ if at.date() == now.date() => "%H:%M",
        _ => "%a %Y-%m-%d %H:%M",
    };
    format!("{} (in {})", at.strftime(form), length_words(left))
}

/// `45 s`, `12 min`, `3 h 5 min` or `2 days 3 h`.
fn length_words(time: Duration) -> String {
    let (minutes, hours) = (time.as_secs() / 60, time.as_secs() / 3600);
    match time {
        time if time < MINUTE => format!("{} s", time.as_secs()),
        _ if hours < 1 => format!("{minutes} min"),
        _ if hours < 48 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} days {} h", hours / 24, hours % 24),
    }
}

const MINUTE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("{text}+09:00").parse().unwrap()
    }

    #[test]
    fn floodgate_pairs_at_the_full_and_the_half_hour() {
        let half = Duration::from_secs(1800);
        for (now, next) in [
            ("2027-05-03T18:18:00", "2027-05-03T18:30"),
            ("2027-05-03T18:29:59", "2027-05-03T18:30"),
            ("2027-05-03T18:30:00", "2027-05-03T19:00"),
            ("2027-05-03T23:59:59", "2027-05-04T00:00"),
        ] {
            assert_eq!(next_pairing(half, at(now)), at(next), "{now}");
        }
        next_pairing(Duration::ZERO, Timestamp::MAX);
        next_pairing(Duration::MAX, Timestamp::MAX);
    }

    #[test]
    fn a_moment_is_a_time_of_day_and_a_length() {
        let words = |now, then| in_zone(at(then), at(now), &TimeZone::fixed(jiff::tz::offset(9)));
        assert_eq!(words("2027-05-03T18:18", "2027-05-03T18:30"), "18:30 (in 12 min)");
        assert_eq!(words("2027-05-03T18:29:30", "2027-05-03T18:30"), "18:30:00 (in 30 s)");
        assert_eq!(words("2027-05-03T15:25", "2027-05-03T18:30"), "18:30 (in 3 h 5 min)");
        let later = "Wed 2027-05-05 18:30 (in 2 days 3 h)";
        assert_eq!(words("2027-05-03T15:25", "2027-05-05T18:30"), later);
        assert_eq!(words("2027-05-03T18:31", "2027-05-03T18:30"), "18:30:00 (in 0 s)");
    }
}
