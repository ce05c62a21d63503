//! `kyomi-lab train comparisons`: trains the evaluation further by the moves played.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::network::read_start;
use super::positions::{clear_progress, show_progress};
use crate::cli::fit::run_stoppable;
use crate::cli::positions::TableArgs;
use crate::train::{
    Choice, ChoiceLosses, Compared, ComparedWeights, ComparisonProgress, ComparisonRule,
    ComparisonTask, DataFile, Descent, LearningWeights, NetworkDescent, make_result_folder,
    train_by_comparisons,
};
use kyomi::cli::{Context, ResultExt, at_least_0, parallel};
use kyomi::matches::Origin;
use kyomi_engine::eval::weight_bytes;

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab train comparisons games_engine.tsv.gz games_expert.tsv.gz --rating 3000
      --start logs/train/network/network.bin
  kyomi-lab train comparisons games_engine.tsv.gz games_expert.tsv.gz --rating 3000
      --start crates/engine/src/eval/weights/network.bin --weights sum --every 8 --epochs 4
  kyomi-lab train comparisons games.tsv --every 100 --epochs 1 --start network.bin --out /tmp/quick

A move that was played should lead to a better position, after quiescence search, than the other legal moves.
One game in ten validates. DIR/network.bin contains the network of the epoch with the least loss on these games,
DIR/network.json a report. To use it, give the file to the option `EvalFile` of `kyomi usi`. With `--weights sum`
the fitted sum is trained. DIR/network.bin is then the same network, marked as that of the new sum; this program
refuses it. Copy DIR/fitted.bin, DIR/fitted.json and DIR/network.bin to crates/engine/src/eval/weights and build. Ctrl-C ends the training; the best weights of the epochs that are done are written.
A comparison takes about 2 kilobytes of memory, with `--weights sum` about 17.";

/// Arguments of `kyomi-lab train comparisons`.
#[derive(Debug, Clone, Args)]
pub(super) struct ComparisonArgs {
    #[command(flatten)]
    table: TableArgs,
    /// The network, which is added to the fitted sum of this program
    #[arg(long, value_name = "FILE")]
    start: PathBuf,
    /// The weights to train further; the others stay as they are
    #[arg(long, value_name = "WEIGHTS", default_value = "network")]
    weights: Weights,
    /// Folder of the result
    #[arg(long, default_value = "logs/train/comparisons", value_name = "DIR")]
    out: PathBuf,
    /// Read about one in N positions
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Leave out positions before this ply
    #[arg(long, value_name = "PLY", default_value_t = 12)]
    first_ply: usize,
    /// Leave out moves of players with a lower rating; players without a rating count as strong
    #[arg(long, value_name = "RATING", default_value_t = 0)]
    rating: u32,
    /// Number of passes over the positions
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// First change of a weight in a step, of the sum in centipawns [default: 0.0005, of the sum 4]
    #[arg(long, value_name = "RATE")]
    rate: Option<f32>,
    /// Centipawns by which a move must be better for it to be e times as probable
    #[arg(long, value_name = "CP", default_value_t = ComparisonRule::FOR_NETWORK.temperature)]
    temperature: f32,
    /// Loss of values that change by 100 centipawns; it grows with the square of the change [default: 0.1, of
    /// the sum 0.02]
    #[arg(long, value_name = "LOSS")]
    anchor: Option<f32>,
    /// Number of threads; the result is the same with any number
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = parallel())]
    threads: usize,
}

/// The weights of the evaluation that a training changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Weights {
    /// The network
    Network,
    /// The fitted sum
    Sum,
}

/// The report of a training, written to `network.json` or `fitted.json`.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    origin: Origin,
    tables: Vec<DataFile>,
    games: usize,
    /// The weights that were trained.
    weights: Weights,
    /// The checksums of the fitted sum and of the network, before and after.
    sum: [String; 2],
    network: [String; 2],
    settings: String,
    training_comparisons: usize,
    validation_comparisons: usize,
    best_epoch: u32,
    /// On games that were not learnt from: the first weights, and those that were written.
    before: ChoiceLosses,
    after: ChoiceLosses,
}

pub(super) fn run(args: &ComparisonArgs, context: &Context) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    let args = args.clone();
    if let Some(rate) = args.rate {
        at_least_0("--rate", rate)?;
    }
    let (rule, weights) = args.training();
    if !(0.0..=1000.0).contains(&rule.anchor) {
        return Err(anyhow!("--anchor {}: expected 0 to 1000", rule.anchor)).written_by_user();
    }
    if !(1.0..=10_000.0).contains(&rule.temperature) {
        return Err(anyhow!("--temperature {}: expected 1 to 10000", rule.temperature))
            .written_by_user();
    }
    let start = Arc::new(read_start(&args.start)?);
    make_result_folder(&args.out).written_by_user()?;
    let out = args.out.clone();
    let report = run_stoppable(context, move |stop| {
        let (mut training, mut validation) = (Vec::new(), Vec::new());
        let games = args.table.positions(args.every, |sampled| {
            let is_strong = sampled.rating.is_none_or(|rating| rating >= args.rating);
            if is_strong && sampled.ply >= args.first_ply {
                let (position, played) = (sampled.position.clone(), sampled.played);
                let choices = if sampled.in_test_set { &mut validation } else { &mut training };
                choices.push(Choice { position, played });
            }
            !stop.is_stopped()
        })?;
        let mut random = fastrand::Rng::with_seed(args.table.seed);
        random.shuffle(&mut training);
        random.shuffle(&mut validation);
        let task = ComparisonTask {
            training,
            validation,
            start: Arc::clone(&start),
            weights,
            rule,
            epochs: args.epochs,
            seed: args.table.seed,
        };
        let settings = args.settings(&task);
        let trained = train_by_comparisons(task, show, || stop.is_stopped());
        clear_progress();
        let trained = trained.written_by_user()?;
        let Compared { epoch, training, validation, before, after, .. } = trained;
        let hexadecimal = |checksum: u32| format!("{checksum:08x}");
        let sum = crc32fast::hash(weight_bytes());
        let (new_sum, new_network) = match &trained.weights {
            ComparedWeights::Network(network) => (sum, network.checksum()),
            ComparedWeights::Sum { sum, network } => {
                (crc32fast::hash(sum), network.checksum_for(sum))
            }
        };
        let report = Report {
            origin: Origin::of_this_run(),
            tables: args.table.games.iter().flat_map(|path| DataFile::of(path)).collect(),
            games,
            weights: args.weights,
            sum: [sum, new_sum].map(hexadecimal),
            network: [start.checksum(), new_network].map(hexadecimal),
            settings,
            training_comparisons: training,
            validation_comparisons: validation,
            best_epoch: epoch,
            before,
            after,
        };
        trained.write(&args.out, &report)?;
        Ok(report)
    })?;
    writeln!(
        output,
        "games {}, comparisons to learn from {}, to validate with {}",
        report.games, report.training_comparisons, report.validation_comparisons
    )?;
    writeln!(output, "before {}", report.before)?;
    writeln!(output, "after  {}", report.after)?;
    let _ = writeln!(std::io::stderr(), "kept in {}", out.display());
    Ok(())
}

impl ComparisonArgs {
    /// How choices become a loss, and the weights that learn.
    fn training(&self) -> (ComparisonRule, LearningWeights) {
        let (weights, usual) = match self.weights {
            Weights::Network => {
                let usual = LearningWeights::network_descent();
                let rate = self.rate.unwrap_or(usual.rate);
                let descent = NetworkDescent { rate, threads: self.threads, ..usual };
                (LearningWeights::Network(descent), ComparisonRule::FOR_NETWORK)
            }
            Weights::Sum => {
                let usual = LearningWeights::sum_descent();
                let rate = self.rate.unwrap_or(usual.rate);
                let descent = Descent { rate, threads: self.threads, ..usual };
                (LearningWeights::Sum(descent), ComparisonRule::FOR_SUM)
            }
        };
        let anchor = self.anchor.unwrap_or(usual.anchor);
        (ComparisonRule { temperature: self.temperature, anchor }, weights)
    }

    /// The settings, for the report.
    fn settings(&self, task: &ComparisonTask) -> String {
        let Self { every, first_ply, rating, epochs, table, .. } = self;
        let ComparisonRule { temperature, anchor } = task.rule;
        let seed = table.seed;
        let descent = match &task.weights {
            LearningWeights::Network(descent) => {
                let NetworkDescent { batch, rate, last_rate, decay, .. } = descent;
                format!("batch {batch}, rate {rate}, last rate {last_rate}, decay {decay}")
            }
            LearningWeights::Sum(Descent { batch, rate, kinship, .. }) => {
                format!("batch {batch}, rate {rate}, kinship {kinship}")
            }
        };
        format!(
            "every {every}, first ply {first_ply}, rating from {rating}, seed {seed}, epochs {epochs}, {descent}, \
             temperature {temperature}, anchor {anchor}"
        )
    }
}

fn show(progress: ComparisonProgress) {
    match progress {
        ComparisonProgress::Prepared(percent) => {
            show_progress(&format!("prepared {percent} %"), true);
        }
        ComparisonProgress::Step { epoch, percent } => {
            show_progress(&format!("epoch {epoch} {percent} %"), true);
        }
        ComparisonProgress::Epoch { epoch: 0, validation, .. } => {
            show_progress(&format!("before   validation {validation}"), false);
        }
        ComparisonProgress::Epoch { epoch, training, validation } => {
            let loss = training.choice;
            let text = format!("epoch {epoch}  validation {validation}  training {loss:.4}");
            show_progress(&text, false);
        }
    }
}
