//! What the configuration means for the modules that play: players, books, pondering and clocks.

use crate::config::{BookConfig, BudgetConfig, EngineConfig, EngineKind, Ponder, Restart};
use crate::players::{
    BookOptions, BuiltinSpec, EvalOptions, FailoverSpec, PlayerSpec, RandomSpec, ResignRule,
    UsiSpec,
};
use kyomi_csa::{PonderMove, PonderStart};

/// The engine with its fallbacks. By default the built-in engine is the fallback of a USI engine. `book` is consulted
/// before each of them. `all_cores` is the number of threads of the built-in engine if the configuration does not set
/// it.
pub(super) fn failover_spec(
    engine: &EngineConfig,
    fallbacks: Option<&[EngineConfig]>,
    budget: &BudgetConfig,
    book: &BookConfig,
    all_cores: usize,
) -> FailoverSpec {
    let spec = |engine: &EngineConfig| player_spec(engine, budget, book, all_cores);
    let default = || match engine.kind {
        EngineKind::Usi => {
            vec![spec(&EngineConfig { hash: DEFAULT_FALLBACK_HASH, ..EngineConfig::default() })]
        }
        EngineKind::Builtin | EngineKind::Random => Vec::new(),
    };
    FailoverSpec {
        engine: spec(engine),
        fallbacks: fallbacks.map_or_else(default, |list| list.iter().map(spec).collect()),
        restart_each_game: engine.restart == Restart::EachGame,
        never_resigns: budget.resign_moves == 0,
        wrapper: None,
    }
}

/// A player. `all_cores` is the number of threads of the built-in engine if the configuration does not set it. `book`
/// is used before the built-in engine and USI engines.
pub fn player_spec(
    engine: &EngineConfig,
    budget: &BudgetConfig,
    book: &BookConfig,
    all_cores: usize,
) -> PlayerSpec {
    let book = book_options(book);
    let resign = ResignRule { score: budget.resign_score, moves: budget.resign_moves };
    match engine.kind {
        EngineKind::Builtin => PlayerSpec::Builtin(BuiltinSpec {
            threads: engine.threads.map_or_else(|| all_cores.max(1), usize::from),
            hash_bytes: engine.hash,
            resign,
            options: engine.options.clone(),
            book,
            eval: EvalOptions::of_config(engine.eval.as_deref()),
            preloaded: None,
        }),
        EngineKind::Usi => PlayerSpec::Usi(UsiSpec {
            path: engine.path.clone().unwrap_or_default(),
            args: engine.args.clone(),
            working_dir: engine.working_dir.clone(),
            ready_timeout: engine.ready_timeout,
            ponder: engine.ponder.is_on(),
            clocks_at_ponder_hit: engine.ponder == Ponder::Early,
            hash_mib: (engine.hash >> 20).max(1),
            options: engine.options.clone(),
            stop_at_flag: true,
            resign: Some(resign),
            book: book.spec_if_requested(),
        }),
        EngineKind::Random => PlayerSpec::Random(RandomSpec::new(&engine.options)),
    }
}

/// The book of `[book]`, which is used unless it is switched off there.
pub fn book_options(config: &BookConfig) -> BookOptions {
    BookOptions::on_by_default(config.enabled, config.file.as_deref(), config.rules())
}

/// When the player begins to ponder.
pub(super) fn ponder_start(ponder: Ponder) -> PonderStart {
    match ponder {
        Ponder::Off => PonderStart::Never,
        Ponder::Named | Ponder::NamedOrPv => PonderStart::AfterEcho,
        Ponder::Early => PonderStart::WithMove,
    }
}

/// The configured reply to ponder on.
pub(super) fn ponder_move(ponder: Ponder) -> PonderMove {
    match ponder {
        Ponder::Off | Ponder::Named | Ponder::Early => PonderMove::Named,
        Ponder::NamedOrPv => PonderMove::NamedOrPv,
    }
}

/// The number of threads that the machine runs in parallel.
pub(super) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Size of the table of the default fallback, in bytes.
const DEFAULT_FALLBACK_HASH: u64 = 64 << 20;
