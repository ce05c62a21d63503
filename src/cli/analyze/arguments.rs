//! The arguments of `kyomi analyze`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, builder::PossibleValue};

use super::outputs::OutputKind;
use crate::cli::{ConfigArgs, EvaluationArgs};
use crate::report::Language;
use kyomi_shogi::clock::parse_duration;

/// Arguments of `kyomi analyze`.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(crate) struct AnalyzeArgs {
    /// Records of any format that `kyomi convert` reads, and folders of them
    #[arg(required = true, value_name = "RECORD")]
    pub(super) records: Vec<PathBuf>,
    /// Search each position for this time, e.g. `1s`
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "nodes")]
    pub(super) time_per_move: Option<Duration>,
    /// Search this number of nodes in each position [default: 200000 if no time is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Search threads; with one thread and a number of nodes the analysis is reproducible
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = crate::cli::arguments::parallel())]
    pub(super) threads: usize,
    /// Number of lines to find in each position
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=20))]
    pub(super) multipv: u64,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub(super) hash: u64,
    #[command(flatten)]
    pub(super) evaluation: EvaluationArgs,
    /// Analyse with this USI engine instead of the built-in search
    #[arg(long, value_name = "PROGRAM", conflicts_with = "eval_file")]
    pub(super) engine: Option<PathBuf>,
    /// An option of the USI engine, such as `EvalDir=eval`; may be repeated
    #[arg(long = "engine-option", value_name = "NAME=VALUE", requires = "engine")]
    pub(super) engine_options: Vec<String>,
    /// Let the workers of a room search (`kyomi worker --jobs N`), by the broker of [cluster]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["engine", "eval_file"])]
    pub(super) room: Option<String>,
    /// What to write, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "html", value_name = "KINDS")]
    pub(super) to: Vec<OutputKind>,
    /// Folder to write to [default: beside the record; for a folder its sub-folder `analysis`]
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
    /// Number of the game in files of several games, from 1 [default: all games]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) game: Option<u64>,
    /// Language of the comments in records: `en` or `ja`; pages have both
    #[arg(long, value_enum, default_value = "en", value_name = "LANGUAGE")]
    pub(super) lang: Language,
    /// Leave variations out of KIF, for programs that cannot read them
    #[arg(long)]
    pub(super) no_variations: bool,
    /// Leave out what interest search knows of the mistakes: interest, cost, cut
    #[arg(long)]
    pub(super) no_why: bool,
    /// Database that keeps what was found [default: the database of games, `[records] index`]
    #[arg(long, alias = "store", value_name = "FILE", conflicts_with = "no_store")]
    pub(super) db: Option<PathBuf>,
    /// Keep nothing, and search everything again
    #[arg(long)]
    pub(super) no_store: bool,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    /// Overwrite files that `kyomi analyze` has not written
    #[arg(short, long)]
    pub(super) force: bool,
}

impl ValueEnum for Language {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::English, Self::Japanese]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::English => "en",
            Self::Japanese => "ja",
        }))
    }
}

impl AnalyzeArgs {
    /// The examples of the help text.
    pub(crate) const EXAMPLES: &'static str = "\
Examples:
  kyomi analyze game.csa                          game.analysis.html beside the record
  kyomi analyze game.csa --time-per-move 2s --threads 4 --multipv 3
  kyomi analyze game.kif --to html,kif,json --lang ja
  kyomi analyze season/ --nodes 50000             season/analysis/index.html with a cross table
  kyomi analyze season/ --room lab --set cluster.servers=nats://broker:4222
  kyomi analyze game.csa --engine engines/suisho --engine-option EvalDir=eval

Ctrl-C stops; what was found is kept and not searched again. docs/games.md explains marks and figures.";
}

fn duration(text: &str) -> Result<Duration, String> {
    match parse_duration(text) {
        Ok(time) if time.is_zero() => Err("0 is no time".to_owned()),
        other => other.map_err(|error| error.to_string()),
    }
}
