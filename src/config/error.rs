//! What can be wrong with a configuration.

use std::{fmt, path::PathBuf};

/// A configuration that cannot be used. No message ever holds a password.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("reading {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Syntax, key or type: reading stopped at the first such fault.
    #[error("{0}")]
    Form(Fault),
    /// Values that are well-formed and wrong, all of them.
    #[error("{}", together(.0))]
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

/// One thing that is wrong: where, which key, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `config/local.toml:12`, `environment variable KYOMI_SERVER_PORT` or `--time`.
    pub place: String,
    /// Dotted key; empty where no key can be named.
    pub key: String,
    /// What is wrong and what would be right.
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

fn together(faults: &[Fault]) -> String {
    let told: Vec<String> = faults.iter().take(MOST_TOLD).map(Fault::to_string).collect();
    let told = told.join("; ");
    match faults.len().saturating_sub(MOST_TOLD) {
        0 => told,
        more => format!("{told}; and {more} more"),
    }
}

/// The number of faults that are shown at once.
const MOST_TOLD: usize = 40;
