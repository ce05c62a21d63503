//! Commands that are now in the program `kyomi-lab`.

use clap::Args;

use super::ResultExt as _;

/// The arguments of a command that moved. None is read.
#[derive(Debug, Args)]
pub(crate) struct MovedArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

/// The error that names the new place: `kyomi-lab PREFIX…`.
pub(crate) fn to_lab(prefix: &str) -> anyhow::Result<()> {
    Err(anyhow::anyhow!("this is now `kyomi-lab {prefix}COMMAND`, a program of its own"))
        .written_by_user()
        .hint(format!("`cargo run --release -p kyomi-lab -- {prefix}COMMAND`"))
}
