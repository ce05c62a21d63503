//! How times are written on the command line: `1200`, `60+1`, `600,byoyomi=10`, `5m`.
//!
//! The one grammar for [`GameTime`](super::GameTime) and for [`TimeControl`](super::TimeControl).

use std::time::Duration;

use crate::text::{Setting, settings};

/// A time control taken apart: `TOTAL[+INCREMENT][,SETTING]...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TimeText<'a> {
    /// What stands before the first `+` or comma.
    pub(super) total: &'a str,
    /// What stands after the `+`.
    pub(super) increment: Option<&'a str>,
    /// What stands after the first comma.
    pub(super) settings: Vec<Setting<'a>>,
}

impl<'a> TimeText<'a> {
    /// Takes a text apart. Nothing is checked.
    pub(super) fn split(text: &'a str) -> Self {
        let mut parts = settings(text);
        let head = parts.next().map_or("", |head| head.text);
        let (total, increment) = match head.split_once('+') {
            Some((total, increment)) => (total.trim(), Some(increment.trim())),
            None => (head, None),
        };
        Self { total, increment, settings: parts.collect() }
    }
}

/// Why a text is no length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecondsError {
    /// No number, or another suffix.
    Malformed,
    /// Longer than [`LONGEST`].
    TooLong,
}

/// Reads a length of time: seconds (`60`, `0.5`), or with one of the suffixes `ms`, `s`, `m`, `h` (also `msec`,
/// `sec`, `min`).
///
/// # Errors
/// [`SecondsError`].
pub(super) fn parse_seconds(text: &str) -> Result<Duration, SecondsError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let unit_ns: u128 = match suffix.trim() {
        "" | "s" | "sec" => 1_000_000_000,
        "ms" | "msec" => 1_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(SecondsError::Malformed),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SecondsError::Malformed);
    }
    let whole: u128 = whole.parse().map_err(|_| SecondsError::TooLong)?;
    let parts: u128 = format!("0{fraction}").parse().map_err(|_| SecondsError::Malformed)?;
    let fraction_ns = unit_ns * parts / 10u128.pow(fraction.len() as u32);
    let ns = whole
        .checked_mul(unit_ns)
        .and_then(|ns| ns.checked_add(fraction_ns))
        .filter(|ns| *ns <= LONGEST.as_nanos())
        .ok_or(SecondsError::TooLong)?;
    Ok(Duration::from_nanos_u128(ns))
}

/// The longest time that is read: 366 days.
pub(super) const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart() {
        let split = TimeText::split("60 + 1, byoyomi=10,stopwatch");
        assert_eq!((split.total, split.increment), ("60", Some("1")));
        let settings: Vec<_> = split.settings.iter().map(|it| (it.key, it.value)).collect();
        assert_eq!(settings, [("byoyomi", Some("10")), ("stopwatch", None)]);
        let split = TimeText::split("");
        assert_eq!((split.total, split.increment, split.settings.len()), ("", None, 0));
    }

    #[test]
    fn seconds_may_have_a_unit() {
        for (text, millis) in
            [("60", 60_000), ("0.5", 500), ("250ms", 250), ("2m", 120_000), ("1 h", 3_600_000)]
        {
            assert_eq!(parse_seconds(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", ".", "-5", "5 parsecs", "1.0000000001", "1.5.5"] {
            assert_eq!(parse_seconds(text), Err(SecondsError::Malformed), "{text}");
        }
        assert_eq!(parse_seconds("9999h"), Err(SecondsError::TooLong));
    }
}
