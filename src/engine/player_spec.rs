//! The choice of the player to start.

use crate::config::{BookConfig, BudgetConfig, EngineConfig, EngineKind};

use super::{BookOptions, BuiltinSpec, EvalOptions, RandomSpec, ResignRule, UsiSpec};

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
    /// The player of a configuration. `all_cores` is the number of threads of the built-in engine if the configuration
    /// does not set it. `book` is used before the built-in engine and USI engines.
    pub fn new(
        engine: &EngineConfig,
        budget: &BudgetConfig,
        book: &BookConfig,
        all_cores: usize,
    ) -> Self {
        let book = BookOptions::of_config(book);
        let resign = ResignRule { score: budget.resign_score, moves: budget.resign_moves };
        match engine.kind {
            EngineKind::Builtin => Self::Builtin(BuiltinSpec {
                threads: engine.threads.map_or_else(|| all_cores.max(1), usize::from),
                hash_bytes: engine.hash,
                resign,
                options: engine.options.clone(),
                book,
                eval: EvalOptions::of_config(engine.eval.as_deref()),
                preloaded: None,
            }),
            EngineKind::Usi => Self::Usi(UsiSpec::new(engine, resign, book.spec_if_requested())),
            EngineKind::Random => Self::Random(RandomSpec::new(&engine.options)),
        }
    }

    /// The checksum of the parameters and the evaluation of the built-in engine; `None` for other players.
    pub fn search_checksum(&self) -> Option<u32> {
        match self {
            Self::Builtin(spec) => Some(spec.search_checksum()),
            Self::Usi(_) | Self::Random(_) => None,
        }
    }
}
