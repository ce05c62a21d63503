//! The checks of single values. Faults and warnings are collected, so that a user sees all at once.

#![allow(clippy::needless_pass_by_value, reason = "a check takes the value of its key")]

use std::{
    collections::{HashMap, HashSet},
    io,
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroUsize,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::Duration,
};

use kyomi_csa::text::{Secret, nearest_word};
use kyomi_shogi::clock::DelayPolicy;

use super::{
    ConfigWarning,
    error::Fault,
    exposure::exposure,
    field::{Field, Lines, Origin, dotted},
    file::read_file,
    value::{self, DurationText, FromText, PonderText, SizeText},
};

#[derive(Default)]
pub(super) struct Check {
    pub(super) lines: Lines,
    /// Each with its offset in the file.
    faults: Vec<(Option<usize>, Fault)>,
    pub(super) warnings: Vec<ConfigWarning>,
    /// The origins of the keys that were read, by dotted key.
    origins: HashMap<String, Origin>,
}

impl Check {
    pub(super) fn new(lines: Lines, faults: Vec<Fault>, warnings: Vec<ConfigWarning>) -> Self {
        let faults = faults.into_iter().map(|fault| (None, fault)).collect();
        Self { lines, faults, warnings, origins: HashMap::new() }
    }

    /// The faults in the order of the file, then those without a line, and the warnings.
    pub(super) fn finish(mut self) -> (Vec<Fault>, Vec<ConfigWarning>) {
        self.faults.sort_by_key(|(offset, _)| offset.unwrap_or(usize::MAX));
        let mut faults: Vec<_> = self.faults.into_iter().map(|(_, fault)| fault).collect();
        // An account repeats the faults of the tables that it takes keys from.
        let mut seen = HashSet::new();
        faults.retain(|fault| seen.insert((fault.place.clone(), fault.problem.clone())));
        let mut seen = HashSet::new();
        self.warnings.retain(|warning| seen.insert(warning.clone()));
        (faults, self.warnings)
    }

    /// The converted value, or the default if the key is missing or its value is not valid; the latter adds a fault.
    pub(super) fn take<T, U>(
        &mut self,
        (table, key): (&str, &str),
        field: Option<Field<T>>,
        default: impl FnOnce() -> U,
        convert: impl FnOnce(T) -> Result<U, String>,
    ) -> U {
        let key = dotted(table, key);
        let Some(Field { value, origin }) = field else {
            self.origins.remove(&key);
            return default();
        };
        self.origins.insert(key.clone(), origin);
        convert(value).unwrap_or_else(|problem| {
            self.fault(&key, problem);
            default()
        })
    }

    /// The place of a key that was read.
    pub(super) fn place(&self, key: &str) -> Option<String> {
        self.origins.get(key).map(|origin| match origin {
            Origin::File(offset) => self.lines.place(*offset),
            Origin::External(source) => source.to_string(),
        })
    }

    /// Adds a fault at the key if it was read, otherwise in the file.
    pub(super) fn fault(&mut self, key: &str, problem: impl Into<String>) {
        self.fault_at(key, key, problem);
    }

    /// Adds a fault of `key` at the place of another.
    pub(super) fn fault_at(&mut self, at: &str, key: &str, problem: impl Into<String>) {
        let offset = match self.origins.get(at) {
            Some(Origin::File(offset)) => Some(*offset),
            _ => None,
        };
        let place = self.place(at).unwrap_or_else(|| self.lines.label.clone());
        self.faults.push((offset, Fault { place, key: key.to_owned(), problem: problem.into() }));
    }

    /// Warns if other users can read the file, which contains `what`; `None`: the configuration.
    pub(super) fn warn_of_exposure(&mut self, path: Option<&str>, what: &str) {
        let path = path.unwrap_or(&self.lines.label);
        self.warnings.extend(exposure(path.as_ref(), what));
    }

    /// A secret from `key` or from the first line of the file of `file_key`, whichever comes from the later layer; both
    /// in the same layer are a fault.
    pub(super) fn secret<T>(
        &mut self,
        [table, key, what]: [&str; 3],
        mut inline: Option<Field<String>>,
        mut file: Option<Field<String>>,
        read: impl Fn(String) -> Result<T, String>,
    ) -> Option<T> {
        let file_key = &format!("{key}_file");
        if let (Some(text), Some(path)) = (&inline, &file) {
            if text.is_in_file() == path.is_in_file() {
                self.take(
                    (table, file_key),
                    file.take(),
                    || (),
                    |_| Err(format!("there is a {key} as well; keep one of the two")),
                );
            } else if text.is_in_file() {
                inline = None;
            } else {
                file = None;
            }
        }
        let exposed = match (&inline, &file) {
            (_, Some(path)) => Some(Some(path.value.clone())),
            (Some(text), None) => text.is_in_file().then_some(None),
            (None, None) => None,
        };
        let inline = self.take((table, key), inline, || None, |text| read(text).map(Some));
        let filed = self.take(
            (table, file_key),
            file,
            || None,
            |path| {
                let line = first_line(path.as_ref())
                    .map_err(|problem| format!("{problem}; a {key} itself belongs into {key}"))?;
                read(line)
                    .map(Some)
                    .map_err(|problem| format!("the first line of the file: {problem}"))
            },
        );
        let secret = filed.or(inline);
        if let (Some(_), Some(path)) = (&secret, exposed) {
            self.warn_of_exposure(path.as_deref(), what);
        }
        secret
    }
}

/// A default value from its text in the table of the keys.
///
/// # Panics
/// The text is not valid, which no input can change.
pub(super) fn usual<T: FromText, U>(text: &str, convert: impl FnOnce(T) -> Result<U, String>) -> U {
    let value = T::from_text(text).map(convert).and_then(Result::ok);
    value.expect("the default of a key is valid")
}

/// `None` if the key is missing.
pub(super) fn some<T, U>(
    convert: impl FnOnce(T) -> Result<U, String>,
) -> impl FnOnce(T) -> Result<Option<U>, String> {
    |value| convert(value).map(Some)
}

/// A number of a range.
pub(super) fn whole<T: TryFrom<i64>>(
    range: RangeInclusive<i64>,
) -> impl FnOnce(i64) -> Result<T, String> {
    move |number| {
        let value = T::try_from(number).ok().filter(|_| range.contains(&number));
        value.ok_or_else(|| {
            format!("{number} is out of range; {} to {} is right", range.start(), range.end())
        })
    }
}

/// A number of threads or cores.
pub(super) fn cores(number: i64) -> Result<Option<NonZeroUsize>, String> {
    whole::<usize>(1..=1024)(number).map(NonZeroUsize::new)
}

/// A duration of a range in seconds.
pub(super) fn seconds(
    range: RangeInclusive<u64>,
) -> impl FnOnce(DurationText) -> Result<Duration, String> {
    move |DurationText(text)| {
        let (least, most) = range.into_inner();
        let duration = value::duration(&text)?;
        if !(Duration::from_secs(least)..=Duration::from_secs(most)).contains(&duration) {
            return Err(format!("{text:?} is out of range; {least}s to {most}s is right"));
        }
        if duration.subsec_nanos() % 1_000_000 != 0 {
            return Err(format!("{text:?} is finer than a millisecond"));
        }
        Ok(duration)
    }
}

/// A week, in seconds.
pub(super) const WEEK: u64 = 7 * 24 * 3600;

pub(super) fn network_delay(text: DurationText) -> Result<DelayPolicy, String> {
    if text.0.trim() == "auto" {
        return Ok(DelayPolicy::Auto);
    }
    let fixed = seconds(0..=60)(text).map(DelayPolicy::Fixed);
    fixed.map_err(|problem| format!("{problem}; or \"auto\""))
}

pub(super) fn table_size(SizeText(text): SizeText) -> Result<u64, String> {
    let bytes = value::size(&text)?;
    let fits = (1 << 20..=1 << 44).contains(&bytes);
    fits.then_some(bytes).ok_or_else(|| format!("{text:?} is out of range; 1MiB to 16TiB is right"))
}

/// As [`table_size`], or 0.
pub(super) fn log_size(text: SizeText) -> Result<u64, String> {
    if value::size(&text.0) == Ok(0) {
        return Ok(0);
    }
    table_size(text).map_err(|problem| match problem.strip_suffix("TiB is right") {
        Some(_) => format!("{problem}, 0B for no limit"),
        None => problem,
    })
}

/// One of the known words.
pub(super) fn choice<T: Copy>(
    known: impl AsRef<[(&'static str, T)]>,
) -> impl Fn(String) -> Result<T, String> {
    move |text| {
        let known = known.as_ref();
        if let Some((_, value)) = known.iter().find(|(name, _)| *name == text) {
            return Ok(*value);
        }
        let names = || known.iter().map(|(name, _)| *name);
        let all = list(names());
        Err(match nearest_word(&text.to_lowercase(), names()) {
            Some(near) => {
                format!("{text:?} is unknown; did you mean \"{near}\"? (known are {all})")
            }
            None => format!("{text:?} is unknown; known are {all}"),
        })
    }
}

pub(super) fn ponder(text: PonderText) -> Result<super::Ponder, String> {
    choice(super::Ponder::WORDS)(text.0.trim().to_owned())
}

/// `a, b or c`.
pub(super) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// A login name by the CSA server protocol, section "LOGIN"; the reference server also accepts `@` and `.`.
pub(super) fn login_name(text: String) -> Result<String, String> {
    let fine = |b: u8| b.is_ascii_alphanumeric() || b"_@.-".contains(&b);
    if (1..=32).contains(&text.len()) && text.bytes().all(fine) {
        return Ok(text);
    }
    // As in game_name(), a password may follow a comma.
    let shown = text.split(',').next().unwrap_or_default();
    Err(format!("{shown:?} is no login name; 1 to 32 of A-Z a-z 0-9 _ @ . - are right"))
}

/// A game name. Errors show nothing after a comma, since a password may follow it.
pub(super) fn game_name(text: String) -> Result<String, String> {
    if let Some((name, _)) = text.split_once(',') {
        return Err(format!("write {name:?} alone; what follows the comma belongs in password"));
    }
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic()) {
        return Ok(text);
    }
    Err(format!("{text:?} is no game name; write it as floodgate-300-10F, without blank or comma"))
}

pub(super) fn host(text: String) -> Result<String, String> {
    if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '/') {
        return Err(format!("{text:?} is no host; write a name or an address, the port apart"));
    }
    let port_inside = text.parse::<std::net::IpAddr>().is_err() && text.contains(':');
    if port_inside {
        return Err(format!("{text:?} is no host; the port goes into server.port"));
    }
    Ok(text)
}

pub(super) fn address(text: String) -> Result<SocketAddr, String> {
    let wrong = || format!("{text:?} is no address; write it as 0.0.0.0:4081, [::]:4081 or :4081");
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().map_err(|_| wrong())?;
    match host {
        "" | "*" => Ok((Ipv4Addr::UNSPECIFIED, port).into()),
        "localhost" => Ok((Ipv4Addr::LOCALHOST, port).into()),
        _ => Err(wrong()),
    }
}

/// The address of the page; an empty one is none.
pub(super) fn page_address(text: String) -> Result<Option<SocketAddr>, String> {
    let text = text.trim();
    if text.is_empty() { Ok(None) } else { address(text.to_owned()).map(Some) }
}

/// A password. The error messages never contain it.
pub(super) fn password(text: String) -> Result<Secret, String> {
    if text.is_empty() {
        Err("it is empty; servers require at least one letter".to_owned())
    } else if text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(Secret::new(text))
    } else {
        Err("a password is of printable ASCII without blanks".to_owned())
    }
}

/// The token of the page. Its characters need no escape in an address.
pub(super) fn token(text: String) -> Result<Secret, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if !(12..=128).contains(&text.len()) || !text.bytes().all(fits) {
        return Err("a token has 12 to 128 letters, digits, -, ., _ or ~".to_owned());
    }
    Ok(Secret::new(text))
}

/// An address of a web hook. The error does not contain it.
pub(super) fn hook_url(text: String) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let fits = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
    if fits && text.len() <= LONGEST_URL && text.bytes().all(|b| b.is_ascii_graphic()) {
        return Ok(text);
    }
    Err("it is no address of a web hook; it begins with https:// and a host".to_owned())
}

const LONGEST_URL: usize = 2048;

/// A word of the login at a broker. The error does not contain it.
pub(super) fn word(text: String) -> Result<String, String> {
    if !text.is_empty() && text.len() <= 256 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(text);
    }
    Err("it is of printable ASCII without blanks".to_owned())
}

pub(super) fn room(text: String) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=32).contains(&text.len()) && text.bytes().all(fits) {
        return Ok(text);
    }
    Err(format!("{text:?} is no name of a room; use 1 to 32 letters, digits, - and _"))
}

pub(super) fn worker_name(text: String) -> Result<String, String> {
    let text = text.trim();
    if (1..=60).contains(&text.chars().count()) && !text.contains(char::is_control) {
        return Ok(text.to_owned());
    }
    Err("a name has 1 to 60 characters on one line".to_owned())
}

pub(super) fn file_path(text: String) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("the path is empty".to_owned());
    }
    without_nul(text).map(PathBuf::from)
}

/// A path, or `None` for the word that stands for no file.
pub(super) fn path_or(none: &str) -> impl FnOnce(String) -> Result<Option<PathBuf>, String> {
    move |text| if text == none { Ok(None) } else { file_path(text).map(Some) }
}

fn without_nul(text: String) -> Result<String, String> {
    if text.contains('\0') {
        return Err(format!("{text:?} holds a character that no system takes"));
    }
    Ok(text)
}

/// The arguments of a program.
pub(super) fn arguments(texts: Vec<String>) -> Result<Vec<String>, String> {
    texts.into_iter().map(without_nul).collect()
}

/// A program and its arguments.
pub(super) fn command(texts: Vec<String>) -> Result<Vec<String>, String> {
    if texts.first().is_some_and(String::is_empty) {
        return Err("the first text is the program; it is empty".to_owned());
    }
    arguments(texts)
}

/// Each text read on its own.
pub(super) fn each<T>(
    read: impl Fn(String) -> Result<T, String>,
) -> impl FnOnce(Vec<String>) -> Result<Vec<T>, String> {
    move |texts| texts.into_iter().map(read).collect()
}

pub(super) fn time_of_day(text: String) -> Result<jiff::civil::Time, String> {
    jiff::civil::Time::strptime("%H:%M", text.trim())
        .map_err(|_| format!("{text:?} is no time of day; write it as \"23:00\""))
}

/// The name of a record, with placeholders between braces.
pub(super) fn template(text: String) -> Result<String, String> {
    let known = list(PLACEHOLDERS);
    if text.trim().is_empty() {
        return Err(format!("the name is empty; use {known} between braces"));
    }
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let after = rest[at..].strip_prefix('{').and_then(|after| after.split_once('}'));
        let Some((name, behind)) = after else {
            return Err(format!("{text:?} has a brace without its partner"));
        };
        if !PLACEHOLDERS.contains(&name) {
            return Err(format!("{{{name}}} is unknown; known are {known}"));
        }
        rest = behind;
    }
    Ok(text)
}

/// The names that `records.name` may contain between braces; a record has its own values there.
const PLACEHOLDERS: [&str; 6] = ["datetime", "date", "time", "black", "white", "event"];

/// The first line of a file that holds a secret. The error shows neither the path, which may be the secret under the
/// wrong key, nor the content.
fn first_line(path: &Path) -> Result<String, String> {
    let no_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text");
    let read = read_file(path).and_then(|it| String::from_utf8(it).map_err(no_utf8));
    let text = read.map_err(|error| format!("reading the file it names: {error}"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
