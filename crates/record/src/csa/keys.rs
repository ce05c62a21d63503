//! The `$` keys, and the comments that shogi-server writes in place of keys.

use std::fmt::Write as _;
use std::time::Duration;

use crate::header::add_time;
use crate::{Header, JishogiRule, Omission, Omissions, RecordTime};
use kyomi_shogi::clock::{Controls, TimeControl, parse_spent};

use super::statement::protect;
use super::version::Version;

/// Reads a key into the header. Returns `false` if its value cannot be read; the text is kept then.
pub(super) fn read_key(header: &mut Header, key: &str, value: &str) -> bool {
    let mut text = |field: fn(&mut Header) -> &mut Option<String>, value: String| {
        let field = field(header);
        // The second value of a field is kept as a key.
        let is_free = field.is_none();
        if is_free {
            *field = Some(value);
        }
        is_free
    };
    let understood = match key {
        _ if value.trim().is_empty() => true,
        "EVENT" if text(|header| &mut header.event, value.to_owned()) => true,
        "SITE" if text(|header| &mut header.site, value.to_owned()) => true,
        "OPENING" if text(|header| &mut header.opening, value.to_owned()) => true,
        "NOTE" if text(|header| &mut header.note, unescape(value)) => true,
        "START_TIME" => {
            RecordTime::parse(value).is_some_and(|time| add_time(&mut header.start_time, time))
        }
        "END_TIME" => {
            RecordTime::parse(value).is_some_and(|time| add_time(&mut header.end_time, time))
        }
        "TIME" => set_controls(header, Side::Both, parse_time(value)),
        "TIME+" | "TIMET+" => set_controls(header, Side::Black, parse_time(value)),
        "TIME-" | "TIMET-" => set_controls(header, Side::White, parse_time(value)),
        "TIME_LIMIT" => set_controls(header, Side::Both, parse_time_limit(value)),
        "MAX_MOVES" => set(&mut header.max_moves, value.trim().parse().ok()),
        "JISHOGI" => set(&mut header.jishogi, parse_jishogi(value)),
        _ => {
            header.other.push((key.to_owned(), value.to_owned()));
            return true;
        }
    };
    if !understood {
        header.other.push((key.to_owned(), value.to_owned()));
    }
    understood
}

/// Reads a comment (without `'`) of the header that has the meaning of a key: settings of shogi-server, or the clock
/// line of this program. Returns `false` for an ordinary comment.
pub(super) fn read_comment_key(header: &mut Header, comment: &str) -> bool {
    if let Some(clock) = comment.strip_prefix(CLOCK) {
        return set(&mut header.controls, clock.trim().parse().ok());
    }
    if let Some((key, value)) = comment.strip_prefix('$').and_then(|text| text.split_once(':')) {
        // A comment that cannot be read stays a comment, so it is tried on an empty header first.
        let is_known = matches!(key, "TIME" | "TIME+" | "TIME-" | "MAX_MOVES" | "JISHOGI" | "NOTE");
        return is_known
            && read_key(&mut Header::default(), key, value)
            && read_key(header, key, value);
    }
    if let Some((key, value)) = comment.strip_prefix(KEY).and_then(|text| text.split_once(':')) {
        header.other.push((key.to_owned(), value.to_owned()));
        return true;
    }
    if let Some(limit) = comment.strip_prefix("Max_Moves:") {
        return limit.trim().parse().is_ok_and(|limit: u32| {
            header.max_moves = Some(limit).filter(|limit| *limit > 0);
            true
        });
    }
    false
}

/// Reads the last comment (without `'`) of shogi-server, which follows the end of the game.
pub(super) fn read_end_comment(header: &mut Header, comment: &str) -> bool {
    comment
        .strip_prefix("$END_TIME:")
        .and_then(RecordTime::parse)
        .is_some_and(|time| add_time(&mut header.end_time, time))
}

/// Completes the time control from what shogi-server writes: from the game id, for a header without a control, and
/// from comments, for what `$TIME_LIMIT` and the id leave out.
pub(crate) fn derive_controls(header: &mut Header) {
    if header.controls.is_none() {
        let control = header.event.as_deref().and_then(control_of_game_id);
        header.controls = control.map(Controls::both);
    }
    let Some(controls) = &mut header.controls else { return };
    for comment in &header.comments {
        let seconds_of = |name: &str| comment.strip_prefix(name).and_then(seconds);
        for control in [&mut controls.black, &mut controls.white] {
            if let Some(least) = seconds_of("Least_Time_Per_Move:")
                && control.least.is_zero()
            {
                control.least = least;
            }
            if let Some(increment) = seconds_of("Increment:")
                && control.increment.is_zero()
                && control.byoyomi.is_zero()
                && control.total.is_some()
            {
                control.increment = increment;
            }
        }
    }
}

/// The time control in a game id of shogi-server: `event+name-TOTAL-BYOYOMI[F]+black+white+date`.
fn control_of_game_id(id: &str) -> Option<TimeControl> {
    let fields: Vec<&str> = id.split('+').take(6).collect();
    let [_, game, _, _, _] = fields[..] else { return None };
    let mut parts = game.rsplit('-').skip_while(|part| matches!(*part, "B" | "W"));
    let (second, first) = (parts.next()?, parts.next()?);
    parts.next()?;
    let total = seconds(first)?;
    match second.strip_suffix('F') {
        Some(increment) => Some(TimeControl::fischer(total, seconds(increment)?)),
        None if second.len() > 1 && second.starts_with('0') => {
            let unit = seconds(second)?;
            (!unit.is_zero()).then(|| TimeControl::stop_watch(total, unit))
        }
        None => Some(TimeControl::byoyomi(total, seconds(second)?)),
    }
}

/// Writes the keys of a header, in the order of the format, without the names of the players.
pub(super) fn write_keys(
    text: &mut String,
    header: &Header,
    version: Version,
    omissions: &mut Omissions,
) {
    let mut key = |name: &str, value: &str| {
        // Keys that only 3.0 has are comments in 2.2.
        let is_new = version == Version::V22
            && (name.starts_with("TIME") && name != "TIME_LIMIT"
                || matches!(name, "MAX_MOVES" | "JISHOGI" | "NOTE"));
        let sign = if is_new { "'$" } else { "$" };
        let _ = writeln!(text, "{sign}{name}:{}", protect(value, omissions));
    };
    for (name, value) in [("EVENT", &header.event), ("SITE", &header.site)] {
        if let Some(value) = value {
            key(name, value);
        }
    }
    for (name, value) in [("START_TIME", header.start_time), ("END_TIME", header.end_time)] {
        if let Some(value) = value {
            key(name, &value.to_string());
        }
    }
    if let Some(controls) = &header.controls {
        for (name, value) in control_keys(controls, version) {
            key(name, &value);
        }
    }
    if let Some(limit) = header.max_moves {
        key("MAX_MOVES", &limit.to_string());
    }
    if let Some(rule) = header.jishogi {
        let points = match rule {
            JishogiRule::Points27 => "27",
            JishogiRule::Points24 => "24",
        };
        key("JISHOGI", points);
    }
    if let Some(opening) = &header.opening {
        key("OPENING", opening);
    }
    if let Some(note) = &header.note {
        key("NOTE", &escape(note));
    }
    for (name, value) in &header.other {
        write_other_key(text, name, value, omissions);
    }
    if let Some(controls) = &header.controls
        && !fits_keys(controls)
    {
        let _ = writeln!(text, "'{CLOCK}{controls}");
    }
}

/// The keys of the time controls, and their values.
fn control_keys(controls: &Controls, version: Version) -> Vec<(&'static str, String)> {
    if version == Version::V22
        && controls.are_equal()
        && let Some(limit) = format_time_limit(&controls.black)
    {
        return vec![("TIME_LIMIT", limit)];
    }
    let sides = if controls.are_equal() {
        vec![("TIME", &controls.black)]
    } else {
        vec![("TIME+", &controls.black), ("TIME-", &controls.white)]
    };
    sides
        .into_iter()
        .filter(|(_, control)| control.total.is_some())
        .map(|(name, control)| (name, format_time(control)))
        .collect()
}

/// Writes a key that this program does not know.
fn write_other_key(text: &mut String, name: &str, value: &str, omissions: &mut Omissions) {
    if !name.is_empty() && name.bytes().all(super::statement::is_key_byte) {
        // A key of 3.0 here had a value that was not understood. It stays a key in 2.2: as a comment it would not be
        // kept.
        let _ = writeln!(text, "${name}:{}", protect(value, omissions));
        return;
    }
    // Keys of other formats, with characters that keys of this format do not have.
    let plain = |text: &str| text.replace(|c: char| c.is_control(), " ");
    let (key, printed) = (plain(name).replace(':', ";"), plain(value));
    if key != name || printed != value {
        omissions.add(Omission::Header(name.to_owned()));
    }
    let _ = writeln!(text, "'{KEY}{key}:{printed}");
}

/// Whether the keys hold the complete controls: whole seconds, rounded down, and no further settings.
fn fits_keys(controls: &Controls) -> bool {
    [&controls.black, &controls.white].into_iter().all(|control| {
        control.total.is_some()
            && parse_time(&format_time(control)).is_some_and(|read| read == *control)
    })
}

/// `HH:MM+SS`; `None` if that is not the complete control.
fn format_time_limit(control: &TimeControl) -> Option<String> {
    let (total, byoyomi) = (control.total?, control.byoyomi);
    let minutes = total.as_secs() / 60;
    let text = format!("{:02}:{:02}+{:02}", minutes / 60, minutes % 60, byoyomi.as_secs());
    (parse_time_limit(&text)? == *control).then_some(text)
}

fn format_time(control: &TimeControl) -> String {
    format!(
        "{}+{}+{}",
        format_seconds(control.main_time()),
        format_seconds(control.byoyomi),
        format_seconds(control.increment)
    )
}

/// Seconds, with milliseconds only when needed.
pub(super) fn format_seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => time.as_secs().to_string(),
        millis => {
            let fraction = format!("{millis:03}");
            format!("{}.{}", time.as_secs(), fraction.trim_end_matches('0'))
        }
    }
}

/// `<total>+<byoyomi>+<increment>` in seconds.
fn parse_time(value: &str) -> Option<TimeControl> {
    let mut parts = value.trim().split('+').map(seconds);
    let (total, byoyomi, increment) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() {
        return None;
    }
    Some(TimeControl { increment, ..TimeControl::byoyomi(total, byoyomi) })
}

/// `HH:MM+SS`. Without the byoyomi it is not said what follows the main time.
fn parse_time_limit(value: &str) -> Option<TimeControl> {
    let (total, byoyomi) = value.trim().split_once('+')?;
    let (hours, minutes) = total.split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.trim().parse().ok()?, minutes.trim().parse().ok()?);
    let total = Duration::from_secs(u64::from(hours) * 3600 + u64::from(minutes) * 60);
    (total <= TimeControl::LONGEST).then_some(TimeControl::byoyomi(total, seconds(byoyomi)?))
}

fn parse_jishogi(value: &str) -> Option<JishogiRule> {
    match value.trim() {
        "27" => Some(JishogiRule::Points27),
        "24" => Some(JishogiRule::Points24),
        _ => None,
    }
}

/// Seconds with or without a fraction, up to the longest time a control may have. Times of records have whole
/// milliseconds.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let time = parse_spent(text, Duration::from_secs(1))?;
    Some(Duration::from_millis(u64::try_from(time.as_millis()).ok()?))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Black,
    White,
}

fn set_controls(header: &mut Header, side: Side, control: Option<TimeControl>) -> bool {
    let Some(control) = control else { return false };
    let controls = header.controls.get_or_insert_with(Controls::default);
    if side != Side::White {
        controls.black = control;
    }
    if side != Side::Black {
        controls.white = control;
    }
    true
}

fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let understood = value.is_some();
    if understood {
        *field = value;
    }
    understood
}

fn escape(note: &str) -> String {
    note.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            c => text.push(c),
        }
    }
    text
}

/// The comment line of this program for controls that the keys cannot hold.
const CLOCK: &str = "*clock ";
/// The comment line of this program for a key that the format cannot have.
const KEY: &str = "*key ";
