//! Arguments that all fits to positions share.

use std::{num::NonZeroUsize, path::PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::super::fault::ResultExt;
use crate::lab::train::{PositionFilter, SelfplayPositionFilter, TrainError};

/// Arguments of all fits to positions and their values.
#[derive(Debug, Args)]
pub(super) struct PositionArgs {
    /// Tables of games (.tsv, gzip or plain), folders or files of self-play (see `kyomi lab selfplay`)
    #[arg(required = true, value_name = "TABLE")]
    pub(super) tables: Vec<PathBuf>,
    /// Decides which games validate and the order of the positions
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of threads; the result is the same with any number
    #[arg(long, default_value = "2", value_name = "N")]
    pub(super) threads: NonZeroUsize,
    /// Share of the games that are used for validation only
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    pub(super) validate: f64,
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
}

impl PositionArgs {
    /// The choice of positions of tables and of self-play.
    pub(super) fn filters(&self) -> anyhow::Result<(PositionFilter, SelfplayPositionFilter)> {
        for (name, value) in
            [("--validate", self.validate), ("--result-share", f64::from(self.result_share))]
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(anyhow!("{name} {value}: expected a share between 0 and 1"))
                    .written_by_user();
            }
        }
        at_least_0("--plain-weight", self.plain_weight)?;
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
        };
        Ok((choice, selfplay))
    }
}

/// Refuses a negative number, and one that is none.
pub(super) fn at_least_0(name: &str, value: f32) -> anyhow::Result<()> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(anyhow!("{name} {value}: expected a number from 0")).written_by_user()
}

/// Marks the errors that the user's input causes.
pub(super) fn explain<T>(error: TrainError) -> anyhow::Result<T> {
    match error {
        TrainError::Io { .. } | TrainError::Selfplay(_) => Err(error.into()),
        _ => Err(error).written_by_user(),
    }
}
