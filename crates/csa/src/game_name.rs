//! The game name in a login password of shogi-server and its relatives: `floodgate-300-10F`, `ladder-600-10-B`.

use std::time::Duration;

use kyomi_shogi::Color;
use kyomi_shogi::clock::GameTime;

/// The parts of a game name: `name-total-byoyomi[F]`, optionally followed by `-B` or `-W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameName<'a> {
    /// The whole name without the colour.
    pub name: &'a str,
    /// Main time in seconds, digits only.
    pub total: &'a str,
    /// Byoyomi or increment in seconds, digits only. A byoyomi with a leading zero means a stop-watch clock.
    pub extra: &'a str,
    /// Whether `extra` is an increment.
    pub fischer: bool,
    /// The colour it asks for.
    pub color: Option<Color>,
}

impl<'a> GameName<'a> {
    /// Parses the text before the first comma of a password; `None` if it is not a game name.
    pub fn parse(text: &'a str) -> Option<Self> {
        if !text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_@.-".contains(&b)) {
            return None;
        }
        let (name, color) = Self::split_color(text);
        let (rest, extra) = name.rsplit_once('-')?;
        let (event, total) = rest.rsplit_once('-')?;
        let (extra, fischer) =
            extra.strip_suffix('F').map_or((extra, false), |extra| (extra, true));
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (!event.is_empty() && number(total) && number(extra)).then_some(Self {
            name,
            total,
            extra,
            fischer,
            color,
        })
    }

    /// Splits a game name from the colour in its suffix.
    pub fn split_color(text: &str) -> (&str, Option<Color>) {
        if let Some(name) = text.strip_suffix("-B") {
            (name, Some(Color::Black))
        } else if let Some(name) = text.strip_suffix("-W") {
            (name, Some(Color::White))
        } else {
            (text, None)
        }
    }

    /// The clock of each side; `None` if a time is over ten days.
    pub fn time(&self) -> Option<GameTime> {
        let (total, extra) = (seconds(self.total)?, seconds(self.extra)?);
        let (byoyomi, increment) =
            if self.fischer { (Duration::ZERO, extra) } else { (extra, Duration::ZERO) };
        Some(GameTime { total, byoyomi, increment })
    }

    /// Whether the clock is a stop-watch, which counts whole units of the byoyomi.
    pub fn is_stop_watch(&self) -> bool {
        !self.fischer && self.extra.starts_with('0') && self.extra.bytes().any(|b| b != b'0')
    }
}

fn seconds(digits: &str) -> Option<Duration> {
    let time = Duration::from_secs(digits.parse().ok()?);
    (time <= LONGEST_TIME).then_some(time)
}

/// Far more than any game takes.
const LONGEST_TIME: Duration = Duration::from_secs(10 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_and_colour_are_read() {
        let name = GameName::parse("floodgate-300-10F").unwrap();
        let time = name.time().unwrap();
        assert_eq!((time.total.as_secs(), time.increment.as_secs()), (300, 10));
        assert!(time.byoyomi.is_zero() && name.color.is_none() && !name.is_stop_watch());
        let name = GameName::parse("a-b-1500-060-W").unwrap();
        assert_eq!((name.name, name.color), ("a-b-1500-060", Some(Color::White)));
        assert_eq!(name.time().unwrap().byoyomi.as_secs(), 60);
        assert!(name.is_stop_watch() && !GameName::parse("x-60-0").unwrap().is_stop_watch());
        for not in ["", "secret", "-300-10", "x-300", "x-300-F", "x-1-2 ", "x-y-z"] {
            assert_eq!(GameName::parse(not), None, "{not}");
        }
        assert_eq!(GameName::parse("x-99999999999-0").unwrap().time(), None);
    }
}
