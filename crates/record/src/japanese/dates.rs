//! Days and times of day as people write them: `2026/08/01 9:00`, `２０２６年８月１日(土) 9時30分`.

use crate::RecordTime;

use super::numerals::{arabic, is_blank};

/// The time that a text means; `None` if it is not clear.
pub(super) fn parse(text: &str) -> Option<RecordTime> {
    // Times are shorter than that.
    if text.len() > 200 {
        return None;
    }
    let mut plain = String::new();
    let mut in_brackets = false;
    for c in text.chars() {
        match c {
            '(' | '（' => in_brackets = true,
            ')' | '）' => {
                in_brackets = false;
                plain.push(' ');
            }
            _ if in_brackets => {}
            '年' | '月' | '-' | '／' | '.' => plain.push('/'),
            '日' | '秒' | 'T' => plain.push(' '),
            '時' | '分' | '：' => plain.push(':'),
            _ if is_blank(c) => plain.push(' '),
            _ => match arabic(c) {
                Some(digit) => plain.push(char::from(b'0' + digit)),
                None => plain.push(c),
            },
        }
    }
    RecordTime::parse(plain.trim().trim_end_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_all_forms() {
        for (text, expected) in [
            ("2026/08/01 09:00:00", Some("2026/08/01 09:00:00")),
            ("2026/8/1(土) 9:00", Some("2026/08/01 09:00:00")),
            ("２０２６年８月１日", Some("2026/08/01")),
            ("2026年8月1日 9時30分", Some("2026/08/01 09:30:00")),
            ("2026-08-01", Some("2026/08/01")),
            ("2026-08-01T09:30:05", Some("2026/08/01 09:30:05")),
            ("2026-08-01T09:30:05+09:00", None),
            ("2026年秋", None),
            ("2026/08", None),
            ("", None),
        ] {
            let time = parse(text).map(|time| time.to_string());
            assert_eq!(time.as_deref(), expected, "{text}");
        }
    }
}
