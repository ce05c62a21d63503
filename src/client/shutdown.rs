//! Requests to end a run.

use tokio_util::sync::CancellationToken;

/// The user's requests to end a run.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Finish the running game, log out, end.
    pub finish: CancellationToken,
    /// Resign and leave.
    pub leave: CancellationToken,
}

impl Shutdown {
    /// The requests to one of several clients: those to all of them, and its own.
    pub(super) fn child(&self) -> Self {
        Self { finish: self.finish.child_token(), leave: self.leave.child_token() }
    }

    /// Waits for either request.
    pub(super) async fn asked(&self) {
        tokio::select! {
            () = self.finish.cancelled() => {}
            () = self.leave.cancelled() => {}
        }
    }

    /// Whether either was requested.
    pub(super) fn is_asked(&self) -> bool {
        self.finish.is_cancelled() || self.leave.is_cancelled()
    }
}
