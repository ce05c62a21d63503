//! Time controls in words: `10分切れ負け`, `1時間 秒読み30秒`, `5分 1手10秒加算`, and as ShogiHome writes them: `5:00+10`,
//! `300+0+5`.
//!
//! `6時間` alone is no control: it does not say what happens when the time is used up.

use std::fmt::Write as _;
use std::time::Duration;

use kyomi_shogi::clock::{Controls, TimeControl};

use super::numerals::{arabic, number, trim};

/// The controls that a text means; `None` if it is not clear, or only the main time of one.
pub(super) fn parse(text: &str) -> Option<Controls> {
    parse_with(text, None)
}

/// The controls of a text that may state the main time alone, with the byoyomi that another line states.
pub(super) fn parse_with(text: &str, byoyomi: Option<Duration>) -> Option<Controls> {
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
        return Some(Controls { black: one(black, byoyomi)?, white: one(white, byoyomi)? });
    }
    if let Some(control) = numbers(text) {
        return byoyomi.is_none().then(|| Controls::both(control));
    }
    Some(Controls::both(one(text.strip_prefix('各').unwrap_or(text), byoyomi)?))
}

/// The forms of ShogiHome: minutes, seconds and byoyomi (`5:00+10`), or total, byoyomi and increment in seconds.
fn numbers(text: &str) -> Option<TimeControl> {
    let seconds = |text: &str| {
        let (amount, length) = number(text)?;
        (length == text.len()).then(|| Duration::from_secs(amount))
    };
    let control = if let [total, byoyomi, increment] = text.split('+').collect::<Vec<_>>()[..] {
        let byoyomi = TimeControl::byoyomi(seconds(total)?, seconds(byoyomi)?);
        TimeControl { increment: seconds(increment)?, ..byoyomi }
    } else {
        let (total, byoyomi) = text.split_once('+')?;
        let (minutes, rest) = total.split_once(':')?;
        let rest = seconds(rest).filter(|rest| rest.as_secs() < 60)?;
        let total = seconds(minutes)?.checked_mul(60)?.checked_add(rest)?;
        TimeControl::byoyomi(total, seconds(byoyomi)?)
    };
    // 00:10 may be minutes and seconds, or hours and minutes as in CSA.
    let is_clear = !text.starts_with("00:") && !text.starts_with("0:");
    let is_possible = |time: &Duration| is_clear && *time <= TimeControl::LONGEST;
    let times = [control.main_time(), control.byoyomi, control.increment];
    times.iter().all(is_possible).then_some(control)
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

/// One side's control; `None` if the text has a main time alone and there is no `byoyomi` for it.
fn one(text: &str, byoyomi: Option<Duration>) -> Option<TimeControl> {
    let mut rest = trim(text);
    if rest == "無制限" {
        return Some(TimeControl::UNLIMITED);
    }
    let mut control = TimeControl::sudden_death(Duration::ZERO);
    if let Some((main, after)) = duration(rest) {
        control.total = Some(main);
        rest = after;
    }
    // What happens after the main time.
    let mut is_whole = false;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "、,・+＋()（）".contains(c));
        if rest.is_empty() {
            return match byoyomi {
                Some(byoyomi) if !is_whole => Some(TimeControl { byoyomi, ..control }),
                Some(_) => None,
                None => is_whole.then_some(control),
            };
        }
        if let Some(after) = rest.strip_prefix("切れ負け") {
            (rest, is_whole) = (after, true);
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
            is_whole = true;
        }
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
    use crate::strategy::any_control;
    use proptest::prelude::*;

    #[test]
    fn words_of_newspapers_and_servers_are_read() {
        for (text, expected) in [
            ("各25分", None),
            ("6時間", None),
            ("各１時間３０分切れ負け", Some("5400")),
            ("６時間", None),
            ("0分", None),
            ("0秒 秒読み10秒", Some("0,byoyomi=10")),
            ("5:00+10", Some("300,byoyomi=10")),
            ("120:30+00", Some("7230")),
            ("5:60+10", None),
            ("00:10+30", None),
            ("5分（切れ負け）", Some("300")),
            ("30+0+5", Some("30+5")),
            ("600+30+0", Some("600,byoyomi=30")),
            ("30+0", None),
            ("30+0+5+1", None),
            ("99999999999999999:00+1", None),
            ("20分切れ負け", Some("1200")),
            ("30分+30秒", Some("1800,byoyomi=30")),
            ("10分 切れたら1手30秒", Some("600,byoyomi=30")),
            ("10分、秒読み30秒", Some("600,byoyomi=30")),
            ("秒読み30秒", Some("0,byoyomi=30")),
            ("一手三十秒", Some("0,byoyomi=30")),
            ("1手30秒未満", Some("0,byoyomi=30")),
            ("5分 1手10秒加算", Some("300+10")),
            ("無制限", Some("none")),
            ("先手1時間切れ負け／後手10分 秒読み5秒", Some("3600/600,byoyomi=5")),
            ("先手1時間／後手10分 秒読み5秒", None),
            ("各6時間（チェスクロック使用）", None),
            ("25", None),
            ("10:00+30", Some("600,byoyomi=30")),
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
