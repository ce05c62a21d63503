//! `kyomi-lab evalscale`: the scale of an evaluation by the results of games.

use std::fmt::Write as _;

use anyhow::anyhow;
use clap::Args;

use crate::studies::{EvalScaleReader, EvalScaleStudy};

use super::positions::TableArgs;
use super::studies::{print, read_games};
use kyomi::cli::{Context, EvaluationArgs, ResultExt as _};

/// Arguments of `kyomi-lab evalscale`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EvalScaleArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Read about one in N games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) const EXAMPLES: &str = "\
Example:
  kyomi-lab evalscale games.tsv.gz --eval-file eval/nn.bin";

/// Runs the study.
pub(crate) fn run(args: &EvalScaleArgs, context: &Context) -> anyhow::Result<()> {
    if args.evaluation.eval_file.is_none() {
        return Err(anyhow!("--eval-file is missing: the file whose scale is wanted"))
            .written_by_user();
    }
    let reader = EvalScaleReader::new(&args.evaluation.load()?);
    let study = read_games(context, &args.table, args.every, 500, reader)?;
    print(context, args.json, &study, text)
}

fn text(study: &EvalScaleStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let EvalScaleStudy { evaluation, games, positions, builtin, file, percent } = study;
    writeln!(text, "{evaluation}")?;
    writeln!(text, "{positions} quiet positions of {games} games\n")?;
    writeln!(text, "evaluation    logistic unit     loss")?;
    for (name, fit) in [("built-in", builtin), ("file", file)] {
        let unit = fit.unit.map_or_else(|| "-".to_owned(), |unit| format!("{unit:.0}"));
        let loss = fit.loss.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.4}"));
        writeln!(text, "{name:10} {unit:>16} {loss:>8}")?;
    }
    match percent {
        Some(percent) => writeln!(
            text,
            "\n100 units of the file are {percent} centipawns: --eval-scale {percent}, the option Eval_Scale"
        )?,
        None => writeln!(text, "\nthe games do not decide the scale; read more of them")?,
    }
    Ok(text)
}
