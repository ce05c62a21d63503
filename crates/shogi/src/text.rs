//! Small forms of text: shortened input, numbers of things, lists of settings.

use std::fmt;

/// The beginning of a text, without control characters and short enough for a message.
pub(crate) fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(24).filter(|c| !c.is_control()).collect();
    if text.chars().nth(24).is_some() {
        clipped.push('…');
    }
    clipped
}

/// A number of things in words.
///
/// ```
/// use kyomi_shogi::text::counted;
/// assert_eq!([0, 1, 2].map(|number| counted(number, "game")), ["0 games", "1 game", "2 games"]);
/// assert_eq!(counted(2, "ply"), "2 plies");
/// ```
pub fn counted(number: impl fmt::Display, what: &str) -> String {
    let number = number.to_string();
    match what.strip_suffix('y') {
        _ if number == "1" => format!("{number} {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {what}s"),
    }
}

/// One of a list of [`settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<'a> {
    /// The whole setting, for messages.
    pub text: &'a str,
    /// The text before the first `=`, or the whole text.
    pub key: &'a str,
    /// The text after it; `None` for a word alone.
    pub value: Option<&'a str>,
}

/// The settings of a text such as `byoyomi=10,stopwatch`. Blanks around keys and values do not count.
///
/// ```
/// use kyomi_shogi::text::settings;
/// let settings = settings("byoyomi = 10, stopwatch").map(|setting| (setting.key, setting.value));
/// assert_eq!(settings.collect::<Vec<_>>(), [("byoyomi", Some("10")), ("stopwatch", None)]);
/// ```
pub fn settings(text: &str) -> impl Iterator<Item = Setting<'_>> {
    text.split(',').map(str::trim).map(|text| match text.split_once('=') {
        Some((key, value)) => Setting { text, key: key.trim(), value: Some(value.trim()) },
        None => Setting { text, key: text, value: None },
    })
}
