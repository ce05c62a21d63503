//! The clock of a player, or its limit for each move.

use std::{fmt, str::FromStr, time::Duration};

use crate::players::MoveLimit;
use kyomi_shogi::clock::{TimeControl, TimeControlError, parse_duration};

/// The clock or limit of a player.
///
/// ```
/// use kyomi::matches::MatchControl;
/// for text in ["nodes=2000", "depth=9", "movetime=0.1", "60+1", "600,byoyomi=10"] {
///     assert_eq!(text.parse::<MatchControl>().unwrap().to_string(), text);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchControl {
    /// A clock kept by the referee. Its unit is the millisecond unless the text names one.
    Clock(TimeControl),
    /// A limit for each move.
    Each(MoveLimit),
}

impl MatchControl {
    /// Whether the result depends on the speed of the machine.
    pub const fn is_timed(&self) -> bool {
        matches!(self, Self::Clock(_) | Self::Each(MoveLimit::Time(_)))
    }

    /// The limit of each move, if it is one.
    pub const fn limit(&self) -> Option<MoveLimit> {
        match self {
            Self::Clock(_) => None,
            Self::Each(limit) => Some(*limit),
        }
    }

    /// The clock; unlimited if the player has none.
    pub const fn clock(&self) -> TimeControl {
        match self {
            Self::Clock(control) => *control,
            Self::Each(_) => {
                TimeControl { unit: Duration::from_millis(1), ..TimeControl::UNLIMITED }
            }
        }
    }
}

/// Writes the form that [`FromStr`] reads.
impl fmt::Display for MatchControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each(MoveLimit::Nodes(nodes)) => write!(f, "nodes={nodes}"),
            Self::Each(MoveLimit::Depth(plies)) => write!(f, "depth={plies}"),
            Self::Each(MoveLimit::Time(time)) => write!(f, "movetime={}", time.as_secs_f64()),
            Self::Clock(control) if control.unit == MILLISECOND => {
                let in_seconds = TimeControl { unit: Duration::from_secs(1), ..*control };
                in_seconds.fmt(f)
            }
            Self::Clock(control) if control.unit == Duration::from_secs(1) => {
                write!(f, "{control},unit=1")
            }
            Self::Clock(control) => control.fmt(f),
        }
    }
}

/// An error in the text of a control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// A limit is not a number, or 0.
    #[error("'{text}': {key} is a whole number above 0")]
    Count {
        /// The kind of limit.
        key: &'static str,
        /// The text.
        text: String,
    },
    /// The time for each move is 0 or not a time.
    #[error("'{0}': movetime is a time above 0, such as movetime=100ms")]
    NoTime(String),
    /// The clock has no time.
    #[error(
        "'{0}' leaves no time to think; write 60+1 (increment), 0,byoyomi=1 or 600,byoyomi=10, or \
         nodes=N, depth=N, movetime=100ms"
    )]
    NoClock(String),
    /// The clock cannot be read.
    #[error("'{text}': {source}; write 60+1, 600,byoyomi=10, nodes=N, depth=N or movetime=100ms")]
    Clock {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: TimeControlError,
    },
}

/// Reads `nodes=N`, `depth=N` (or `limit=N`), `movetime=TIME`, or a clock as [`TimeControl`] does.
impl FromStr for MatchControl {
    type Err = ControlError;

    fn from_str(text: &str) -> Result<Self, ControlError> {
        let text = text.trim();
        let shown = || text.chars().take(60).collect::<String>();
        let count = |key, value: &str| {
            let number: Option<u64> = value.replace('_', "").parse().ok();
            number
                .filter(|number| *number > 0)
                .ok_or_else(|| ControlError::Count { key, text: shown() })
        };
        match text.split_once('=') {
            Some(("nodes", value)) => Ok(Self::Each(MoveLimit::Nodes(count("nodes", value)?))),
            Some(("depth" | "limit", value)) => {
                let plies = u32::try_from(count("depth", value)?).unwrap_or(u32::MAX);
                Ok(Self::Each(MoveLimit::Depth(plies)))
            }
            Some(("movetime", value)) => match parse_duration(value) {
                Ok(time) if !time.is_zero() => Ok(Self::Each(MoveLimit::Time(time))),
                _ => Err(ControlError::NoTime(shown())),
            },
            _ => {
                let fault = |source| ControlError::Clock { text: shown(), source };
                let mut control: TimeControl = text.parse().map_err(fault)?;
                if control.is_unlimited() {
                    return Err(ControlError::NoClock(shown()));
                }
                if !text.contains("unit=") {
                    control.unit = MILLISECOND;
                }
                Ok(Self::Clock(control))
            }
        }
    }
}

/// The referee runs on the same machine, so it can charge milliseconds instead of whole seconds.
const MILLISECOND: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_counts_milliseconds_by_default() {
        let control = |text: &str| text.parse::<MatchControl>().unwrap();
        assert_eq!(control("10+0.1").clock().unit, MILLISECOND);
        let seconds = control("10,byoyomi=1,unit=1");
        assert_eq!(seconds.clock().unit, Duration::from_secs(1));
        assert_eq!(control(&seconds.to_string()), seconds);
        assert_eq!(control("limit=7"), MatchControl::Each(MoveLimit::Depth(7)));
        assert!(!control("nodes=5").is_timed() && control("movetime=100ms").is_timed());
    }

    #[test]
    fn errors_name_a_valid_form() {
        for (text, part) in [
            ("nodes=0", "above 0"),
            ("nodes=many", "whole number"),
            ("movetime=0", "movetime=100ms"),
            ("0", "leaves no time"),
            ("none", "leaves no time"),
            ("60+x", "60+1"),
            ("", "60+1"),
        ] {
            let error = text.parse::<MatchControl>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
