//! `kyomi-lab train`: fits weights to games.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};

mod comparisons;
mod descent;
mod moves;
mod network;
mod nnue;
mod positions;

use positions::{PositionArgs, ReportArgs, show_progress};

use super::fit;
use crate::train::{
    Descent, EvaluationReport, EvaluationTask, FitProgress, PieceValue, fit_evaluation,
};
use kyomi::cli::{Context, at_least_0};

/// Arguments of `kyomi-lab train`.
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    target: Target,
}

#[derive(Debug, Subcommand)]
enum Target {
    /// Fit the weights of the evaluation to the results of games and to the engines' scores in them
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(EvalArgs),
    /// Train a network whose output is added to the evaluation
    #[command(after_help = network::EXAMPLES)]
    Network(network::NetworkArgs),
    /// Train a network of the architecture K-P-256x2-32-32, which stands in place of the evaluation
    #[command(after_help = nnue::EXAMPLES)]
    Nnue(nnue::NnueArgs),
    /// Fit the merits of plausible moves to the moves played; prints accuracy, saving, ranks and the table
    Merits(fit::MeritsArgs),
    /// Fit the figures of interest to the moves played; prints likelihood, ranks and the figures
    Interest(fit::InterestArgs),
    /// Fit the learned move probabilities to the moves played; prints likelihood and ranks after each epoch
    #[command(after_help = moves::EXAMPLES)]
    Moves(moves::MovesArgs),
    /// Train the network or the fitted sum further by the moves played, which should lead to better positions than
    /// the other moves
    #[command(after_help = comparisons::EXAMPLES)]
    Comparisons(comparisons::ComparisonArgs),
}

const EVAL_EXAMPLES: &str = "\
Examples:
  kyomi-lab train eval ../shared/data/games_engine.tsv.gz ../shared/data/games_expert.tsv.gz
  kyomi-lab train eval games.tsv --every 3 --epochs 4 --out /tmp/quick
  kyomi-lab train eval ../shared/data/games_engine.tsv.gz logs/selfplay

DIR/fitted.bin contains the weights, DIR/fitted.json a report of the fit. To use the weights, copy both
files to crates/engine/src/eval/weights and build. Ctrl-C stops; the same command resumes after the last complete epoch.";

#[derive(Debug, Args)]
struct EvalArgs {
    #[command(flatten)]
    positions: PositionArgs,
    /// Folder of the result
    #[arg(long, default_value = "logs/train/eval", value_name = "DIR")]
    out: PathBuf,
    /// Number of passes over all positions
    #[arg(long, default_value_t = 10, value_name = "N")]
    epochs: u32,
    /// First step of a weight, in centipawns
    #[arg(long, default_value_t = Descent::default().rate, value_name = "CP")]
    rate: f32,
    /// Number of positions that count as one, since positions of the same game are alike
    #[arg(long, default_value_t = Descent::default().kinship, value_name = "N")]
    kinship: f32,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the fit.
pub(crate) fn run(args: &TrainArgs, context: &Context) -> anyhow::Result<()> {
    match &args.target {
        Target::Eval(args) => eval(args, context),
        Target::Network(args) => network::run(args, context),
        Target::Nnue(args) => nnue::run(args, context),
        Target::Merits(args) => fit::merits(args, context),
        Target::Interest(args) => fit::interest(args, context),
        Target::Moves(args) => moves::run(args, context),
        Target::Comparisons(args) => comparisons::run(args, context),
    }
}

fn eval(args: &EvalArgs, context: &Context) -> anyhow::Result<()> {
    let task = args.task()?;
    let show = |progress: &FitProgress| {
        show_progress(progress, matches!(progress, FitProgress::Step { .. }));
    };
    args.report.run(context, &task.out, |stop| fit_evaluation(&task, show, stop), print)
}

impl EvalArgs {
    fn task(&self) -> anyhow::Result<EvaluationTask> {
        let source = self.positions.source()?;
        at_least_0("--rate", self.rate)?;
        at_least_0("--kinship", self.kinship)?;
        Ok(EvaluationTask {
            source,
            out: self.out.clone(),
            epochs: self.epochs,
            descent: Descent {
                rate: self.rate,
                kinship: self.kinship,
                threads: self.positions.threads,
                ..Descent::default()
            },
        })
    }
}

fn print(output: &mut dyn Write, report: &EvaluationReport) -> io::Result<()> {
    writeln!(output, "{}", report.data)?;
    writeln!(output, "piece              board begin    end   hand begin    end")?;
    for PieceValue { kind, board: [begin, end], hand } in &report.pieces {
        write!(output, "{kind:<18} {begin:>11.0} {end:>6.0}")?;
        if let Some([begin, end]) = hand {
            write!(output, " {begin:>12.0} {end:>6.0}")?;
        }
        writeln!(output)?;
    }
    writeln!(output, "epochs {}", report.epochs)?;
    writeln!(
        output,
        "loss training {:.5} validation {:.5} pieces alone {:.5} least {:.5}",
        report.training_loss,
        report.validation_loss,
        report.plain_validation_loss,
        report.least_validation_loss
    )
}
