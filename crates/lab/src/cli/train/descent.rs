//! The options of the trainings of networks that say how weights change.

use clap::Args;

use crate::train::NetworkDescent;
use kyomi::cli::at_least_0;

#[derive(Debug, Args)]
pub(super) struct DescentArgs {
    /// First change of a weight in a step
    #[arg(long, default_value_t = NetworkDescent::default().rate, value_name = "RATE")]
    rate: f32,
    /// Last rate, as a share of the first
    #[arg(long, default_value_t = NetworkDescent::default().last_rate, value_name = "SHARE")]
    last_rate: f32,
    /// Part of a weight that each step removes, as a multiple of the rate
    #[arg(long, default_value_t = NetworkDescent::default().decay, value_name = "PART")]
    decay: f32,
}

impl DescentArgs {
    /// The descent on this number of threads.
    pub(super) fn descent(&self, threads: usize) -> anyhow::Result<NetworkDescent> {
        let Self { rate, last_rate, decay } = *self;
        at_least_0("--rate", rate)?;
        at_least_0("--last-rate", last_rate)?;
        at_least_0("--decay", decay)?;
        Ok(NetworkDescent { rate, last_rate, decay, threads, ..NetworkDescent::default() })
    }
}
