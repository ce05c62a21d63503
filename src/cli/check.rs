//! `kyomi check`.

use clap::Args;

use super::{ConfigArgs, Context, Signals};

/// Arguments of `kyomi check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let runtime = context.network_runtime()?;
    runtime.block_on(async {
        let _signals = Signals::listen()?;
        anyhow::bail!("check is not built yet")
    })
}
