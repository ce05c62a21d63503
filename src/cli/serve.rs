//! `kyomi serve`.

use clap::Args;

use super::{ConfigArgs, Context, Signals};

/// Arguments of `kyomi serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ServeArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let runtime = context.network_runtime()?;
    runtime.block_on(async {
        let _signals = Signals::listen()?;
        anyhow::bail!("serve is not built yet")
    })
}
