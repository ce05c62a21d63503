//! The built-in engine as a player.

use crate::config::EngineOption;

use super::{EngineError, PlayerEvent, PlayerHandle, ResignRule, pair};

/// What the built-in engine is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltinSpec {
    /// Search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table.
    pub hash_bytes: u64,
    /// When to give up.
    pub resign: ResignRule,
    /// `[engine.options]`, by their USI names.
    pub options: Vec<EngineOption>,
}

/// Starts the search threads.
pub(super) fn start(_spec: BuiltinSpec) -> PlayerHandle {
    let (handle, port) = pair();
    let reason = "it is not built yet".to_owned();
    port.events.send(PlayerEvent::Failed(EngineError::Builtin { reason }));
    handle
}
