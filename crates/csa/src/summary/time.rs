//! The time keys of an offer.

use std::time::Duration;

use kyomi_shogi::clock::{Rounding, TimeControl, TimeUnit};

use super::super::message::WireTime;
use super::fault::SummaryError;

/// The values of one `Time` section, without the unit applied: the unit may come last.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeKeys {
    unit: Option<TimeUnit>,
    total: Option<WireTime>,
    byoyomi: Option<WireTime>,
    increment: Option<WireTime>,
    delay: Option<WireTime>,
    least: Option<WireTime>,
    rounding: Option<Rounding>,
}

impl TimeKeys {
    /// Sets one key. Returns `false` if it is not a time key.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, SummaryError> {
        let bad = || SummaryError::bad_value(key, value);
        let field = match key {
            "Time_Unit" => {
                self.unit = Some(value.parse().map_err(|_| bad())?);
                return Ok(true);
            }
            "Time_Roundup" => {
                self.rounding = Some(match value {
                    "YES" => Rounding::Up,
                    "NO" => Rounding::Down,
                    _ => return Err(bad()),
                });
                return Ok(true);
            }
            "Total_Time" => &mut self.total,
            "Byoyomi" => &mut self.byoyomi,
            "Increment" => &mut self.increment,
            "Delay" => &mut self.delay,
            "Least_Time_Per_Move" => &mut self.least,
            _ => return Ok(false),
        };
        *field = Some(WireTime::parse(value).ok_or_else(bad)?);
        Ok(true)
    }

    /// The time control given by these keys; missing ones are taken from the common section.
    ///
    /// The total time and byoyomi of a stop-watch clock (unit one minute) are in seconds, and its byoyomi is the
    /// unit to which turns are rounded down.
    pub(super) fn resolve(&self, common: &Self, minute_is_stop_watch: bool) -> TimeControl {
        let common_unit = common.unit.unwrap_or_default();
        let unit = self.unit.unwrap_or(common_unit);
        let stop_watch = minute_is_stop_watch && unit.duration() == MINUTE;
        let length = |own: Option<WireTime>, shared: Option<WireTime>| {
            let (number, unit) = match own {
                Some(number) => (number, unit),
                None => (shared?, common_unit),
            };
            let unit = if stop_watch { TimeUnit::SECOND } else { unit };
            Some(number.to_duration(unit.duration()).min(TimeControl::LONGEST))
        };
        let total = length(self.total, common.total);
        let byoyomi = length(self.byoyomi, common.byoyomi).unwrap_or_default();
        let least = length(self.least, common.least).unwrap_or_default();
        if stop_watch {
            let granularity = if byoyomi.is_zero() { MINUTE } else { byoyomi };
            let control = TimeControl::stop_watch(total.unwrap_or_default(), granularity);
            return TimeControl { total, least, ..control };
        }
        let increment = length(self.increment, common.increment).unwrap_or_default();
        let nothing_else = byoyomi.is_zero() && increment.is_zero();
        TimeControl {
            // A missing total time means no limit, but with a byoyomi or an increment it means zero.
            total: if nothing_else { total } else { Some(total.unwrap_or_default()) },
            byoyomi,
            increment,
            delay: length(self.delay, common.delay).unwrap_or_default(),
            least,
            unit: unit.duration(),
            rounding: self.rounding.or(common.rounding).unwrap_or_default(),
            stop_watch,
        }
    }
}

/// Writes one section. Times are rounded down to whole units.
pub(super) fn format(section: &str, control: &TimeControl, lines: &mut Vec<String>) {
    let unit = TimeUnit::new(control.unit).unwrap_or_default();
    let (stated, unit, byoyomi) = if control.stop_watch {
        ("1min".to_owned(), TimeUnit::SECOND, control.unit)
    } else {
        (unit.to_string(), unit, control.byoyomi)
    };
    lines.push(format!("BEGIN {section}"));
    lines.push(format!("Time_Unit:{stated}"));
    let mut key = |name: &str, length: Duration| {
        lines.push(format!("{name}:{}", unit.count(length)));
    };
    if let Some(total) = control.total {
        key("Total_Time", total);
    }
    key("Byoyomi", byoyomi);
    if !control.increment.is_zero() {
        key("Increment", control.increment);
    }
    if !control.delay.is_zero() {
        key("Delay", control.delay);
    }
    key("Least_Time_Per_Move", control.least);
    if control.rounding == Rounding::Up {
        lines.push("Time_Roundup:YES".to_owned());
    }
    lines.push(format!("END {section}"));
}

const MINUTE: Duration = Duration::from_secs(60);
