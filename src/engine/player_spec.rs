//! Which player to start.

use crate::config::{BookConfig, BudgetConfig, EngineConfig, EngineKind};

use super::{BookOptions, BuiltinSpec, RandomSpec, ResignRule, UsiSpec};

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
    /// `book`: the one that stands before the built-in engine and USI engines.
    pub fn new(
        engine: &EngineConfig,
        budget: &BudgetConfig,
        book: &BookConfig,
        all_cores: usize,
    ) -> Self {
        let book = BookOptions::of_config(book);
        match engine.kind {
            EngineKind::Builtin => Self::Builtin(BuiltinSpec {
                threads: engine.threads.map_or_else(|| all_cores.max(1), usize::from),
                hash_bytes: engine.hash,
                resign: ResignRule { score: budget.resign_score, moves: budget.resign_moves },
                options: engine.options.clone(),
                book,
            }),
            EngineKind::Usi => Self::Usi(UsiSpec::new(engine, book.spec_for_usi_engine())),
            EngineKind::Random => Self::Random(RandomSpec::new(&engine.options)),
        }
    }
}
