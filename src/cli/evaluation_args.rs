//! The options that choose the evaluation.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::ResultExt as _;
use crate::players::{EvalOptions, NamedPath};
use kyomi_engine::eval::Evaluation;

/// The options that choose the evaluation of a search.
#[derive(Debug, Clone, Default, Args)]
pub struct EvaluationArgs {
    /// Evaluate with the network in this file, or with nn.bin in this folder, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
    /// Its scale.
    #[command(flatten)]
    pub scale: EvaluationScaleArgs,
}

/// The options of its scale.
#[derive(Debug, Clone, Default, Args)]
pub struct EvaluationScaleArgs {
    /// What the output of an nn.bin is divided by to give its own unit [default: 16]
    #[arg(long, value_name = "N", requires = "eval_file", value_parser = clap::value_parser!(u8).range(1..=128))]
    fv_scale: Option<u8>,
    /// Centipawns for 100 of its units [default: 95]
    #[arg(long, value_name = "PERCENT", requires = "eval_file", value_parser = clap::value_parser!(u16).range(1..=1000))]
    eval_scale: Option<u16>,
}

impl EvaluationArgs {
    /// The evaluation that they choose.
    pub fn load(&self) -> anyhow::Result<Evaluation> {
        self.scale.load("--eval-file", self.eval_file.clone())
    }
}

impl EvaluationScaleArgs {
    /// The evaluation of a file with this scale; the built-in one without a file. `by` is the option that names it.
    pub fn load(&self, by: &'static str, file: Option<PathBuf>) -> anyhow::Result<Evaluation> {
        let options = EvalOptions {
            file: file.map(|path| NamedPath { path, by }),
            fv_scale: self.fv_scale,
            percent: self.eval_scale,
            ..EvalOptions::default()
        };
        options.load().map_err(|fault| anyhow!(fault)).written_by_user()
    }
}
