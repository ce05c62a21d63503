//! `kyomi train`: fits weights to games.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use clap::{Args, Subcommand};

mod network;
mod positions;

use positions::{PositionArgs, at_least_0, explain};

use super::{ConfigArgs, Context, SignalScope, Signals, fit};
use crate::lab::train::{
    Descent, EvaluationReport, EvaluationTask, FitProgress, PieceWorth, fit_evaluation,
};

/// Arguments of `kyomi train`.
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
    /// Fit the merits of plausible moves to the moves played; prints accuracy, saving, ranks and the table
    Merits(fit::MeritsArgs),
    /// Fit the figures of interest to the moves played; prints likelihood, ranks and the figures
    Interest(fit::InterestArgs),
}

const EVAL_EXAMPLES: &str = "\
Examples:
  kyomi train eval ../shared/data/games_engine.tsv.gz ../shared/data/games_expert.tsv.gz
  kyomi train eval games.tsv --every 3 --epochs 4 --out /tmp/quick
  kyomi train eval ../shared/data/games_engine.tsv.gz logs/selfplay

DIR/fitted.bin contains the weights, DIR/fitted.json a report of the fit. To use the weights, copy both
files to src/eval/weights and build. Ctrl-C stops; the same command resumes after the last complete epoch.";

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
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs the fit.
pub(crate) fn run(args: &TrainArgs, context: &Context) -> anyhow::Result<()> {
    match &args.target {
        Target::Eval(args) => eval(args, context),
        Target::Network(args) => network::run(args, context),
        Target::Merits(args) => fit::merits(args, context),
        Target::Interest(args) => fit::interest(args, context),
    }
}

fn eval(args: &EvalArgs, context: &Context) -> anyhow::Result<()> {
    let task = args.task()?;
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let mut meter = FitMeter { terminal: io::stderr().is_terminal() };
    let runtime = context.network_runtime()?;
    let report = runtime.block_on(async {
        let stop = Signals::listen(SignalScope::Work)?.finish;
        let report = fit_evaluation(&task, |progress| meter.show(progress), || stop.is_cancelled());
        report.or_else(explain)
    })?;
    let mut output = context.output.clone();
    if args.json {
        writeln!(output, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        print(&mut output, &report)?;
    }
    let _ = writeln!(io::stderr(), "kept in {}", task.out.display());
    Ok(())
}

impl EvalArgs {
    fn task(&self) -> anyhow::Result<EvaluationTask> {
        let (choice, selfplay) = self.positions.filters()?;
        at_least_0("--rate", self.rate)?;
        at_least_0("--kinship", self.kinship)?;
        Ok(EvaluationTask {
            tables: self.positions.tables.clone(),
            out: self.out.clone(),
            seed: self.positions.seed,
            epochs: self.epochs,
            validation: self.positions.validate,
            choice,
            selfplay,
            descent: Descent {
                rate: self.rate,
                kinship: self.kinship,
                threads: self.positions.threads.get(),
                ..Descent::default()
            },
        })
    }
}

fn print(output: &mut impl Write, report: &EvaluationReport) -> io::Result<()> {
    writeln!(
        output,
        "games {}, positions to learn from {}, to validate with {}",
        report.games, report.training_positions, report.validation_positions
    )?;
    writeln!(output, "piece              board begin    end   hand begin    end")?;
    for PieceWorth { kind, board: [begin, end], hand } in &report.pieces {
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

/// The lines of progress on standard error.
struct FitMeter {
    terminal: bool,
}

impl FitMeter {
    fn show(&mut self, progress: &FitProgress) {
        let mut stderr = io::stderr();
        // A closed reader is not a reason to stop.
        let _ = match progress {
            FitProgress::Step { .. } if self.terminal => write!(stderr, "\r{progress}\x1b[K"),
            FitProgress::Step { .. } => Ok(()),
            _ if self.terminal => writeln!(stderr, "\r{progress}\x1b[K"),
            _ => writeln!(stderr, "{progress}"),
        };
    }
}
