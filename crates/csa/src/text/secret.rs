//! A secret text that is never printed.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A password: both `Debug` and `Display` print `***`.
///
/// ```
/// let secret = kyomi_csa::text::Secret::new("open sesame");
/// assert_eq!(format!("{secret} {secret:?}"), "*** ***");
/// assert_eq!(secret.expose(), "open sesame");
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text that must never reach a log, an error or a record.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the line that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether a text is this one. The time does not depend on where they differ, or on their lengths.
    ///
    /// ```
    /// let secret = kyomi_csa::text::Secret::new("open sesame");
    /// assert!(secret.matches("open sesame") && !secret.matches("open sesam"));
    /// ```
    pub fn matches(&self, given: &str) -> bool {
        let [wanted, given] = [self.0.as_str(), given].map(Sha256::digest);
        wanted.iter().zip(&given).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
