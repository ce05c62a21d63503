//! Publishing and subscribing: short messages by subject, delivered without a guarantee.
//!
//! A message may be lost, duplicated, late, or sent by an attacker. So every request has a deadline, and every reader
//! checks what it receives.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

/// A message that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// The subject it was published on.
    pub subject: String,
    /// Its bytes. A message longer than [`LONGEST_MESSAGE`] is cut one byte after that length: it is still too long for
    /// every reader, but its beginning may name the sender.
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

/// The state of the connection to the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Not connected yet.
    Connecting,
    /// Messages are sent and received.
    Connected,
    /// The connection is lost, for this reason; further attempts follow.
    Lost(String),
}

/// Publishes messages to other machines and subscribes to theirs.
pub trait Transport: Send + Sync + std::fmt::Debug {
    /// Publishes a message. Never blocks. The message is lost if there is no connection or no subscriber.
    fn publish(&self, subject: &str, payload: Vec<u8>);

    /// Subscribes to a subject, in which the part `*` matches any one part. At most [`MOST_WAITING`] messages wait to
    /// be read; further ones are lost. The subscription outlives a lost connection.
    fn subscribe(&self, subject: &str) -> Subscription;

    /// The state of the connection.
    fn state(&self) -> watch::Receiver<LinkState>;
}

/// A transport that several tasks share.
pub type SharedTransport = Arc<dyn Transport>;

/// The largest length of a message in bytes. Longer ones are neither sent nor read.
pub const LONGEST_MESSAGE: usize = 64 << 10;

/// The number of messages of one subscription that may wait to be read.
pub const MOST_WAITING: usize = 256;
