//! The choice of the player to start.

use super::{BuiltinSpec, RandomSpec, UsiSpec};

/// The player to start, with its settings.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerSpec {
    /// kyomi's own search.
    Builtin(BuiltinSpec),
    /// A USI engine.
    Usi(UsiSpec),
    /// Random legal moves, all equally likely.
    Random(RandomSpec),
}

impl PlayerSpec {
    /// The checksum of the parameters and the evaluation of the built-in engine; `None` for other players.
    pub fn search_checksum(&self) -> Option<u32> {
        match self {
            Self::Builtin(spec) => Some(spec.search_checksum()),
            Self::Usi(_) | Self::Random(_) => None,
        }
    }
}
