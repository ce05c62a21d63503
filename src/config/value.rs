//! Values without a TOML type: durations, sizes, and options of any scalar type.

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

/// A text that a later step reads as a duration.
#[derive(Debug, Clone)]
pub(super) struct DurationText(pub(super) String);

/// A text that a later step reads as a size.
#[derive(Debug, Clone)]
pub(super) struct SizeText(pub(super) String);

/// `true`, `false`, or a text that a later step reads.
#[derive(Debug, Clone)]
pub(super) struct PonderText(pub(super) String);

/// The value of an engine's option: any scalar, as text for USI.
#[derive(Debug, Clone)]
pub(super) struct OptionText(pub(super) String);

impl<'de> Deserialize<'de> for DurationText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text("a duration in quotes, such as \"60s\"")).map(Self)
    }
}

impl<'de> Deserialize<'de> for SizeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text("a size in quotes, such as \"256MiB\"")).map(Self)
    }
}

impl<'de> Deserialize<'de> for PonderText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoolOrText("true, false, \"pv\" or \"early\"")).map(Self)
    }
}

impl<'de> Deserialize<'de> for OptionText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar).map(Self)
    }
}

struct Text(&'static str);

impl de::Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

struct BoolOrText(&'static str);

impl de::Visitor<'_> for BoolOrText {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }
}

struct Scalar;

impl de::Visitor<'_> for Scalar {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, true or false")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<String, E> {
        Ok(value.to_string())
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
