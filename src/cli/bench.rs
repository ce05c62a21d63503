//! `kyomi bench`: searches fixed positions to a fixed limit; reports total nodes and speed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::json;

use super::{Context, fault::ResultExt};
use crate::{
    eval::network::Network,
    search::{
        Parameters, Score,
        bench::{self, Outcome, Task},
    },
};

/// Arguments of `kyomi bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Search threads; the node count is deterministic with one
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = super::arguments::parallel())]
    threads: usize,
    /// Nominal depth of each search in plies
    #[arg(long, default_value_t = bench::DEPTH, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: u32,
    /// An option of the search by its USI name, such as `Preset=full` or `Interest_Killer=0`; may be
    /// repeated; `kyomi usi` lists them all
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Evaluate with the network in this file instead of the built-in one (see `kyomi train network`)
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `kyomi bench`.
pub(crate) fn run(args: &BenchArgs, context: &Context) -> anyhow::Result<()> {
    let parameters = parameters(&args.options)?;
    let network = network(args.eval_file.as_deref())?;
    let task =
        Task { threads: args.threads, depth: args.depth, parameters, network, ..Task::default() };
    let mut output = context.output.clone();
    let mut positions = Vec::new();
    let total = bench::run::<anyhow::Error>(&task, |outcome| {
        if args.json {
            positions.push(as_json(&outcome));
        } else {
            let Outcome { sfen, nodes, time, .. } = outcome;
            let (best, score) = (text_of(&outcome), score_text(outcome.score));
            writeln!(output, "{sfen}")?;
            writeln!(output, "  {best} {score} nodes {nodes} time {:.3} s", time.as_secs_f64())?;
        }
        Ok(())
    })?;
    if args.json {
        let all = json!({
            "threads": task.threads,
            "depth": task.depth,
            "positions": positions,
            "seconds": total.time.as_secs_f64(),
            "nodes": total.nodes,
            "nps": total.nps,
        });
        writeln!(output, "{all}")?;
    } else {
        writeln!(output, "time {:.3} s", total.time.as_secs_f64())?;
        writeln!(output, "nodes {}", total.nodes)?;
        writeln!(output, "nps {}", total.nps)?;
    }
    Ok(())
}

/// The network in a file, or the built-in one.
pub(crate) fn network(file: Option<&Path>) -> anyhow::Result<Arc<Network>> {
    let Some(path) = file else { return Ok(Network::builtin()) };
    let network = Network::read(path).map_err(|error| anyhow!("{} {error}", path.display()));
    Ok(Arc::new(network.written_by_user()?))
}

/// The default parameters of the search with these options.
pub(crate) fn parameters(options: &[String]) -> anyhow::Result<Parameters> {
    let mut parameters = Parameters::default();
    for option in options {
        let (name, value) = option
            .split_once('=')
            .ok_or_else(|| anyhow!("--option {option}: expected NAME=VALUE"))
            .written_by_user()?;
        parameters
            .set(name.trim(), value)
            .with_context(|| format!("--option {option}"))
            .written_by_user()
            .hint("`kyomi usi` lists all options in answer to `usi`")?;
    }
    Ok(parameters)
}

fn as_json(outcome: &Outcome) -> serde_json::Value {
    json!({
        "sfen": outcome.sfen,
        "best": text_of(outcome),
        "score": score_text(outcome.score),
        "nodes": outcome.nodes,
        "seconds": outcome.time.as_secs_f64(),
    })
}

fn text_of(outcome: &Outcome) -> String {
    outcome.best.map_or_else(|| "none".to_owned(), |mv| mv.to_string())
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(centipawns) => format!("cp {centipawns}"),
        mate => mate.to_string(),
    }
}
