//! What joins machines: short messages by subject, at most once.
//!
//! [`Transport`] is all that the code above knows. A message may be lost, come twice, late, or from somebody who lies:
//! every answer has a deadline, and every message is checked by its reader.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

/// A message that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// The subject it was published on.
    pub subject: String,
    /// Its bytes. Of a message that is longer than [`LONGEST_MESSAGE`] they are the beginning, one byte longer than that:
    /// no reader takes it, but it can be told who sent it.
    pub payload: Vec<u8>,
}

impl Incoming {
    /// A message as it came.
    pub(super) fn new(subject: &str, payload: &[u8]) -> Self {
        let payload = payload.get(..=LONGEST_MESSAGE).unwrap_or(payload);
        Self { subject: subject.to_owned(), payload: payload.to_vec() }
    }
}

/// The messages on one subject. Dropping it ends the subscription.
pub type Subscription = mpsc::Receiver<Incoming>;

/// Whether messages reach the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Not connected yet.
    Connecting,
    /// Messages are sent and received.
    Connected,
    /// The connection is lost, with the reason; it is tried again.
    Lost(String),
}

/// Joins machines.
pub trait Transport: Send + Sync + std::fmt::Debug {
    /// Publishes a message. Never blocks. Without a connection, or to nobody, the message is lost.
    fn publish(&self, subject: &str, payload: Vec<u8>);

    /// The messages on a subject from now on, in which a part `*` stands for any one part. At most [`MOST_WAITING`] wait
    /// to be read; the rest is lost. A lost connection does not end it.
    fn subscribe(&self, subject: &str) -> Subscription;

    /// Whether messages reach the others.
    fn state(&self) -> watch::Receiver<LinkState>;
}

/// A transport that several tasks share.
pub type SharedTransport = Arc<dyn Transport>;

/// The length of the longest message in bytes. We send no longer one, and read none.
pub const LONGEST_MESSAGE: usize = 64 << 10;

/// The number of messages of one subscription that may wait to be read.
pub const MOST_WAITING: usize = 256;
