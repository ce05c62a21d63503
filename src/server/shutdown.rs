//! The requests that end a running server.

use tokio_util::sync::CancellationToken;

/// Requests to end a running server.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// No new games; the running ones are played to their end.
    pub finish: CancellationToken,
    /// The running games end without a result, and their records are written.
    pub abort: CancellationToken,
}

impl From<CancellationToken> for Shutdown {
    /// The token requests to finish; abort is never requested.
    fn from(finish: CancellationToken) -> Self {
        Self { finish, abort: CancellationToken::new() }
    }
}
