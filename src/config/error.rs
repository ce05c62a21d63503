//! The errors of a configuration.

use std::{fmt, path::PathBuf};

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
        if self.key.is_empty() {
            write!(f, "{}: {}", self.place, self.problem)
        } else {
            write!(f, "{}: {}: {}", self.place, self.key, self.problem)
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

/// The largest number of faults in one message.
const MOST_SHOWN: usize = 40;
