//! `kyomi completions`: what a shell needs to complete the commands.

use std::io::Write as _;

use clap::{Args, Command};
use clap_complete::Shell;

use super::Context;

/// Arguments of `kyomi completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script for a shell that completes `kyomi`, the whole program.
pub(crate) fn run(
    args: &CompletionsArgs,
    mut kyomi: Command,
    context: &Context,
) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut kyomi, "kyomi", &mut script);
    let mut output = context.output.clone();
    output.write_all(&script)?;
    output.flush()?;
    Ok(())
}
