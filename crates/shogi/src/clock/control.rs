//! Time controls: main time, byoyomi, increment, delay and rounding.

use super::time_text::{self, SecondsError, TimeText, parse_seconds};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::Color;

/// How the time of a turn is rounded to whole units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Down: 0.999 s costs nothing (the reference server).
    #[default]
    Down,
    /// Up: a part of a unit counts as a whole unit (`Time_Roundup:YES`).
    Up,
}

/// The time control of one side.
///
/// If main time, byoyomi and increment are all zero, there is no limit, as on the reference server. The text form
/// (`60+1`, `600,byoyomi=10`) is described at the [`FromStr`] implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeControl {
    /// Main time; `None` means no limit, whatever the other fields are.
    pub total: Option<Duration>,
    /// The time for every turn once the main time is used up.
    pub byoyomi: Duration,
    /// The time added just before the clock of a turn starts, also before the first turn (Fischer).
    pub increment: Duration,
    /// The time at the start of every turn that is not counted.
    pub delay: Duration,
    /// The least charge of a move.
    pub least: Duration,
    /// The unit in which turns are charged; zero counts as a millisecond.
    pub unit: Duration,
    /// How parts of a unit are rounded.
    pub rounding: Rounding,
    /// Whether this is the reference server's stop-watch clock: `unit` is its granularity (usually a minute), and the
    /// time is rounded after the least charge is applied.
    pub stop_watch: bool,
}

impl TimeControl {
    /// No limit.
    pub const UNLIMITED: Self = Self {
        total: None,
        byoyomi: Duration::ZERO,
        increment: Duration::ZERO,
        delay: Duration::ZERO,
        least: Duration::ZERO,
        unit: Duration::from_secs(1),
        rounding: Rounding::Down,
        stop_watch: false,
    };

    /// The longest time that is accepted from text or from the network (a leap year). Longer times are refused.
    pub const LONGEST: Duration = time_text::LONGEST;

    /// Main time alone, charged in whole seconds.
    pub const fn sudden_death(total: Duration) -> Self {
        Self { total: Some(total), ..Self::UNLIMITED }
    }

    /// Main time, then `byoyomi` for every move.
    pub const fn byoyomi(total: Duration, byoyomi: Duration) -> Self {
        Self { byoyomi, ..Self::sudden_death(total) }
    }

    /// Main time with an increment for every move.
    pub const fn fischer(total: Duration, increment: Duration) -> Self {
        Self { increment, ..Self::sudden_death(total) }
    }

    /// The stop-watch clock (`-1500-060` on the reference server): main time in whole units.
    pub const fn stop_watch(total: Duration, unit: Duration) -> Self {
        Self { unit, stop_watch: true, ..Self::sudden_death(total) }
    }

    /// Whether no turn can be lost on time: there is no main time, or all three settings are zero.
    pub fn is_unlimited(&self) -> bool {
        self.total.is_none_or(|total| {
            total.is_zero() && self.byoyomi.is_zero() && self.increment.is_zero()
        })
    }

    /// Whether there is main time only, without byoyomi and increment.
    pub fn is_sudden_death(&self) -> bool {
        !self.is_unlimited() && self.byoyomi.is_zero() && self.increment.is_zero()
    }

    /// The main time; zero if there is none.
    pub fn main_time(&self) -> Duration {
        self.total.unwrap_or_default()
    }
}

impl Default for TimeControl {
    fn default() -> Self {
        Self::UNLIMITED
    }
}

/// Writes the form that [`FromStr`] reads.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            None => f.write_str("none")?,
            Some(total) => write_plain(f, total)?,
        }
        if !self.increment.is_zero() {
            f.write_str("+")?;
            write_plain(f, self.increment)?;
        }
        for (name, value) in
            [("byoyomi", self.byoyomi), ("delay", self.delay), ("least", self.least)]
        {
            if !value.is_zero() {
                write!(f, ",{name}=")?;
                write_plain(f, value)?;
            }
        }
        if self.unit != Self::UNLIMITED.unit {
            f.write_str(",unit=")?;
            write_plain(f, self.unit)?;
        }
        if self.rounding == Rounding::Up {
            f.write_str(",round=up")?;
        }
        if self.stop_watch {
            f.write_str(",stopwatch")?;
        }
        Ok(())
    }
}

/// Reads `TOTAL[+INCREMENT][,KEY=VALUE]...` with the keys `byoyomi`, `increment`, `delay`, `least`, `unit` and `round`
/// (`up`, `down`) and the bare word `stopwatch`; `none` means no limit. Times are in seconds unless they have a suffix
/// `ms`, `s`, `m` or `h`.
///
/// ```
/// use kyomi_shogi::clock::TimeControl;
/// use std::time::Duration;
/// let control: TimeControl = "600,byoyomi=10".parse().unwrap();
/// assert_eq!(control, TimeControl::byoyomi(Duration::from_secs(600), Duration::from_secs(10)));
/// assert_eq!("10m+5".parse::<TimeControl>().unwrap().to_string(), "600+5");
/// ```
impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let TimeText { total, increment, settings } = TimeText::split(text);
        if total.is_empty() && increment.is_none() {
            return Err(TimeControlError::Empty);
        }
        let mut control = Self {
            total: match total {
                "none" | "unlimited" => None,
                total => Some(parse_duration(total)?),
            },
            ..Self::UNLIMITED
        };
        if let Some(increment) = increment {
            control.increment = parse_duration(increment)?;
        }
        for setting in settings {
            match (setting.key, setting.value.unwrap_or_default()) {
                ("byoyomi", value) => control.byoyomi = parse_duration(value)?,
                ("increment", value) => control.increment = parse_duration(value)?,
                ("delay", value) => control.delay = parse_duration(value)?,
                ("least", value) => control.least = parse_duration(value)?,
                ("unit", value) => {
                    control.unit = parse_duration(value)?;
                    if control.unit.is_zero() {
                        return Err(TimeControlError::ZeroUnit);
                    }
                }
                ("round", "up") => control.rounding = Rounding::Up,
                ("round", "down") => control.rounding = Rounding::Down,
                ("stopwatch", "") => control.stop_watch = true,
                _ => return Err(TimeControlError::UnknownKey(shorten(setting.text))),
            }
        }
        if control.total.is_none() && !(control.byoyomi.is_zero() && control.increment.is_zero()) {
            return Err(TimeControlError::NoMainTime);
        }
        Ok(control)
    }
}

/// The time controls of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Controls {
    /// Black's.
    pub black: TimeControl,
    /// White's.
    pub white: TimeControl,
}

impl Controls {
    /// The same control for both sides.
    pub const fn both(control: TimeControl) -> Self {
        Self { black: control, white: control }
    }

    /// The control of one side.
    pub const fn of(&self, color: Color) -> &TimeControl {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The control of one side, mutably.
    pub const fn of_mut(&mut self, color: Color) -> &mut TimeControl {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Whether both sides have the same control.
    pub fn are_equal(&self) -> bool {
        self.black == self.white
    }
}

/// `BLACK/WHITE`, or one control when both are the same.
impl fmt::Display for Controls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.black.fmt(f)?;
        if !self.are_equal() {
            write!(f, "/{}", self.white)?;
        }
        Ok(())
    }
}

/// Reads one control for both sides, or `BLACK/WHITE`.
impl FromStr for Controls {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        match text.split_once('/') {
            None => Ok(Self::both(text.parse()?)),
            Some((black, white)) => Ok(Self { black: black.parse()?, white: white.parse()? }),
        }
    }
}

/// A unit of time settings in the CSA protocol: `1sec`, `100msec`, `1min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeUnit(Duration);

impl TimeUnit {
    /// One second, the protocol's default.
    pub const SECOND: Self = Self(Duration::from_secs(1));

    /// The unit with this length.
    ///
    /// # Errors
    /// [`TimeControlError::ZeroUnit`] for a length below a millisecond,
    /// [`TimeControlError::TooLong`] above [`TimeControl::LONGEST`].
    pub fn new(length: Duration) -> Result<Self, TimeControlError> {
        if length < Duration::from_millis(1) {
            Err(TimeControlError::ZeroUnit)
        } else if length > TimeControl::LONGEST {
            Err(TimeControlError::TooLong(format!("{} s", length.as_secs())))
        } else {
            Ok(Self(Duration::from_millis(u64::try_from(length.as_millis()).unwrap_or(u64::MAX))))
        }
    }

    /// The length of one unit.
    pub const fn duration(self) -> Duration {
        self.0
    }

    /// `count` units.
    ///
    /// # Errors
    /// [`TimeControlError::TooLong`] above [`TimeControl::LONGEST`].
    pub fn times(self, count: u64) -> Result<Duration, TimeControlError> {
        u32::try_from(count)
            .ok()
            .and_then(|count| self.0.checked_mul(count))
            .filter(|product| *product <= TimeControl::LONGEST)
            .ok_or_else(|| TimeControlError::TooLong(format!("{count} x {self}")))
    }

    /// The number of whole units in `time`.
    pub fn count(self, time: Duration) -> u64 {
        u64::try_from(time.as_nanos() / self.0.as_nanos().max(1)).unwrap_or(u64::MAX)
    }

    /// The coarsest of 1sec, 100msec, 10msec and 1msec that divides all of `settings`. Our server uses it in its
    /// offers.
    pub fn coarsest(settings: impl IntoIterator<Item = Duration>) -> Self {
        let mut units = [1000, 100, 10, 1].map(Duration::from_millis).into_iter().peekable();
        for setting in settings {
            while units.len() > 1
                && units.peek().is_some_and(|unit| setting.as_nanos() % unit.as_nanos() != 0)
            {
                units.next();
            }
        }
        Self(units.next().unwrap_or(Duration::from_millis(1)))
    }
}

impl Default for TimeUnit {
    fn default() -> Self {
        Self::SECOND
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        match (ms % 60_000, ms % 1000) {
            (0, _) => write!(f, "{}min", ms / 60_000),
            (_, 0) => write!(f, "{}sec", ms / 1000),
            _ => write!(f, "{ms}msec"),
        }
    }
}

/// Reads `<n>msec`, `<n>sec`, `<n>min`; a missing number is 1.
impl FromStr for TimeUnit {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let text = text.trim();
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, word) = text.split_at(digits);
        let unit = match word.trim() {
            "msec" => Duration::from_millis(1),
            "sec" => Duration::from_secs(1),
            "min" => Duration::from_secs(60),
            _ => return Err(TimeControlError::UnknownUnit(shorten(text))),
        };
        let count: u32 = match number {
            "" => 1,
            _ => number.parse().map_err(|_| TimeControlError::TooLong(shorten(text)))?,
        };
        Self::new(unit.checked_mul(count).ok_or_else(|| TimeControlError::TooLong(shorten(text)))?)
    }
}

/// Reads a length of time: seconds (`60`, `0.5`), or with one of the suffixes `ms`, `s`, `m`, `h`
/// (also `msec`, `sec`, `min`).
///
/// # Errors
/// [`TimeControlError::BadNumber`], [`TimeControlError::TooLong`].
pub fn parse_duration(text: &str) -> Result<Duration, TimeControlError> {
    parse_seconds(text).map_err(|error| match error {
        SecondsError::Malformed => TimeControlError::BadNumber(shorten(text.trim())),
        SecondsError::TooLong => TimeControlError::TooLong(shorten(text.trim())),
    })
}

/// An error in the text of a time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TimeControlError {
    /// The text is empty.
    #[error("empty time control; write e.g. 1200, 60+1 or 600,byoyomi=10")]
    Empty,
    /// Not a length of time.
    #[error("'{0}' is not a length of time; write seconds, or a number with ms, s, m or h")]
    BadNumber(String),
    /// Longer than [`TimeControl::LONGEST`].
    #[error("'{0}' is too long; the maximum is 366 days")]
    TooLong(String),
    /// A part is not a known setting.
    #[error(
        "unknown setting '{0}'; known are byoyomi=, increment=, delay=, least=, unit=, \
         round=up|down and stopwatch"
    )]
    UnknownKey(String),
    /// Not `<n>msec`, `<n>sec` or `<n>min`.
    #[error("unknown time unit '{0}'; expected e.g. 1sec, 100msec or 1min")]
    UnknownUnit(String),
    /// A unit below a millisecond.
    #[error("a time unit must be at least a millisecond")]
    ZeroUnit,
    /// Byoyomi or an increment without a limit.
    #[error("byoyomi or an increment needs a main time; write 0 for none")]
    NoMainTime,
}

/// Writes seconds without a suffix, with a fraction only if needed.
fn write_plain(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let nanos = time.subsec_nanos();
    if nanos == 0 {
        write!(f, "{}", time.as_secs())
    } else {
        let fraction = format!("{nanos:09}");
        write!(f, "{}.{}", time.as_secs(), fraction.trim_end_matches('0'))
    }
}

/// The first characters of a text, for an error message on one line.
fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests;
