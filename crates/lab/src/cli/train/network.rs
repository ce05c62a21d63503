//! `kyomi-lab train network`: trains a network whose output is added to the evaluation.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::descent::DescentArgs;
use super::positions::{PositionArgs, ReportArgs, show_progress};
use crate::train::{
    NetworkKind, NetworkProgress, NetworkReport, NetworkTask, TableLosses, train_network,
};
use kyomi::cli::{Context, ResultExt};
use kyomi_engine::eval::network::{KingZones, LANES, MAX_WIDTH, Network};

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab train network ../shared/data/games_engine.tsv.gz ../shared/data/games_expert.tsv.gz logs/selfplay
  kyomi-lab train network logs/selfplay --width 256 --zones 9 --out /tmp/wide

DIR/network.bin contains the network of the best epoch, DIR/network.json a report. To use it, give the file to the
option `EvalFile` of `kyomi usi`. Ctrl-C stops; the same command resumes after the last complete epoch.";

#[derive(Debug, Args)]
pub(super) struct NetworkArgs {
    #[command(flatten)]
    positions: PositionArgs,
    /// Folder of the result
    #[arg(long, default_value = "logs/train/network", value_name = "DIR")]
    out: PathBuf,
    /// File that keeps the chosen positions; a further training with the same games and choice reads it,
    /// which saves minutes
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Number of passes over all positions
    #[arg(long, default_value_t = 20, value_name = "N")]
    epochs: u32,
    /// Train this network further instead of one with random weights; it has its own width and zones
    #[arg(long, conflicts_with_all = ["width", "zones"], value_name = "FILE")]
    start: Option<PathBuf>,
    /// Number of hidden units of each side's view, a multiple of 64
    #[arg(long, default_value_t = 64, value_name = "UNITS")]
    width: usize,
    /// Number of king zones with weights of their own: 1, 3 or 9
    #[arg(long, default_value_t = 1, value_name = "N")]
    zones: usize,
    #[command(flatten)]
    descent: DescentArgs,
    #[command(flatten)]
    report: ReportArgs,
}

pub(super) fn run(args: &NetworkArgs, context: &Context) -> anyhow::Result<()> {
    let task = args.task()?;
    args.report.run(context, &task.out, |stop| train_network(&task, show, stop), print)
}

/// Shows the progress of a training.
pub(super) fn show(progress: &NetworkProgress) {
    show_progress(progress, matches!(progress, NetworkProgress::Step { .. }));
}

impl NetworkArgs {
    fn task(&self) -> anyhow::Result<NetworkTask> {
        let source = self.positions.source()?;
        let descent = self.descent.descent(self.positions.threads)?;
        let Some(zones) = KingZones::with_count(self.zones) else {
            return Err(anyhow!("--zones {}: expected 1, 3 or 9", self.zones)).written_by_user();
        };
        if !(LANES..=MAX_WIDTH).contains(&self.width) || !self.width.is_multiple_of(LANES) {
            let width = self.width;
            return Err(anyhow!(
                "--width {width}: expected a multiple of {LANES} from {LANES} to {MAX_WIDTH}"
            ))
            .written_by_user();
        }
        let start = match &self.start {
            None => None,
            Some(path) => Some(read_start(path)?),
        };
        let (width, zones) = start
            .as_ref()
            .map_or((self.width, zones), |network| (network.width(), network.zones()));
        Ok(NetworkTask {
            source,
            out: self.out.clone(),
            cache: self.cache.clone(),
            epochs: self.epochs,
            kind: NetworkKind::BesideSum { width, zones, start },
            descent,
        })
    }
}

/// Reads the network of `--start`.
pub(super) fn read_start(path: &Path) -> anyhow::Result<Network> {
    Network::read(path).map_err(|error| anyhow!("{} {error}", path.display())).written_by_user()
}

/// Prints the report of a training.
pub(super) fn print(output: &mut dyn Write, report: &NetworkReport) -> io::Result<()> {
    writeln!(output, "{}", report.data)?;
    writeln!(
        output,
        "epochs {}, the best is {}; whole numbers differ by {:.2} centipawns",
        report.epochs, report.best_epoch, report.rounding
    )?;
    writeln!(
        output,
        "validation                     positions  loss: sum  network    least  error: sum  network"
    )?;
    for TableLosses { table, positions, base_loss, loss, least_loss, base_error, error } in
        &report.validation
    {
        writeln!(
            output,
            "{table:<30} {positions:>9} {base_loss:>10.5} {loss:>8.5} {least_loss:>8.5} {base_error:>11.4} {error:>8.4}"
        )?;
    }
    Ok(())
}
