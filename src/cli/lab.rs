//! `kyomi lab`: experiments with the engine.

use clap::{Args, Subcommand};

use super::{Context, plausible, tune};

/// Arguments of `kyomi lab`.
#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Tune numbers of the search by games (SPSA): resumable, all kept in a folder
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<tune::TuneArgs>),
    /// What plausible moves leave out of positions of games, and how often the played move with it
    Plausible(plausible::PlausibleArgs),
}

/// Runs one.
pub(crate) fn run(args: &LabArgs, context: &Context) -> anyhow::Result<()> {
    match &args.experiment {
        Experiment::Tune(args) => tune::run(args, context),
        Experiment::Plausible(args) => plausible::run(args, context),
    }
}
