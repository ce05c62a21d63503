//! Header lines `棋戦：…`, and the field that each belongs to.

use std::fmt::Write as _;

use crate::header::add_time;
use crate::{Header, JishogiRule, Omission, Omissions};
use kyomi_shogi::Color;
use kyomi_shogi::notation::japanese::side_name;

use super::numerals::{digits, trim};
use super::one_line::one_line;
use super::{clock, dates};

/// The key and the value of a header line. The value keeps its spaces.
pub(super) fn split(line: &str) -> Option<(&str, &str)> {
    let colon = line.char_indices().take(LONGEST_KEY).find(|(_, c)| matches!(c, '：' | ':'))?;
    let (at, colon) = colon;
    let key = trim(&line[..at]);
    is_key(key).then(|| (key, &line[at + colon.len_utf8()..]))
}

/// Whether a header may have this key: no spaces, no colon, no beginning of another kind of line.
fn is_key(key: &str) -> bool {
    let is_inner = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, ':' | '：');
    !key.is_empty()
        && key.chars().count() < LONGEST_KEY
        && key.chars().all(is_inner)
        && !key.starts_with(['*', '#', '&', '|', '+'])
        && !key.starts_with("まで")
        && !key.starts_with("変化")
        && !is_heading(key)
        && !key.starts_with(|c| super::words::side_mark(c).is_some())
        && !key.chars().all(|c| super::numerals::arabic(c).is_some())
        && super::words::scan(key).is_none()
}

/// Whether a line is the heading between headers and moves, `手数----指手--`, or gives the number of moves before the
/// start position, `手数＝33`. `手数：113手` is a header: the number of moves in all.
pub(super) fn is_heading(line: &str) -> bool {
    let after = line.strip_prefix(PLIES).map(|rest| rest.chars().next());
    after.flatten().is_some_and(|c| c.is_whitespace() || "-－‐―─━ー＝=".contains(c))
}

/// Whether this header line, after the moves of a game, begins another game.
pub(super) fn begins_game(key: &str, value: &str) -> bool {
    const FIRST: [&str; 9] =
        ["手合割", "開始日時", "対局日", "棋戦", "表題", "先手", "後手", "下手", "上手"];
    FIRST.contains(&key) || names_handicap(key, value)
}

/// Whether a header line names the handicap. The shorter keys may have other meanings.
pub(super) fn names_handicap(key: &str, value: &str) -> bool {
    match key {
        "手合割" | "手合い割り" | "手合割り" => true,
        "手合" | "手合い" => super::board::handicap(value).is_some(),
        _ => false,
    }
}

/// Reads a header line. A key without a field, a value that is not clear, and the second value of a field are kept
/// as text.
pub(super) fn read(header: &mut Header, key: &str, raw: &str) {
    let value = trim(raw);
    if key == NOTE {
        match &mut header.note {
            Some(note) => {
                note.push('\n');
                note.push_str(raw);
            }
            note => *note = Some(raw.to_owned()),
        }
        return;
    }
    // Programs write all keys they know, empty ones too.
    if value.is_empty() {
        return;
    }
    let texts = match key {
        "先手" | "下手" => Some(&mut header.black),
        "後手" | "上手" => Some(&mut header.white),
        EVENT => Some(&mut header.event),
        SITE => Some(&mut header.site),
        OPENING => Some(&mut header.opening),
        _ => None,
    };
    if let Some(field) = texts
        && field.is_none()
    {
        *field = Some(value.to_owned());
        return;
    }
    if !read_value(header, key, value) {
        header.other.push((key.to_owned(), value.to_owned()));
    }
}

/// Reads a field that has a form of its own. Returns whether it was understood.
fn read_value(header: &mut Header, key: &str, value: &str) -> bool {
    match key {
        START => dates::parse(value).is_some_and(|time| {
            if !add_time(&mut header.start_time, time) {
                match header.start_time.replace(time) {
                    // The day of another header, which is less exact.
                    Some(known) if known.time.is_none() => {
                        header.other.push((DAY.to_owned(), known.to_string()));
                    }
                    known => {
                        header.start_time = known;
                        return false;
                    }
                }
            }
            true
        }),
        DAY | "対局日時" => {
            dates::parse(value).is_some_and(|time| add_time(&mut header.start_time, time))
        }
        END => dates::parse(value).is_some_and(|time| add_time(&mut header.end_time, time)),
        TIME if header.controls.is_none() => {
            header.controls = clock::parse(value);
            header.controls.is_some()
        }
        MAX_MOVES if header.max_moves.is_none() => {
            let number = digits(value).filter(|(_, length)| {
                let unit = &value[*length..];
                unit.is_empty() || unit == "手"
            });
            header.max_moves = number.and_then(|(number, _)| u32::try_from(number).ok());
            header.max_moves.is_some()
        }
        JISHOGI if header.jishogi.is_none() => {
            header.jishogi = match value {
                "27点法" => Some(JishogiRule::Points27),
                "24点法" => Some(JishogiRule::Points24),
                _ => None,
            };
            header.jishogi.is_some()
        }
        _ => false,
    }
}

/// Completes the header after its last line.
pub(super) fn finish(header: &mut Header) {
    if header.note.as_deref() == Some("") {
        header.note = None;
    }
    join_controls(header);
}

/// Makes the controls of the first main time and the first byoyomi, which stand in two lines in either order. What is
/// not whole stays text.
fn join_controls(header: &mut Header) {
    if header.controls.is_some() {
        return;
    }
    let value = |wanted: &str| header.other.iter().position(|(key, _)| key == wanted);
    let (Some(time), Some(byoyomi)) = (value(TIME), value(BYOYOMI)) else { return };
    let after = clock::parse_byoyomi(&header.other[byoyomi].1);
    header.controls = after.and_then(|after| clock::parse_with(&header.other[time].1, Some(after)));
    if header.controls.is_some() {
        header.other.remove(time.max(byoyomi));
        header.other.remove(time.min(byoyomi));
    }
}

/// The header lines: those before the start position, and those after it.
pub(super) fn write(
    header: &Header,
    is_handicap: bool,
    omissions: &mut Omissions,
) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    if let Some(time) = header.start_time {
        line(&mut before, start_key(header), &time.to_string(), omissions);
    }
    if let Some(time) = header.end_time {
        line(&mut before, END, &time.to_string(), omissions);
    }
    for (key, value) in [(EVENT, &header.event), (SITE, &header.site), (OPENING, &header.opening)] {
        if let Some(value) = value {
            line(&mut before, key, value, omissions);
        }
    }
    if let Some(controls) = &header.controls {
        line(&mut before, TIME, &clock::format(controls), omissions);
    }
    if let Some(max_moves) = header.max_moves {
        line(&mut before, MAX_MOVES, &max_moves.to_string(), omissions);
    }
    if let Some(rule) = header.jishogi {
        let rule = match rule {
            JishogiRule::Points27 => "27点法",
            JishogiRule::Points24 => "24点法",
        };
        line(&mut before, JISHOGI, rule, omissions);
    }
    for (color, name) in [(Color::Black, &header.black), (Color::White, &header.white)] {
        // Kifu for Windows and others expect both lines.
        let name = name.as_deref().unwrap_or_default();
        line(&mut after, side_name(color, is_handicap), name, omissions);
    }
    for (key, value) in &header.other {
        // After the fields, because the first line of a key belongs to its field.
        if is_key(key) && !is_setup(key) && !names_handicap(key, value) {
            line(&mut after, key, value, omissions);
        } else {
            omissions.add(Omission::Header(key.clone()));
        }
    }
    // An empty note is read as none.
    if let Some(note) = header.note.as_deref().filter(|note| !note.is_empty()) {
        for part in note.split('\n') {
            line(&mut after, NOTE, part, omissions);
        }
    }
    (before, after)
}

/// The key of the start time: that of a day, if a time of day that could not be read is kept beside it.
pub(super) fn start_key(header: &Header) -> &'static str {
    if header.other.iter().any(|(key, _)| key == START) { DAY } else { START }
}

/// Whether a key belongs to the start position.
pub(super) fn is_setup(key: &str) -> bool {
    key == "手合割" || key == "手番" || hand_of(key).is_some()
}

/// The side whose hand a key names: `先手の持駒`.
pub(super) fn hand_of(key: &str) -> Option<Color> {
    let side = ["持駒", "持ち駒"].into_iter().find_map(|end| key.strip_suffix(end))?;
    match side.strip_suffix('の').unwrap_or(side) {
        "先手" | "下手" => Some(Color::Black),
        "後手" | "上手" => Some(Color::White),
        _ => None,
    }
}

fn line(text: &mut String, key: &str, value: &str, omissions: &mut Omissions) {
    let value = one_line(value, omissions);
    let value = if key == NOTE { &*value } else { trimmed(&value, omissions) };
    let _ = writeln!(text, "{key}：{value}");
}

/// A value without the spaces around it, which would not be read again.
pub(super) fn trimmed<'a>(value: &'a str, omissions: &mut Omissions) -> &'a str {
    let kept = trim(value);
    omissions.add_many(Omission::Characters, value.chars().count() - kept.chars().count());
    kept
}

/// The number of moves.
pub(super) const PLIES: &str = "手数";
pub(super) const START: &str = "開始日時";
const DAY: &str = "対局日";
const END: &str = "終了日時";
const EVENT: &str = "棋戦";
const SITE: &str = "場所";
const OPENING: &str = "戦型";
const TIME: &str = "持ち時間";
const BYOYOMI: &str = "秒読み";
const NOTE: &str = "備考";
const MAX_MOVES: &str = "最大手数";
const JISHOGI: &str = "持将棋規定";
/// In characters.
const LONGEST_KEY: usize = 40;
