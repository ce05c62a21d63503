//! The times of moves: `( 0:16/00:00:16)`, for the move and for all moves of its side.

use std::fmt::Write as _;
use std::time::Duration;

use kyomi_shogi::clock::TimeControl;

use super::numerals::{arabic, trim};

/// The time of a move: `0:16/00:00:16` without brackets, with hours `1:00:16`, seconds alone, and fractions down to
/// a millisecond, in half or full width. `None` for any other text, for a time beyond the longest one, and for
/// exactly two digits, which are a square.
pub(super) fn parse(text: &str) -> Option<Duration> {
    if is_square(text) {
        return None;
    }
    let time = own(text);
    let (whole, fraction) = time.split_once(['.', '．']).unwrap_or((time, ""));
    let mut total = 0_u64;
    for part in whole.split([':', '：']) {
        let mut value = 0_u64;
        let part = trim(part);
        if part.is_empty() {
            return None;
        }
        for c in part.chars() {
            value = value.checked_mul(10)?.checked_add(u64::from(arabic(c)?))?;
        }
        total = total.checked_mul(60)?.checked_add(value)?;
    }
    let mut millis = 0;
    for (index, c) in fraction.chars().enumerate() {
        let digit = u32::from(arabic(c)?);
        millis += digit * [100, 10, 1].get(index).copied().unwrap_or(0);
    }
    let time = Duration::new(total, millis * 1_000_000);
    (time <= TimeControl::LONGEST).then_some(time)
}

/// Whether the brackets have no time of the move.
pub(super) fn is_empty(text: &str) -> bool {
    own(text).is_empty()
}

/// The part before the total.
fn own(text: &str) -> &str {
    trim(text.split(['/', '／']).next().unwrap_or_default())
}

fn is_square(text: &str) -> bool {
    text.chars().count() == 2 && text.chars().all(|c| arabic(c).is_some())
}

/// `( 0:16/00:00:16)`
pub(crate) fn write(text: &mut String, time: u64, total: u64) {
    let (minutes, seconds) = (time / 60, time % 60);
    let (hours, rest) = (total / 3600, total % 3600);
    let _ = write!(text, "({minutes:2}:{seconds:02}/{hours:02}:{:02}:{:02})", rest / 60, rest % 60);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_forms() {
        for (text, millis) in [
            (" 0:16/00:00:16", Some(16_000)),
            ("0:16", Some(16_000)),
            ("1:00:16/ 1:00:16", Some(3_616_000)),
            ("100:00/01:40:00", Some(6_000_000)),
            ("0:01.5/0:0:1", Some(1500)),
            ("016", Some(16_000)),
            (" 16", Some(16_000)),
            ("16", None),
            ("１６", None),
            ("０：１６／", Some(16_000)),
            (" ０：０１／００：００：０１", Some(1_000)),
            ("0:0.123456789", Some(123)),
            ("", None),
            ("a:b", None),
            ("99999999999999999999:00", None),
            ("9:9:9:9:9:9:9:9:9:9:9:9:9:9", None),
        ] {
            assert_eq!(parse(text), millis.map(Duration::from_millis), "{text}");
        }
        let mut text = String::new();
        write(&mut text, 16, 3616);
        assert_eq!(text, "( 0:16/01:00:16)");
    }
}
