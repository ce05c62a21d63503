//! How the next failure of the engine is handled.

/// How the next failure of the engine is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It is restarted.
    Full,
    /// The engine has not been ready yet: a failure is final until it is.
    Untried,
    /// It was already restarted in this game or since the last one. The next failure is final.
    LastChance,
    /// It has failed too often in this game.
    Lost,
}
