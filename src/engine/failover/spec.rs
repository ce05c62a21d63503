//! The engines of a player that plays on when one fails.

use crate::config::{BookConfig, BudgetConfig, EngineConfig, EngineKind, Restart};
use crate::engine::{PlayerSpec, PlayerWrapper};

/// The engines of one player.
#[derive(Debug, Clone, PartialEq)]
pub struct FailoverSpec {
    /// The engine that plays.
    pub engine: PlayerSpec,
    /// The engines that play on when it fails, in this order.
    pub fallbacks: Vec<PlayerSpec>,
    /// Restart the engine for each game.
    pub restart_each_game: bool,
    /// Play on where an engine resigns.
    pub never_resigns: bool,
    /// A decorator of the engine that plays, not of the fallbacks.
    pub wrapper: Option<PlayerWrapper>,
}

impl FailoverSpec {
    /// The engine of a configuration with its fallbacks. By default the built-in engine is the fallback of a USI
    /// engine. `book` is consulted before each of them. `all_cores` is the number of threads of the built-in engine if
    /// the configuration does not set it.
    pub fn new(
        engine: &EngineConfig,
        fallbacks: Option<&[EngineConfig]>,
        budget: &BudgetConfig,
        book: &BookConfig,
        all_cores: usize,
    ) -> Self {
        let spec = |engine: &EngineConfig| PlayerSpec::new(engine, budget, book, all_cores);
        let default = || match engine.kind {
            EngineKind::Usi => {
                vec![spec(&EngineConfig { hash: DEFAULT_FALLBACK_HASH, ..EngineConfig::default() })]
            }
            EngineKind::Builtin | EngineKind::Random => Vec::new(),
        };
        Self {
            engine: spec(engine),
            fallbacks: fallbacks.map_or_else(default, |list| list.iter().map(spec).collect()),
            restart_each_game: engine.restart == Restart::EachGame,
            never_resigns: budget.resign_moves == 0,
            wrapper: None,
        }
    }

    /// The engine at this index, for messages; 0 is the engine that plays.
    pub(super) fn title(&self, index: usize) -> String {
        match index.checked_sub(1).map_or(Some(&self.engine), |index| self.fallbacks.get(index)) {
            Some(PlayerSpec::Usi(spec)) => format!("the engine {}", spec.title()),
            Some(PlayerSpec::Random(_)) => "the random player".to_owned(),
            Some(PlayerSpec::Builtin(_)) | None => "the built-in engine".to_owned(),
        }
    }
}

/// Size of the table of the default fallback, in bytes.
const DEFAULT_FALLBACK_HASH: u64 = 64 << 20;
