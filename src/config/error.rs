//! The errors of a configuration.

use std::{borrow::Cow, fmt, path::PathBuf};

/// A configuration that cannot be used. No message ever holds a password.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("reading {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// A fault of syntax, key or type. Reading stops at the first one.
    #[error("{0}")]
    Form(Fault),
    /// All values that are well-formed but not valid.
    #[error("{}", joined(.0))]
    Values(Vec<Fault>),
}

impl ConfigError {
    /// A hint beyond the error itself, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("the folder config/ has one file per use".to_owned())
            }
            Self::Read { .. } | Self::Form(_) | Self::Values(_) => None,
        }
    }
}

/// One fault: its place, its key, and what is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `config/local.toml:12`, `environment variable KYOMI_SERVER_PORT` or `--time`.
    pub place: String,
    /// The dotted key; empty if no key can be named.
    pub key: String,
    /// What is wrong, and what is expected.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, key, problem } = self;
        let (key, problem) = (shortened(key, LONGEST_KEY), shortened(problem, LONGEST_PROBLEM));
        if key.is_empty() {
            write!(f, "{place}: {problem}")
        } else {
            write!(f, "{place}: {key}: {problem}")
        }
    }
}

fn joined(faults: &[Fault]) -> String {
    let shown: Vec<String> = faults.iter().take(MOST_SHOWN).map(Fault::to_string).collect();
    let shown = shown.join("; ");
    match faults.len().saturating_sub(MOST_SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// A text without its middle if it has more than `most` characters: what is expected is at the end of a message, after
/// the value.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    let Some((cut, _)) = text.char_indices().nth(most) else { return Cow::Borrowed(text) };
    let first = text[..cut].chars().take(most / 2).collect::<String>();
    let last = text.char_indices().rev().nth((most / 2).saturating_sub(1)).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{first} … {}", &text[last..]))
}

/// The number of characters of the longest key and of the longest problem that are shown whole.
const LONGEST_KEY: usize = 100;
const LONGEST_PROBLEM: usize = 600;
/// The largest number of faults in one message.
const MOST_SHOWN: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_key_and_a_long_value_are_not_shown_whole() {
        let long = "あ".repeat(1 << 20);
        let fault = Fault {
            place: "x.toml:1".to_owned(),
            key: long.clone(),
            problem: format!("{long:?} is out of range; 1 to 9 is right"),
        };
        let shown = fault.to_string();
        assert!(shown.starts_with("x.toml:1: あああ") && shown.ends_with("; 1 to 9 is right"));
        assert!(shown.chars().count() < 800, "{}", shown.len());
        let short = Fault { key: "a.b".to_owned(), problem: "unknown key".to_owned(), ..fault };
        assert_eq!(short.to_string(), "x.toml:1: a.b: unknown key");
        assert_eq!(shortened("123456", 4), "12 … 56");
        assert_eq!(shortened("1234", 4), "1234");
    }
}
