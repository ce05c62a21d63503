//! `kyomi-lab train nnue`: trains a network that stands in place of the evaluation.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::descent::DescentArgs;
use super::network::{print, show};
use super::positions::{PositionArgs, ReportArgs};
use crate::train::{NetworkDescent, NetworkKind, NetworkTask, train_network};
use kyomi::cli::{Context, ResultExt};

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab train nnue logs/selfplay --result-share 0.3 --epochs 12
  kyomi match --a 'builtin name=new EvalDir=logs/train/nnue' --b 'builtin name=now' --tc nodes=10000

DIR/nn.bin contains the network of the best epoch, DIR/network.json a report. To use it, give the folder to the
option `EvalDir` of `kyomi usi`. Ctrl-C stops; the same command resumes after the last complete epoch.";

#[derive(Debug, Args)]
pub(super) struct NnueArgs {
    #[command(flatten)]
    positions: PositionArgs,
    /// Folder of the result
    #[arg(long, default_value = "logs/train/nnue", value_name = "DIR")]
    out: PathBuf,
    /// File that keeps the chosen positions; a further training with the same games and choice reads it,
    /// which saves minutes
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Number of passes over all positions
    #[arg(long, default_value_t = 12, value_name = "N")]
    epochs: u32,
    /// One logistic unit of the output, and of the scores of self-play without --selfplay-unit
    #[arg(long, default_value_t = 600.0, value_name = "CP")]
    unit: f32,
    /// Mirror half of the positions left to right, others in each epoch
    #[arg(long)]
    mirror: bool,
    /// Number of steps in which the rate rises at first
    #[arg(long, default_value_t = 200, value_name = "STEPS")]
    warmup: u32,
    #[command(flatten)]
    descent: DescentArgs,
    #[command(flatten)]
    report: ReportArgs,
}

pub(super) fn run(args: &NnueArgs, context: &Context) -> anyhow::Result<()> {
    let task = args.task()?;
    args.report.run(context, &task.out, |stop| train_network(&task, show, stop), print)
}

impl NnueArgs {
    fn task(&self) -> anyhow::Result<NetworkTask> {
        let mut source = self.positions.source()?;
        let unit = self.unit;
        let descent =
            NetworkDescent { warmup: self.warmup, ..self.descent.descent(self.positions.threads)? };
        if !(100.0..=2000.0).contains(&unit) {
            return Err(anyhow!("--unit {unit}: expected 100 to 2000 centipawns"))
                .written_by_user();
        }
        source.selfplay.unit = source.selfplay.unit.or(Some(unit));
        Ok(NetworkTask {
            source,
            out: self.out.clone(),
            cache: self.cache.clone(),
            epochs: self.epochs,
            kind: NetworkKind::KingAndPiece { unit, mirrors: self.mirror },
            descent,
        })
    }
}
