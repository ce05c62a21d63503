//! The windows of `[schedule]` and the time zone in which they are read.

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    client::schedule::{Phase, Schedule},
    config::Config,
    watch::moment_words,
};
use kyomi_csa::text::printable;

use super::Finding;

/// Checks the schedule; no finding if there is none.
pub(super) fn check(config: &Config) -> Vec<Finding> {
    let now = Timestamp::now();
    let phase = Schedule::new(&config.schedule).phase(now);
    let zone = TimeZone::system();
    let Some(finding) = schedule(phase, now, &zone_words(&zone, now)) else { return Vec::new() };
    let asked = std::env::var("TZ").ok();
    [Some(finding), unknown_zone(asked.as_deref(), &zone)].into_iter().flatten().collect()
}

fn schedule(phase: Phase, now: Timestamp, zone: &str) -> Option<Finding> {
    let later = |next: Option<Timestamp>| {
        next.map_or_else(
            || "no further window".to_owned(),
            |next| format!("the next window begins at {}", moment_words(next, now)),
        )
    };
    Some(match phase {
        Phase::Always => return None,
        Phase::Open { until: None, .. } => {
            Finding::ok("schedule", format!("open, without an end within a week; {zone}"))
        }
        Phase::Open { until: Some(until), next, .. } => {
            let until = moment_words(until, now);
            Finding::ok("schedule", format!("open until {until}; {}; {zone}", later(next)))
        }
        Phase::Closed { next: Some(next) } => {
            Finding::ok("schedule", format!("closed now; {}; {zone}", later(Some(next))))
        }
        Phase::Closed { next: None } => {
            Finding::failed("schedule", format!("no window is open or still to come; {zone}"))
                .remedy("correct the dates of schedule.windows: no game would be played")
        }
    })
}

/// `local time of Asia/Tokyo, now 18:18`.
fn zone_words(zone: &TimeZone, now: Timestamp) -> String {
    let local = now.to_zoned(zone.clone());
    let name = zone.iana_name().filter(|_| !zone.is_unknown());
    let name = name.map_or_else(|| format!("UTC{}", local.strftime("%:z")), str::to_owned);
    format!("local time of {name}, now {}", local.strftime("%H:%M"))
}

/// Warns if the zone that `TZ` asks for is not known, or that of the system.
fn unknown_zone(asked: Option<&str>, zone: &TimeZone) -> Option<Finding> {
    let asked = asked.map(|text| text.trim_start_matches(':')).filter(|text| !text.is_empty());
    let remedy =
        "set TZ to a name such as Asia/Tokyo, or install the time zones of the system (tzdata)";
    if let Some(asked) = asked.filter(|asked| !asked.starts_with('/')) {
        let is_known = TimeZone::get(asked).is_ok() || TimeZone::posix(asked).is_ok();
        let name = printable(asked);
        return (!is_known)
            .then(|| Finding::warning("schedule", format!("TZ={name} is no known time zone")))
            .map(|finding| finding.remedy(remedy));
    }
    zone.is_unknown().then(|| {
        Finding::warning(
            "schedule",
            "the time zone of this machine is not known: the windows are read as UTC",
        )
        .remedy(remedy)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::CheckStatus;

    #[test]
    fn the_schedule_is_told_with_its_time_zone() {
        let now: Timestamp = "2027-05-03T18:18:00Z".parse().unwrap();
        let at = |minutes: i64| now + jiff::SignedDuration::from_mins(minutes);
        let zone = zone_words(&TimeZone::UTC, now);
        let find = |phase| schedule(phase, now, &zone);
        assert_eq!(find(Phase::Always), None);
        let open = Phase::Open { began: at(-5), until: Some(at(30)), next: Some(at(90)) };
        let open = find(open).unwrap();
        assert!(open.detail.starts_with("open until ") && open.detail.contains("(in 30 min)"));
        assert!(open.detail.ends_with("; local time of UTC, now 18:18"), "{}", open.detail);
        let closed = find(Phase::Closed { next: Some(at(12)) }).unwrap();
        assert!(closed.detail.starts_with("closed now; the next window begins at "));
        assert_eq!(find(Phase::Closed { next: None }).unwrap().status, CheckStatus::Failed);
    }

    #[test]
    fn an_unknown_time_zone_is_named() {
        let find = |asked| unknown_zone(asked, &TimeZone::UTC);
        assert_eq!(find(Some("UTC")), None);
        assert_eq!(find(Some("JST-9")), None);
        assert_eq!(find(None), None);
        let finding = find(Some("Asia/Tokio")).unwrap();
        assert_eq!(finding.detail, "TZ=Asia/Tokio is no known time zone");
        assert!(unknown_zone(None, &TimeZone::unknown()).is_some());
    }
}
