//! Messages as JSON with a version, and checks of their fields.

use serde::{Deserialize, Serialize};

use super::fault::{MessageError, VERSION, printable};
use crate::cluster::{subject::is_token, transport::LONGEST_MESSAGE};

pub(super) fn token(field: &'static str, value: &str) -> Result<(), MessageError> {
    if is_token(value) { Ok(()) } else { Err(MessageError::field(field, value)) }
}

pub(super) fn number(field: &'static str, value: u64) -> Result<(), MessageError> {
    if value <= LARGEST_NUMBER { Ok(()) } else { Err(MessageError::field(field, value)) }
}

/// A message with the version of the protocol.
#[derive(Serialize)]
struct Versioned<'a, T> {
    v: u32,
    #[serde(flatten)]
    message: &'a T,
}

pub(super) fn write<T: Serialize>(message: &T) -> Vec<u8> {
    // Serialization to JSON only fails for maps with keys other than strings, which these messages do not have.
    serde_json::to_vec(&Versioned { v: VERSION, message }).unwrap_or_default()
}

pub(super) fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, MessageError> {
    if bytes.len() > LONGEST_MESSAGE {
        return Err(MessageError::Long(bytes.len()));
    }
    let form = |error: serde_json::Error| MessageError::Form(printable(&error.to_string(), 120));
    let mut value: serde_json::Value = serde_json::from_slice(bytes).map_err(form)?;
    let fields = value.as_object_mut();
    let version = fields.and_then(|fields| fields.remove("v")).and_then(|it| it.as_u64());
    match version {
        Some(version) if version == u64::from(VERSION) => {
            serde_json::from_value(value).map_err(form)
        }
        Some(version) => Err(MessageError::Version(version.try_into().unwrap_or(u32::MAX))),
        None => Err(MessageError::Form("it has no version".to_owned())),
    }
}

/// The largest valid job number, number of nodes, nodes per second and table size in bytes.
pub(crate) const LARGEST_NUMBER: u64 = 1 << 50;
