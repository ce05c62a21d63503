//! The engine that analyses, by the arguments of the command line.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::anyhow;

use super::arguments::AnalyzeArgs;
use crate::cli::{Context, NetworkRuntime, ResultExt as _, Signals};
use crate::players::EngineOption;
use crate::players::UsiSpec;
use crate::report::analysis::{
    Analyst, AnalystSettings, BuiltinAnalyst, PositionLimit, UsiAnalyst,
};
use crate::terminal::clean;
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::StopFlag;

/// The limit of the search of a position.
pub(super) fn position_limit(args: &AnalyzeArgs) -> PositionLimit {
    match (args.time_per_move, args.nodes) {
        (Some(time), _) => PositionLimit::Time(time),
        (None, nodes) => PositionLimit::Nodes(nodes.unwrap_or(NODES)),
    }
}

fn settings(args: &AnalyzeArgs) -> AnalystSettings {
    AnalystSettings {
        limit: position_limit(args),
        threads: NonZeroUsize::new(args.threads).unwrap_or(NonZeroUsize::MIN),
        lines: usize::try_from(args.multipv)
            .ok()
            .and_then(NonZeroUsize::new)
            .unwrap_or(NonZeroUsize::MIN),
        hash_bytes: args.hash << 20,
    }
}

/// The built-in engine on the workers of a room.
#[cfg(not(feature = "cluster"))]
pub(super) fn worker_analyst(
    _args: &AnalyzeArgs,
    _room: &str,
    _signals: &Signals,
    _runtime: &NetworkRuntime,
    _context: &Context,
) -> anyhow::Result<Box<dyn Analyst>> {
    crate::cli::without_cluster::built_without_cluster("--room")
}

/// The built-in engine on the workers of a room.
#[cfg(feature = "cluster")]
pub(super) fn worker_analyst(
    args: &AnalyzeArgs,
    name: &str,
    signals: &Signals,
    runtime: &NetworkRuntime,
    context: &Context,
) -> anyhow::Result<Box<dyn Analyst>> {
    use crate::cli::room;
    use crate::report::analysis::WorkerAnalyst;

    let settings = settings(args);
    WorkerAnalyst::check(&settings).map_err(anyhow::Error::msg).written_by_user()?;
    let config = room::load(&args.config, Some(name), context)?;
    context.start_logging(&config)?;
    let workers = runtime.block_on(room::workers(&config))?;
    let (finish, handle) = (signals.finish.clone(), runtime.handle());
    Ok(Box::new(WorkerAnalyst::start(&workers, settings, finish, handle)?))
}

/// The engine that analyses.
pub(super) fn analyst(
    args: &AnalyzeArgs,
    evaluation: &Evaluation,
    stop: &StopFlag,
    runtime: &NetworkRuntime,
) -> anyhow::Result<Box<dyn Analyst>> {
    let settings = settings(args);
    let Some(program) = &args.engine else {
        let evaluation = evaluation.clone();
        return Ok(Box::new(BuiltinAnalyst::with_evaluation(settings, evaluation, stop.clone())?));
    };
    let options = args
        .engine_options
        .iter()
        .map(|text| {
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| anyhow!("--engine-option {}: expected NAME=VALUE", clean(text)))
                .written_by_user()?;
            Ok(EngineOption { name: name.trim().to_owned(), value: value.to_owned() })
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let spec = UsiSpec {
        path: program.clone(),
        args: Vec::new(),
        working_dir: None,
        ready_timeout: READY_TIMEOUT,
        ponder: false,
        clocks_at_ponder_hit: false,
        hash_mib: args.hash,
        options,
        stop_at_flag: false,
        resign: None,
        book: None,
    };
    let analyst = UsiAnalyst::start(spec, settings, stop.clone(), runtime.handle())?;
    Ok(Box::new(analyst))
}

const READY_TIMEOUT: Duration = Duration::from_secs(60);

/// The default limit of a search.
const NODES: u64 = 200_000;
