//! The times of one of our own turns, as written in records.

use std::{fmt, str::FromStr, time::Duration};

/// The times of one of our own turns, by our own clock.
///
/// In a record it is a comment of the move, in milliseconds:
///
/// ```
/// use kyomi_shogi::clock::OwnTurn;
/// let turn: OwnTurn = "turn: measured 1203.4 echo 3.2 before 599000 ponder hit".parse().unwrap();
/// assert_eq!((turn.measured.as_millis(), turn.ponder_hit), (1203, Some(true)));
/// assert_eq!(turn.to_string(), "turn: measured 1203.4 echo 3.2 before 599000 ponder hit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OwnTurn {
    /// From the server's line that began the turn to our line.
    pub measured: Duration,
    /// From our line to the server's answer to it; `None` if there was none.
    pub echo: Option<Duration>,
    /// Our main time before the turn, without its increment; `None` without a limit.
    pub before: Option<Duration>,
    /// Whether the opponent played the reply that was pondered on; `None` if nothing was.
    pub ponder_hit: Option<bool>,
}

impl OwnTurn {
    /// A lower bound on the time that the network took: the time charged, which the server rounds down, less our own
    /// measurement.
    pub fn network_at_least(&self, charged: Duration) -> Duration {
        charged.saturating_sub(self.measured)
    }
}

/// The error for a text that is not in the form of [`OwnTurn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the times of a turn")]
pub struct NotAnOwnTurn;

impl fmt::Display for OwnTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn: measured {}", Ms(self.measured))?;
        if let Some(echo) = self.echo {
            write!(f, " echo {}", Ms(echo))?;
        }
        if let Some(before) = self.before {
            write!(f, " before {}", Ms(before))?;
        }
        match self.ponder_hit {
            Some(true) => f.write_str(" ponder hit"),
            Some(false) => f.write_str(" ponder miss"),
            None => Ok(()),
        }
    }
}

impl FromStr for OwnTurn {
    type Err = NotAnOwnTurn;

    fn from_str(text: &str) -> Result<Self, NotAnOwnTurn> {
        let words = text.strip_prefix("turn: measured ").ok_or(NotAnOwnTurn)?;
        let mut words = words.split_ascii_whitespace();
        let measured = words.next().and_then(parse_ms).ok_or(NotAnOwnTurn)?;
        let mut turn = Self { measured, ..Self::default() };
        while let Some(key) = words.next() {
            let value = words.next().ok_or(NotAnOwnTurn)?;
            match key {
                "echo" => turn.echo = Some(parse_ms(value).ok_or(NotAnOwnTurn)?),
                "before" => turn.before = Some(parse_ms(value).ok_or(NotAnOwnTurn)?),
                "ponder" => {
                    turn.ponder_hit = Some(match value {
                        "hit" => true,
                        "miss" => false,
                        _ => return Err(NotAnOwnTurn),
                    });
                }
                _ => return Err(NotAnOwnTurn),
            }
        }
        Ok(turn)
    }
}

/// Milliseconds with at most one decimal.
struct Ms(Duration);

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.0.as_micros() / 100;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            tenth => write!(f, "{}.{tenth}", tenths / 10),
        }
    }
}

/// Parses what [`Ms`] writes.
fn parse_ms(text: &str) -> Option<Duration> {
    let (whole, tenth) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str, most| {
        (1..=most).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit())
    };
    if !is_number(whole, 15) || !is_number(tenth, 1) {
        return None;
    }
    let (whole, tenth): (u64, u64) = (whole.parse().ok()?, tenth.parse().ok()?);
    Some(Duration::from_micros(whole * 1000 + tenth * 100))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_time() -> impl Strategy<Value = Duration> {
        (0u64..1_000_000_000).prop_map(|tenths| Duration::from_micros(tenths * 100))
    }

    proptest! {
        #[test]
        fn written_turns_are_read_back(
            measured in any_time(), echo in prop::option::of(any_time()),
            before in prop::option::of(any_time()), ponder_hit in any::<Option<bool>>(),
        ) {
            let turn = OwnTurn { measured, echo, before, ponder_hit };
            prop_assert_eq!(turn.to_string().parse(), Ok(turn));
        }
    }

    #[test]
    fn other_comments_are_not_turns() {
        for text in [
            "",
            "book",
            "turn: measured",
            "turn: measured x",
            "turn: measured 1.25",
            "turn: measured 1 echo",
            "turn: measured 1 ponder maybe",
            "turn: measured 1 other 2",
            "turn: measured 9999999999999999",
            "turn: measured -1",
        ] {
            assert_eq!(text.parse::<OwnTurn>(), Err(NotAnOwnTurn), "{text}");
        }
    }

    #[test]
    fn the_network_took_at_least_the_charge_beyond_our_measurement() {
        let turn = OwnTurn { measured: Duration::from_millis(2400), ..OwnTurn::default() };
        assert_eq!(turn.network_at_least(Duration::from_secs(3)), Duration::from_millis(600));
        assert_eq!(turn.network_at_least(Duration::from_secs(2)), Duration::ZERO);
    }
}
