//! Time controls in words: `各25分`, `10分切れ負け`, `1時間 秒読み30秒`, `5分 1手10秒加算`.

use std::fmt::Write as _;
use std::time::Duration;

use crate::clock::{Controls, TimeControl};

use super::numerals::{arabic, number, trim};

/// The controls that a text means; `None` if it is not clear.
pub(super) fn parse(text: &str) -> Option<Controls> {
    // Controls are shorter than that.
    if text.len() > 400 {
        return None;
    }
    let text = trim(text);
    // The form in which controls are printed, for those that cannot be expressed in Japanese.
    if text.contains('=') || text.contains("stopwatch") {
        return text.parse().ok();
    }
    if let Some((black, white)) = text.split_once('／') {
        let black = strip_any(black, &["先手", "下手"])?;
        let white = strip_any(white, &["後手", "上手"])?;
        return Some(Controls { black: one(black)?, white: one(white)? });
    }
    Some(Controls::both(one(text.strip_prefix('各').unwrap_or(text))?))
}

/// The byoyomi in the value of `秒読み`.
pub(super) fn parse_byoyomi(text: &str) -> Option<Duration> {
    let (time, rest) = duration(trim(text))?;
    trim(rest).is_empty().then_some(time)
}

/// The controls in words, so that [`parse`] reads the same.
pub(super) fn format(controls: &Controls) -> String {
    let (black, white) = (words(&controls.black), words(&controls.white));
    let text = match (black, white) {
        (Some(black), Some(white)) if controls.are_equal() && black == white => black,
        (Some(black), Some(white)) => format!("先手{black}／後手{white}"),
        _ => controls.to_string(),
    };
    if parse(&text) == Some(*controls) { text } else { controls.to_string() }
}

fn one(text: &str) -> Option<TimeControl> {
    let mut rest = trim(text);
    if rest == "無制限" {
        return Some(TimeControl::UNLIMITED);
    }
    let mut control = TimeControl::sudden_death(Duration::ZERO);
    if let Some((main, after)) = duration(rest) {
        control.total = Some(main);
        rest = after;
    }
    let mut has_part = rest.len() < trim(text).len();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "、,・+＋".contains(c));
        if rest.is_empty() {
            return has_part.then_some(control);
        }
        if let Some(after) = rest.strip_prefix("切れ負け") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("最低") {
            (control.least, rest) = duration(after)?;
        } else {
            let after =
                strip_any(rest, &["切れたら1手", "切れたら１手", "秒読み", "1手", "１手", "一手"]);
            let (time, after) = duration(after.unwrap_or(rest))?;
            rest = after;
            if let Some(after) = strip_any(rest, &["加算", "追加"]) {
                (control.increment, rest) = (time, after);
            } else {
                control.byoyomi = time;
                rest = strip_any(rest, &["の秒読み", "秒読み", "未満", "以内"]).unwrap_or(rest);
            }
        }
        has_part = true;
    }
}

fn strip_any<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    words.iter().find_map(|word| text.strip_prefix(word))
}

/// Reads a duration at the beginning, each unit at most once: `1時間30分`, `0.5秒`.
fn duration(text: &str) -> Option<(Duration, &str)> {
    let mut rest = text;
    let mut total = None::<Duration>;
    for (names, seconds) in [(&["時間"][..], 3600), (&["分間", "分"], 60), (&["秒"], 1)] {
        let Some((amount, after)) = amount(rest) else { break };
        let Some(after) = strip_any(after, names) else { continue };
        let time = amount.checked_mul(seconds)?;
        total = Some(total.unwrap_or_default().checked_add(time)?);
        rest = after;
    }
    let total = total.filter(|total| *total <= TimeControl::LONGEST)?;
    Some((total, rest))
}

/// A number with or without a fraction, as a number of seconds.
fn amount(text: &str) -> Option<(Duration, &str)> {
    let (whole, length) = number(text)?;
    let mut rest = &text[length..];
    let mut nanos = 0;
    if let Some(fraction) = rest.strip_prefix(['.', '．']) {
        let mut scale = 100_000_000;
        let mut length = 0;
        for c in fraction.chars() {
            let Some(digit) = arabic(c) else { break };
            if scale == 0 {
                return None;
            }
            nanos += u32::from(digit) * scale;
            scale /= 10;
            length += c.len_utf8();
        }
        rest = &fraction[length..];
    }
    Some((Duration::new(whole, nanos), rest))
}

/// A control in words; `None` if it cannot be expressed.
fn words(control: &TimeControl) -> Option<String> {
    if *control == TimeControl::UNLIMITED {
        return Some("無制限".to_owned());
    }
    let mut text = length(control.total?);
    for (before, time, after) in [
        (" 秒読み", control.byoyomi, ""),
        (" 1手", control.increment, "加算"),
        (" 最低", control.least, ""),
    ] {
        if !time.is_zero() {
            let _ = write!(text, "{before}{}{after}", length(time));
        }
    }
    if control.byoyomi.is_zero() && control.increment.is_zero() {
        text.push_str("切れ負け");
    }
    Some(text)
}

fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    let mut text = String::new();
    for (amount, name) in [(seconds / 3600, "時間"), (seconds / 60 % 60, "分")] {
        if amount > 0 {
            let _ = write!(text, "{amount}{name}");
        }
    }
    if time.subsec_nanos() > 0 {
        let fraction = format!("{:09}", time.subsec_nanos());
        let _ = write!(text, "{}.{}秒", seconds % 60, fraction.trim_end_matches('0'));
    } else if !seconds.is_multiple_of(60) || seconds == 0 {
        let _ = write!(text, "{}秒", seconds % 60);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::strategy::any_control;
    use proptest::prelude::*;

    #[test]
    fn words_of_newspapers_and_servers_are_read() {
        for (text, expected) in [
            ("各25分", Some("1500")),
            ("6時間", Some("21600")),
            ("各１時間３０分", Some("5400")),
            ("20分切れ負け", Some("1200")),
            ("30分+30秒", Some("1800,byoyomi=30")),
            ("10分 切れたら1手30秒", Some("600,byoyomi=30")),
            ("10分、秒読み30秒", Some("600,byoyomi=30")),
            ("秒読み30秒", Some("0,byoyomi=30")),
            ("一手三十秒", Some("0,byoyomi=30")),
            ("1手30秒未満", Some("0,byoyomi=30")),
            ("5分 1手10秒加算", Some("300+10")),
            ("無制限", Some("none")),
            ("先手1時間／後手10分 秒読み5秒", Some("3600/600,byoyomi=5")),
            ("各6時間（チェスクロック使用）", None),
            ("25", None),
            ("10:00+30", None),
            ("早指し2(猶予1分)", None),
            ("99999999999999999999999999分", None),
            ("", None),
        ] {
            let controls = parse(text).map(|controls| controls.to_string());
            assert_eq!(controls.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn controls_are_written_in_words_where_there_are_any() {
        let text = |control: &str| format(&control.parse().unwrap());
        assert_eq!(text("1500"), "25分切れ負け");
        assert_eq!(text("3661,byoyomi=30"), "1時間1分1秒 秒読み30秒");
        assert_eq!(text("300+10,least=1"), "5分 1手10秒加算 最低1秒");
        assert_eq!(text("60/none"), "先手1分切れ負け／後手無制限");
        assert_eq!(text("600,unit=60,stopwatch"), "600,unit=60,stopwatch");
    }

    proptest! {
        #[test]
        fn written_controls_are_read_again(black in any_control(), white in any_control()) {
            for controls in [Controls { black, white }, Controls::both(black)] {
                prop_assert_eq!(parse(&format(&controls)), Some(controls));
            }
        }
    }
}
