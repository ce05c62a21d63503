//! `kyomi-lab train moves`: learned move probabilities, fitted to the moves played.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;

use crate::cli::fit::run_stoppable;
use crate::cli::positions::TableArgs;
use crate::train::{
    DataFile, MoveCases, MoveFit, MoveScore, finished_moves, fit_moves, moves_of_file,
};
use kyomi::cli::{Context, ResultExt, at_least_0};
use kyomi::matches::Origin;
use kyomi_engine::search::{MoveFitInput, Parameters};

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab train moves ../shared/data/games_expert.tsv.gz
  kyomi-lab train moves games.tsv --every 20 --epochs 2 --out /tmp/quick

One game in ten validates. DIR/moves.bin contains the weights of the epoch with the least loss on these games,
DIR/moves.json a report. To use the weights, copy both files to crates/engine/src/search/interest/learned and build.";

/// Arguments of `kyomi-lab train moves`.
#[derive(Debug, Clone, Args)]
pub(super) struct MovesArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Folder of the result
    #[arg(long, default_value = "logs/train/moves", value_name = "DIR")]
    out: PathBuf,
    /// Read about one in N positions
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Number of passes over the positions
    #[arg(long, value_name = "N", default_value_t = 5)]
    epochs: usize,
    /// First step of a weight, a natural logarithm
    #[arg(long, value_name = "STEP", default_value_t = 0.2)]
    rate: f32,
    /// Penalty on the square of each weight that occurs in a step
    #[arg(long, value_name = "N", default_value_t = 0.01)]
    l2: f32,
}

/// The report of a fit, written to `moves.json`.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    origin: Origin,
    tables: Vec<DataFile>,
    games: usize,
    every: u32,
    fit: MoveFit,
    training_positions: usize,
    /// On games that were not learned from: interest without learned probabilities, and with the weights written.
    before: MoveScore,
    after: MoveScore,
}

pub(super) fn run(args: &MovesArgs, context: &Context) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    let args = args.clone();
    at_least_0("--rate", args.rate)?;
    at_least_0("--l2", args.l2)?;
    let fit = MoveFit { epochs: args.epochs, rate: args.rate, l2: args.l2, seed: args.table.seed };
    let out = args.out.clone();
    let (bytes, report) = run_stoppable(context, move |stop| {
        let input = MoveFitInput::new(&Parameters::interest());
        let (mut cases, mut test_set) = (MoveCases::default(), MoveCases::default());
        let games = args.table.positions(args.every, |sampled| {
            let cases = if sampled.in_test_set { &mut test_set } else { &mut cases };
            cases.add(&input, sampled);
            !stop.is_stopped()
        })?;
        if cases.is_empty() || test_set.is_empty() {
            return Err(anyhow!("too few positions to fit to and to test with"))
                .hint("read more games, or lower --every")
                .written_by_user();
        }
        fs::create_dir_all(&args.out)
            .with_context(|| format!("creating {}", args.out.display()))?;
        let mut before = MoveScore::default();
        let values = fit_moves(&cases, &test_set, &fit, |epoch, loss, score| {
            if epoch == 0 {
                before = *score;
            }
            let line = line(&format!("epoch {epoch}"), score);
            let _ = writeln!(std::io::stderr(), "{line}  training {loss:.4}");
            !stop.is_stopped()
        });
        let bytes = finished_moves(&cases, &values);
        let after = moves_of_file(&test_set, &bytes)?;
        let report = Report {
            origin: Origin::of_this_run(),
            tables: args.table.games.iter().flat_map(|path| DataFile::of(path)).collect(),
            games,
            every: args.every,
            fit,
            training_positions: cases.len(),
            before,
            after,
        };
        Ok((bytes, report))
    })?;
    let write = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    };
    write("moves.bin", &bytes)?;
    let json = serde_json::to_string_pretty(&report).unwrap_or_default() + "\n";
    write("moves.json", json.as_bytes())?;
    writeln!(
        output,
        "games {}, positions to learn from {}, to validate with {}",
        report.games, report.training_positions, report.before.positions
    )?;
    writeln!(output, "{}", line("interest", &report.before))?;
    writeln!(output, "{}", line("learned", &report.after))?;
    Ok(())
}

fn line(name: &str, score: &MoveScore) -> String {
    let [first, five, ten] = score.ranks.map(|share| share * 100.0);
    format!(
        "{name:9} loss {:.4}  first {first:.2} %  top 5 {five:.2} %  top 10 {ten:.2} %",
        score.loss
    )
}
