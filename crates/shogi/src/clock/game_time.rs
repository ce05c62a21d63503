//! The times of a game as people agree on them.

use std::{str::FromStr, time::Duration};

use super::time_text::{TimeText, parse_seconds};

/// The times of a side, without the unit and the least charge of a [`TimeControl`](super::TimeControl), which the
/// rules of a server add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameTime {
    /// Main time.
    pub total: Duration,
    /// Time per move once the main time is used up.
    pub byoyomi: Duration,
    /// Added for each move (Fischer).
    pub increment: Duration,
}

impl GameTime {
    /// Main time alone.
    pub const fn sudden_death(total: Duration) -> Self {
        Self { total, byoyomi: Duration::ZERO, increment: Duration::ZERO }
    }
}

/// A text that is no [`GameTime`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time control; write 1200, 60+1 (increment) or 600,byoyomi=10")]
pub struct GameTimeError(String);

/// Reads `1200` (seconds of sudden death), `60+1` (with an increment), `600,byoyomi=10`, `5m,increment=3s`.
impl FromStr for GameTime {
    type Err = GameTimeError;

    fn from_str(text: &str) -> Result<Self, GameTimeError> {
        let wrong = || GameTimeError(text.to_owned());
        let seconds = |text: &str| parse_seconds(text).map_err(|_| wrong());
        let TimeText { total, increment, settings } = TimeText::split(text);
        let mut time = Self::sudden_death(seconds(total)?);
        if let Some(increment) = increment {
            time.increment = seconds(increment)?;
        }
        for setting in settings {
            let value = seconds(setting.value.ok_or_else(wrong)?)?;
            match setting.key {
                "byoyomi" => time.byoyomi = value,
                "increment" if increment.is_none() => time.increment = value,
                _ => return Err(wrong()),
            }
        }
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_total_and_what_is_added() {
        let time = |total, byoyomi, increment| GameTime {
            total: Duration::from_secs(total),
            byoyomi: Duration::from_secs(byoyomi),
            increment: Duration::from_secs(increment),
        };
        assert_eq!("1200".parse(), Ok(time(1200, 0, 0)));
        assert_eq!("60+1".parse(), Ok(time(60, 0, 1)));
        assert_eq!("600,byoyomi=10".parse(), Ok(time(600, 10, 0)));
        assert_eq!("5m,increment=3s".parse(), Ok(time(300, 0, 3)));
        assert_eq!("0,byoyomi=30".parse(), Ok(time(0, 30, 0)));
        for wrong in
            ["", "+", "60+", "+1", "a", "60+1+1", "60,10", "60,speed=3", "60+1,increment=2", "-5"]
        {
            assert!(wrong.parse::<GameTime>().is_err(), "{wrong}");
        }
    }
}
