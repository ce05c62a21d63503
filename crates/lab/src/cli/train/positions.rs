//! What all fits to positions share: their arguments, progress and report.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use crate::train::{DataSource, PositionFilter, SelfplayPositionFilter, TrainError};
use kyomi::cli::{ConfigArgs, Context, ResultExt, SignalScope, Signals, parallel};

/// Arguments of all fits to positions and their values.
#[derive(Debug, Args)]
pub(super) struct PositionArgs {
    /// Tables of games (.tsv, gzip or plain), folders or files of self-play (see `kyomi-lab selfplay`)
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<PathBuf>,
    /// Decides which games validate and the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; the result is the same with any number
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = parallel())]
    pub(super) threads: usize,
    /// Share of the games that are used for validation only
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    validate: f64,
    /// Take every N-th suitable position
    #[arg(long, default_value = "1", value_name = "N")]
    every: NonZeroUsize,
    /// Leave out positions before this ply
    #[arg(long, default_value_t = PositionFilter::default().first_ply, value_name = "PLY")]
    first_ply: usize,
    /// Share of the result in the target value of a position with an engine's score
    #[arg(long, default_value_t = PositionFilter::default().result_share, value_name = "SHARE")]
    result_share: f32,
    /// Weight of a position without an engine's score
    #[arg(long, default_value_t = PositionFilter::default().plain_weight, value_name = "WEIGHT")]
    plain_weight: f32,
    /// Self-play: leave out the positions of this number of moves at the start of a game
    #[arg(long, default_value_t = SelfplayPositionFilter::default().first_ply, value_name = "PLY")]
    selfplay_first_ply: usize,
    /// Self-play: leave out positions in which captures win more than this
    #[arg(long, default_value_t = SelfplayPositionFilter::default().quiet_within, value_name = "CP")]
    selfplay_quiet_within: i32,
    /// Self-play: leave out positions with a score of this size or larger
    #[arg(long, default_value_t = SelfplayPositionFilter::default().score_below, value_name = "CP")]
    selfplay_score_below: i32,
    /// Self-play: share of the result in the target value [default: as for tables]
    #[arg(long, value_name = "SHARE")]
    selfplay_result_share: Option<f32>,
    /// Self-play: λ of TD(λ), the share of the next position's value in the value of a position; 0: each score
    /// alone counts
    #[arg(long, default_value_t = SelfplayPositionFilter::default().lambda, value_name = "SHARE")]
    selfplay_lambda: f32,
    /// Self-play: one logistic unit of the scores [default: follows from the results]
    #[arg(long, value_name = "CP")]
    selfplay_unit: Option<f32>,
}

impl PositionArgs {
    /// The games and the choice of their positions.
    pub(super) fn source(&self) -> anyhow::Result<DataSource> {
        let of_selfplay = self.selfplay_result_share.unwrap_or(self.result_share);
        for (name, value) in [
            ("--validate", self.validate),
            ("--result-share", f64::from(self.result_share)),
            ("--selfplay-result-share", f64::from(of_selfplay)),
            ("--selfplay-lambda", f64::from(self.selfplay_lambda)),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(anyhow!("{name} {value}: expected a share between 0 and 1"))
                    .written_by_user();
            }
        }
        kyomi::cli::at_least_0("--plain-weight", self.plain_weight)?;
        if let Some(unit) = self.selfplay_unit.filter(|unit| !(1.0..1e6).contains(unit)) {
            return Err(anyhow!("--selfplay-unit {unit}: expected centipawns from 1"))
                .written_by_user();
        }
        let choice = PositionFilter {
            first_ply: self.first_ply,
            every: self.every.get(),
            result_share: self.result_share,
            plain_weight: self.plain_weight,
        };
        let selfplay = SelfplayPositionFilter {
            first_ply: self.selfplay_first_ply,
            quiet_within: self.selfplay_quiet_within,
            score_below: self.selfplay_score_below,
            result_share: self.selfplay_result_share,
            lambda: self.selfplay_lambda,
            unit: self.selfplay_unit,
        };
        Ok(DataSource {
            tables: self.tables.clone(),
            seed: self.seed,
            validation: self.validate,
            choice,
            selfplay,
        })
    }
}

/// The report of a fit and the folder of its results.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

impl ReportArgs {
    /// Runs a fit, which asks its argument whether to stop, and prints its report.
    pub(super) fn run<R: Serialize>(
        &self,
        context: &Context,
        out: &Path,
        fit: impl FnOnce(&dyn Fn() -> bool) -> Result<R, TrainError>,
        print: impl FnOnce(&mut dyn Write, &R) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let config = context.load_config(&self.config, Vec::new())?;
        context.start_logging(&config)?;
        let runtime = context.network_runtime()?;
        let report = runtime.block_on(async {
            let stop = Signals::listen(SignalScope::Work)?.finish;
            let report = fit(&|| stop.is_cancelled());
            clear_progress();
            report.or_else(explain)
        })?;
        let mut output = context.output.clone();
        if self.json {
            writeln!(output, "{}", serde_json::to_string_pretty(&report)?)?;
        } else {
            print(&mut output, &report)?;
        }
        let _ = writeln!(io::stderr(), "kept in {}", out.display());
        Ok(())
    }
}

/// Writes progress to standard error: lines that stay, and lines of steps, which a terminal shows in one place.
pub(super) fn show_progress(progress: &impl Display, is_step: bool) {
    let mut stderr = io::stderr();
    // A closed reader is not a reason to stop.
    let _ = match (stderr.is_terminal(), is_step) {
        (true, true) => write!(stderr, "\r{progress}\x1b[K"),
        (true, false) => writeln!(stderr, "\r{progress}\x1b[K"),
        (false, true) => Ok(()),
        (false, false) => writeln!(stderr, "{progress}"),
    };
}

/// Clears the line of steps that a terminal shows, so that nothing is written behind it.
pub(super) fn clear_progress() {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[K");
    }
}

/// Marks the errors that the user's input causes.
fn explain<T>(error: TrainError) -> anyhow::Result<T> {
    match error {
        TrainError::Io { .. } | TrainError::Selfplay(_) => Err(error.into()),
        _ => Err(error).written_by_user(),
    }
}
