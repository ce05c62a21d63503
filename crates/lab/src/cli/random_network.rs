//! `kyomi-lab randomnet`: files with random weights, for comparisons with other programs.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;

use kyomi::cli::{Context, ResultExt as _};
use kyomi_engine::eval::nnue::{Architecture, write_random};

/// Arguments of `kyomi-lab randomnet`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RandomNetworkArgs {
    /// Architecture, such as `HalfKP-256x2-32-32`
    #[arg(value_name = "ARCHITECTURE", value_parser = architecture)]
    architecture: Architecture,
    /// File to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Seed of the weights
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Writes the file.
pub(crate) fn run(args: &RandomNetworkArgs, context: &Context) -> anyhow::Result<()> {
    let shown = args.file.display();
    // A network of the user must not be lost.
    let file = File::create_new(&args.file).with_context(|| format!("creating {shown}"));
    let mut writer = BufWriter::new(file.written_by_user()?);
    write_random(args.architecture, args.seed, &mut writer)
        .and_then(|()| writer.flush())
        .with_context(|| format!("writing {shown}"))?;
    writeln!(context.output.clone(), "{shown}: {}, random weights", args.architecture)?;
    Ok(())
}

fn architecture(name: &str) -> anyhow::Result<Architecture> {
    Architecture::by_name(name).ok_or_else(|| {
        let known = Architecture::KNOWN.map(|known| known.to_string()).join(", ");
        anyhow!("expected one of {known}")
    })
}
