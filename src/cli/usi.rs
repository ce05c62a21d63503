//! `kyomi usi`: a USI engine on standard input and output.

use std::io::{self, BufReader};
use std::thread;

use anyhow::Context as _;
use clap::Args;

use super::{ConfigArgs, Context, ResultExt as _};
use crate::players::EvalOptions;
use crate::{
    client::book_options,
    config::{Config, EngineKind},
    usi::{self, Settings, WorkerOptions},
};
use kyomi_shogi::clock::DelayPolicy;

/// Arguments of `kyomi usi`.
#[derive(Debug, Args)]
pub(crate) struct UsiArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// List the parameters of the search too, as the option `ListAllOptions` does; they can be set in any case
    #[arg(long)]
    list_all_options: bool,
}

/// Runs `kyomi usi` until `quit` or the end of the input.
pub(crate) fn run(args: &UsiArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    let mut settings = settings(&config);
    if config.engine.kind == EngineKind::Builtin {
        for option in &config.engine.options {
            let set = settings.set(&option.name, Some(&option.value));
            set.map_err(anyhow::Error::msg).context("[engine.options]").written_by_user()?;
        }
    }
    settings.list_all_options |= args.list_all_options;
    usi::run(BufReader::new(io::stdin()), context.output.clone(), settings)?;
    Ok(())
}

/// The settings of the configuration for the engine. The host may change them.
fn settings(config: &Config) -> Settings {
    let standard = Settings::default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let network_delay = match config.budget.network_delay {
        DelayPolicy::Fixed(delay) => delay,
        _ => standard.network_delay,
    };
    Settings {
        threads: config.engine.threads.map_or(cores, usize::from),
        hash_bytes: config.engine.hash,
        network_delay,
        worst_network_delay: network_delay,
        resign_score: config.budget.resign_score,
        resign_moves: config.budget.resign_moves,
        book: book_options(&config.book),
        eval: EvalOptions::of_config(config.engine.eval.as_deref()),
        entering_king: config.rules.declaration,
        workers: WorkerOptions::of_config(config.cluster.clone()),
        ..standard
    }
}
