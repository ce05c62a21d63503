//! `kyomi bench`: fixed positions, fixed limit, total nodes and speed.

use clap::Args;

use super::Context;

/// Arguments of `kyomi bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Search threads; the node count is deterministic with one
    #[arg(long, default_value = "1", value_name = "N")]
    threads: std::num::NonZeroUsize,
}

/// Searches.
pub(crate) fn run(args: &BenchArgs, _context: &Context) -> anyhow::Result<()> {
    let _ = args.threads;
    anyhow::bail!("bench is not built yet")
}
