//! `kyomi perft`: counts the leaves of the tree of legal moves.

use std::path::PathBuf;

use clap::Args;

use super::Context;

/// Arguments of `kyomi perft`.
#[derive(Debug, Args)]
pub(crate) struct PerftArgs {
    /// Position as one quoted SFEN, or `startpos`
    #[arg(required_unless_present = "suite")]
    sfen: Option<String>,
    /// Depth in plies
    #[arg(required_unless_present = "suite")]
    depth: Option<u32>,
    /// Also print the count below each move
    #[arg(long)]
    divide: bool,
    /// Check every row of a table instead (columns id, sfen, depth, nodes, why)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sfen", "depth", "divide"])]
    suite: Option<PathBuf>,
}

/// Counts.
pub(crate) fn run(args: &PerftArgs, _context: &Context) -> anyhow::Result<()> {
    let _ = (&args.sfen, args.depth, args.divide, &args.suite);
    anyhow::bail!("perft is not built yet")
}
