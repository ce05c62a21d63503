//! How the next failure of the engine is handled.

/// How the next failure of the engine is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// It is restarted.
    Restart,
    /// The engine has not been ready yet: a failure is final until it is.
    FatalUntilReady,
    /// It was already restarted in this game or since the last one. The next failure is final.
    Fatal,
    /// It has failed too often in this game.
    AlreadyGivenUp,
}
