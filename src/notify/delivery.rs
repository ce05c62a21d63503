//! How a delivery can fail.

use std::{io, time::Duration};

/// Why a message was not delivered. It never contains the address of a web hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DeliveryError {
    /// The program cannot be run.
    #[error("it cannot be run: {0}")]
    Start(io::ErrorKind),
    /// The program failed.
    #[error("it failed{}", .0.map_or_else(String::new, |code| format!(" with exit code {code}")))]
    Exit(Option<i32>),
    /// The host of the web hook is unknown.
    #[error("its host is unknown")]
    NoHost,
    /// The web hook cannot be reached.
    #[error("it cannot be reached: {0}")]
    Connection(io::ErrorKind),
    /// The web hook refuses the message.
    #[error("it answers with status {0}")]
    Status(u16),
    /// It took too long.
    #[error("it did not end within {} s", DELIVERY_LIMIT.as_secs())]
    Late,
    /// The web hook does not speak HTTP, or its certificate is not valid.
    #[error("it cannot be used; is the address right?")]
    Failed,
}

/// A delivery that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) error: DeliveryError,
    /// The pause that the web hook asks for (`Retry-After`).
    pub(super) pause: Option<Duration>,
}

impl From<DeliveryError> for Failure {
    fn from(error: DeliveryError) -> Self {
        Self { error, pause: None }
    }
}

impl DeliveryError {
    /// Whether a later delivery to the web hook may succeed: it cannot be reached now, or its rate limit is exceeded.
    pub(super) fn is_temporary(self) -> bool {
        match self {
            Self::NoHost | Self::Connection(_) | Self::Late => true,
            Self::Status(status) => matches!(status, 408 | 429 | 500..=599),
            Self::Start(_) | Self::Exit(_) | Self::Failed => false,
        }
    }
}

/// The longest time that a delivery may take.
pub(super) const DELIVERY_LIMIT: Duration = Duration::from_secs(10);
