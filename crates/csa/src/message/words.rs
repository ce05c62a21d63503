//! The words of the protocol: moves, times, `%` lines, results and reasons.

use std::{fmt, time::Duration};

use kyomi_shogi::Color;

/// A move as sent over the connection: sign, origin, destination, piece after the move (`+7776FU`,
/// `-0045KA`). Well-formed, but not checked against any position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveWord([u8; 7]);

impl MoveWord {
    /// Parses a string of exactly one sign, four digits and two capital letters.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 7] = text.as_bytes().try_into().ok()?;
        let [sign, digits @ .., p, q] = bytes;
        (matches!(sign, b'+' | b'-')
            && digits.iter().all(u8::is_ascii_digit)
            && p.is_ascii_uppercase()
            && q.is_ascii_uppercase())
        .then_some(Self(bytes))
    }

    /// The side given by the sign.
    pub fn color(self) -> Color {
        if self.0[0] == b'+' { Color::Black } else { Color::White }
    }

    /// The seven characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for MoveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for MoveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The number after `T`: the time spent, in units of the sender's choice (nearly always seconds). Stored in
/// thousandths of a unit, because fractions occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WireTime {
    thousandths: u64,
}

impl WireTime {
    /// A whole number of units.
    pub fn whole(units: u64) -> Self {
        Self { thousandths: units.saturating_mul(1000) }
    }

    /// A number of thousandths of a unit.
    pub fn from_thousandths(thousandths: u64) -> Self {
        Self { thousandths }
    }

    /// The number of whole units in `spent`, as servers write it.
    pub fn floor(spent: Duration, unit: Duration) -> Self {
        let units = spent.as_nanos().checked_div(unit.as_nanos()).unwrap_or_default();
        Self::whole(u64::try_from(units).unwrap_or(u64::MAX))
    }

    /// Parses `12`, `1.5` or `1.`; digits beyond thousandths are dropped. Returns `None` for anything else and
    /// for numbers of more than twelve digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && fraction.is_empty()
            || whole.len() > 12
            || !digits(whole)
            || !digits(fraction)
        {
            return None;
        }
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let parts = fraction.bytes().chain(std::iter::repeat(b'0')).take(3);
        let parts = parts.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        Some(Self { thousandths: whole * 1000 + parts })
    }

    /// The duration, given the length of one unit. Saturates.
    pub fn to_duration(self, unit: Duration) -> Duration {
        let nanos = u128::from(self.thousandths).saturating_mul(unit.as_nanos()) / 1000;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for WireTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, parts) = (self.thousandths / 1000, self.thousandths % 1000);
        if parts == 0 {
            write!(f, "{whole}")
        } else {
            let fraction = format!("{parts:03}");
            write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
        }
    }
}

/// A line that starts with `%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Special {
    /// `%TORYO`: resignation.
    Toryo,
    /// `%KACHI`: declaration.
    Kachi,
    /// `%CHUDAN`: suspension.
    Chudan,
    /// Any other word, without its `%`.
    Other(String),
}

impl Special {
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "TORYO" => Self::Toryo,
            "KACHI" => Self::Kachi,
            "CHUDAN" => Self::Chudan,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toryo => f.write_str("%TORYO"),
            Self::Kachi => f.write_str("%KACHI"),
            Self::Chudan => f.write_str("%CHUDAN"),
            Self::Other(word) => write!(f, "%{word}"),
        }
    }
}

/// A `#` line with the result for the player who receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultWord {
    /// `#WIN`
    Win,
    /// `#LOSE`
    Lose,
    /// `#DRAW`
    Draw,
    /// `#CENSORED`: no result, after the move limit.
    Censored,
    /// `#CHUDAN`: suspended.
    Chudan,
}

/// A `#` line with the reason why the game ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReasonWord {
    /// `#RESIGN`
    Resign,
    /// `#TIME_UP`
    TimeUp,
    /// `#ILLEGAL_MOVE`
    IllegalMove,
    /// `#ILLEGAL_ACTION`
    IllegalAction,
    /// `#SENNICHITE`
    Sennichite,
    /// `#OUTE_SENNICHITE`
    OuteSennichite,
    /// `#JISHOGI`
    Jishogi,
    /// `#MAX_MOVES`
    MaxMoves,
    /// `#ABNORMAL` (rshogi): alone or with a result.
    Abnormal,
    /// Any other word, without its `#`.
    Other(String),
}

pub(super) const RESULTS: [(&str, ResultWord); 5] = [
    ("WIN", ResultWord::Win),
    ("LOSE", ResultWord::Lose),
    ("DRAW", ResultWord::Draw),
    ("CENSORED", ResultWord::Censored),
    ("CHUDAN", ResultWord::Chudan),
];

pub(super) const REASONS: [(&str, ReasonWord); 9] = [
    ("RESIGN", ReasonWord::Resign),
    ("TIME_UP", ReasonWord::TimeUp),
    ("ILLEGAL_MOVE", ReasonWord::IllegalMove),
    ("ILLEGAL_ACTION", ReasonWord::IllegalAction),
    ("SENNICHITE", ReasonWord::Sennichite),
    ("OUTE_SENNICHITE", ReasonWord::OuteSennichite),
    ("JISHOGI", ReasonWord::Jishogi),
    ("MAX_MOVES", ReasonWord::MaxMoves),
    ("ABNORMAL", ReasonWord::Abnormal),
];

impl fmt::Display for ResultWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = RESULTS.iter().find(|(_, result)| result == self).map_or("", |(word, _)| word);
        write!(f, "#{word}")
    }
}

impl fmt::Display for ReasonWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = REASONS.iter().find(|(_, reason)| reason == self).map(|(word, _)| *word);
        match (known, self) {
            (Some(word), _) => write!(f, "#{word}"),
            (None, Self::Other(word)) => write!(f, "#{word}"),
            (None, _) => Ok(()),
        }
    }
}
