//! Values as written: durations, sizes and others without a TOML type, and those that are given as plain text.

use std::{fmt, time::Duration};

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, de};

/// Reads `"300s"`, `"5m"`, `"1h 30m"`, `"1.5s"`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!("{text:?} is not a duration; write it with a unit, such as \"60s\" or \"1h 30m\"")
    };
    let signed: SignedDuration = text.trim().parse().map_err(|_| wrong())?;
    Duration::try_from(signed)
        .map_err(|_| format!("{text:?} is negative; a duration is zero or more"))
}

/// Reads `"4GiB"`, `"256 MiB"`, `"512K"`, `"1000000B"`. The units are powers of 1024, except `kB`, `MB` and `GB`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a size; write it with a unit, such as \"256MiB\"");
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = trimmed.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit.trim_start() {
        "B" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        "T" | "TiB" => 1 << 40,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).ok_or_else(|| format!("{text:?} is more than any machine has"))
}

macro_rules! texts {
    ($($(#[$doc:meta])* $text:ident($scalars:literal): $expected:literal, in TOML $in_toml:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub(super) struct $text(pub(super) String);

        impl<'de> Deserialize<'de> for $text {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Scalar($in_toml, $scalars)).map(Self)
            }
        }

        impl FromText for $text {
            const EXPECTED: &'static str = $expected;
            fn from_text(text: &str) -> Option<Self> {
                Some(Self(text.to_owned()))
            }
        }
    )*};
}

texts! {
    /// A text that a later step reads as a duration.
    DurationText(0): "a duration such as 60s", in TOML "a duration in quotes, such as \"60s\"";
    /// A text that a later step reads as a size.
    SizeText(0): "a size such as 256MiB", in TOML "a size in quotes, such as \"256MiB\"";
    /// `true`, `false`, or a text that a later step reads.
    PonderText(1): "true, false or pv", in TOML "true, false, \"pv\" or \"early\"";
    /// The value of an engine's option: any scalar, as text for USI.
    OptionText(2): "a text", in TOML "a text, a number, true or false";
}

/// What is expected, and which scalars besides a text are read: none, booleans (1), numbers as well (2).
struct Scalar(&'static str, u8);

impl Scalar {
    fn read<T: ToString, E: de::Error>(
        &self,
        least: u8,
        value: &T,
        found: de::Unexpected<'_>,
    ) -> Result<String, E> {
        if self.1 < least { Err(E::invalid_type(found, self)) } else { Ok(value.to_string()) }
    }
}

impl de::Visitor<'_> for Scalar {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<String, E> {
        self.read(1, &value, de::Unexpected::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<String, E> {
        self.read(2, &value, de::Unexpected::Signed(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<String, E> {
        self.read(2, &value, de::Unexpected::Unsigned(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<String, E> {
        self.read(2, &value, de::Unexpected::Float(value))
    }
}

/// A value that can also be given as plain text, outside TOML.
pub(super) trait FromText: Sized {
    /// A description of a valid text.
    const EXPECTED: &'static str;
    fn from_text(text: &str) -> Option<Self>;
}

impl FromText for String {
    const EXPECTED: &'static str = "a text";
    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl FromText for i64 {
    const EXPECTED: &'static str = "a whole number";
    fn from_text(text: &str) -> Option<Self> {
        text.trim().replace('_', "").parse().ok()
    }
}

impl FromText for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

/// Several texts.
pub(super) type Texts = Vec<String>;

impl FromText for Texts {
    const EXPECTED: &'static str = "words between blanks, or a TOML list of texts";
    fn from_text(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct List {
            list: Texts,
        }
        if text.trim_start().starts_with('[') {
            return toml::from_str::<List>(&format!("list = {text}")).ok().map(|it| it.list);
        }
        Some(text.split_whitespace().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(duration("300s"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        for wrong in ["", "40", "-5s", "fast", "5 parsecs", "9999999999999999999h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("256 MiB"), Ok(256 << 20));
        assert_eq!(size("5MB"), Ok(5_000_000));
        for wrong in ["", "256", "MiB", "-1MiB", "1.5GiB", "4gib", "99999999999TiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
