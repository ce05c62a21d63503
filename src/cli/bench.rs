//! `kyomi bench`: searches fixed positions to a fixed limit; reports total nodes and speed.

use std::io::Write;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::json;

use super::{Context, EvaluationArgs, fault::ResultExt};
use kyomi_engine::eval::{
    Evaluation, EvaluationSpeed,
    nnue::{Architecture, instructions, write_random},
};
use kyomi_engine::search::{
    Parameters, Score,
    bench::{self, Outcome, Task},
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
    /// An option of the search by its USI name, such as `Preset=full` or `Plies_Prior=0`; may be
    /// repeated; `kyomi usi` lists them all
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Evaluate random lines instead, with the built-in evaluation, a network of each known architecture with random
    /// weights, and --eval-file
    #[arg(long, conflicts_with_all = ["threads", "depth", "options"])]
    evaluations: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `kyomi bench`.
pub(crate) fn run(args: &BenchArgs, context: &Context) -> anyhow::Result<()> {
    if args.evaluations {
        return evaluations(args, context);
    }
    let parameters = parameters(Parameters::default(), &args.options)?;
    let evaluation = args.evaluation.load()?;
    let task = Task {
        threads: args.threads,
        depth: args.depth,
        parameters,
        evaluation,
        ..Task::default()
    };
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

/// Measures the speed of all evaluations.
fn evaluations(args: &BenchArgs, context: &Context) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    let mut measured = Vec::new();
    let mut measure = |evaluation: &Evaluation| -> anyhow::Result<()> {
        let per_second = EvaluationSpeed::measure(evaluation).per_second().round();
        if args.json {
            measured.push(json!({
                "evaluation": evaluation.to_string(),
                "evaluations_per_second": per_second,
            }));
        } else {
            writeln!(output, "{per_second:>10} evaluations/s  {evaluation}")?;
            output.flush()?;
        }
        Ok(())
    };
    measure(&Evaluation::builtin())?;
    if args.evaluation.eval_file.is_some() {
        measure(&args.evaluation.load()?)?;
    }
    for architecture in Architecture::KNOWN {
        let mut file = Vec::new();
        write_random(architecture, 1, &mut file)?;
        let evaluation = Evaluation::from_bytes(&file)?;
        drop(file);
        measure(&evaluation)?;
    }
    if args.json {
        let all = json!({ "instructions": instructions(), "evaluations": measured });
        writeln!(output, "{all}")?;
    } else {
        writeln!(output, "networks of other programs with {} instructions", instructions())?;
    }
    Ok(())
}

/// Parameters of the search with these options.
pub fn parameters(mut parameters: Parameters, options: &[String]) -> anyhow::Result<Parameters> {
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
