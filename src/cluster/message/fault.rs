//! The errors of messages that cannot be read.

use std::mem::{Discriminant, discriminant};

use crate::cluster::transport::LONGEST_MESSAGE;

/// The version of these messages. Machines of different versions do not work together.
pub const VERSION: u32 = 3;

/// Why a message was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is longer than [`LONGEST_MESSAGE`].
    #[error("it has {0} bytes, more than {LONGEST_MESSAGE}")]
    Long(usize),
    /// It has another version.
    #[error("it has version {0} of the messages, this program has {VERSION}")]
    Version(u32),
    /// It is not JSON of this form.
    #[error("{0}")]
    Form(String),
    /// A field has an invalid value.
    #[error("{field} is not valid: {value}")]
    Field {
        /// The field.
        field: &'static str,
        /// The beginning of its value.
        value: String,
    },
}

/// The kinds of message errors that the user was already warned about: there is one warning for each kind.
#[derive(Debug, Default)]
pub(in crate::cluster) struct WarnedFaults(Vec<Discriminant<MessageError>>);

impl WarnedFaults {
    /// Remembers the kind of an error. Returns whether it is the first one of its kind.
    pub(in crate::cluster) fn note(&mut self, error: &MessageError) -> bool {
        let kind = discriminant(error);
        let is_new = !self.0.contains(&kind);
        if is_new {
            self.0.push(kind);
        }
        is_new
    }
}

impl MessageError {
    pub(in crate::cluster) fn field(field: &'static str, value: impl std::fmt::Display) -> Self {
        Self::Field { field, value: printable(&value.to_string(), 60) }
    }
}

/// The text on one line, without control characters, at most this number of characters.
pub(in crate::cluster) fn printable(text: &str, most: usize) -> String {
    text.chars().filter(|it| !it.is_control()).take(most).collect()
}
