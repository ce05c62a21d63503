//! Which player to start.

use crate::config::{BudgetConfig, EngineConfig, EngineKind};

use super::{BuiltinSpec, RandomSpec, ResignRule, UsiSpec};

/// Which player to start, and with what.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerSpec {
    /// kyomi's own search.
    Builtin(BuiltinSpec),
    /// A program that speaks USI.
    Usi(UsiSpec),
    /// Uniform among the legal moves.
    Random(RandomSpec),
}

impl PlayerSpec {
    /// The player that a configuration names. `all_cores`: threads of the built-in engine where
    /// the configuration does not say.
    pub fn new(engine: &EngineConfig, budget: &BudgetConfig, all_cores: usize) -> Self {
        match engine.kind {
            EngineKind::Builtin => Self::Builtin(BuiltinSpec {
                threads: engine.threads.map_or_else(|| all_cores.max(1), usize::from),
                hash_bytes: engine.hash,
                resign: ResignRule { score: budget.resign_score, moves: budget.resign_moves },
                options: engine.options.clone(),
            }),
            EngineKind::Usi => Self::Usi(UsiSpec::new(engine)),
            EngineKind::Random => Self::Random(RandomSpec::new(&engine.options)),
        }
    }
}
