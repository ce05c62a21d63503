//! A warning about a configuration.

use std::fmt;

/// A warning about a configuration that can be used all the same. It is shown in one line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConfigWarning {
    /// What was found.
    pub text: String,
    /// The remedy, if the text does not contain it.
    pub remedy: Option<String>,
}

impl From<String> for ConfigWarning {
    fn from(text: String) -> Self {
        Self { text, remedy: None }
    }
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, remedy } = self;
        match remedy {
            Some(remedy) => write!(f, "{text}; {remedy}"),
            None => write!(f, "{text}"),
        }
    }
}
