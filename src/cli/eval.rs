//! `kyomi eval`: the static values of positions.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read, Write as _},
    path::PathBuf,
};

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::json;

use super::{Context, ResultExt as _, evaluation_args::EvaluationScaleArgs};
use kyomi_engine::eval::{AnyEvaluator, Evaluator as _};
use kyomi_shogi::Position;

/// Arguments of `kyomi eval`.
#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// File with one SFEN a line; `-`: standard input
    #[arg(default_value = "-", value_name = "FILE")]
    positions: PathBuf,
    /// Evaluate with the network in this file, or with nn.bin in this folder, instead of the built-in one
    #[arg(long = "file", value_name = "FILE", alias = "eval-file")]
    eval_file: Option<PathBuf>,
    #[command(flatten)]
    scale: EvaluationScaleArgs,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(super) const EXAMPLES: &str = "\
Each line of the output has the position, the value in the file's own unit, and in centipawns, from
the side to move's view. Empty lines and lines that begin with # are left out.

Examples:
  echo startpos | kyomi eval -
  kyomi eval --file eval/nn.bin - < positions.sfen
  kyomi eval --file eval --fv-scale 24 --json positions.sfen";

/// Runs `kyomi eval`.
pub(crate) fn run(args: &EvalArgs, context: &Context) -> anyhow::Result<()> {
    let evaluation = args.scale.load("--file", args.eval_file.clone())?;
    let mut evaluator = AnyEvaluator::of(&evaluation);
    let mut output = context.output.clone();
    let (input, name): (Box<dyn Read>, _) = if args.positions.as_os_str() == "-" {
        (Box::new(io::stdin()), "standard input".to_owned())
    } else {
        let name = args.positions.display().to_string();
        let file = File::open(&args.positions).with_context(|| format!("opening {name}"));
        (Box::new(file.written_by_user()?), name)
    };
    let mut input = BufReader::new(input);
    let (mut line, mut number) = (Vec::new(), 0_u64);
    loop {
        line.clear();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let position = position(text)
            .map_err(|error| anyhow!("{name}, line {number}: {error}"))
            .written_by_user()
            .hint("write one SFEN a line, or startpos")?;
        evaluator.reset(&position);
        let value = evaluator.units(&position);
        let centipawns = evaluator.value(&position);
        if args.json {
            let values = json!({"sfen": text, "value": value, "centipawns": centipawns});
            writeln!(output, "{values}")?;
        } else {
            writeln!(output, "{text}\t{value}\t{centipawns}")?;
        }
        // A program may wait for the value of its last line.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    Ok(output.flush()?)
}

fn position(text: &str) -> Result<Position, String> {
    match text.strip_prefix("sfen ").unwrap_or(text) {
        "startpos" => Ok(Position::startpos()),
        sfen => Position::from_sfen(sfen).map_err(|error| error.to_string()),
    }
}

/// No SFEN has more bytes.
const LONGEST_LINE: u64 = 4096;
