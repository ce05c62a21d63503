//! `kyomi usi`: a USI engine on standard input and output.

use clap::Args;

use super::{ConfigArgs, Context};

/// Arguments of `kyomi usi`.
#[derive(Debug, Args)]
pub(crate) struct UsiArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Speaks USI until `quit` or the end of the input.
pub(crate) fn run(args: &UsiArgs, context: &Context) -> anyhow::Result<()> {
    let _config = context.load_config(&args.config, Vec::new())?;
    anyhow::bail!("usi is not built yet")
}
