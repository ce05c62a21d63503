//! `kyomi lab`: experiments with the engine.

use clap::{Args, Subcommand};

#[cfg(feature = "cluster")]
use super::machines;
use super::{Context, eval_scale, plausible, random_network, selfplay, studies, tune};

/// Arguments of `kyomi lab`.
#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Tune numbers of the search by games (SPSA); resumable, everything is kept in a folder
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<tune::TuneArgs>),
    /// Play games of the engine against itself, to learn from; resumable, everything is kept in a folder
    #[command(after_help = selfplay::EXAMPLES)]
    Selfplay(Box<selfplay::SelfplayArgs>),
    /// Play matches of several machines against one, on virtual time; resumable
    #[cfg(feature = "cluster")]
    #[command(after_help = machines::EXAMPLES)]
    Machines(Box<machines::MachinesArgs>),
    /// Moves that plausible move generation leaves out, and how often the played move is among them
    Plausible(plausible::PlausibleArgs),
    /// Share of ten-ply stretches of which plausible move generation keeps every move; legal moves by ply
    Chains(studies::ChainsArgs),
    /// Work that interest search saves against full width to the same depth, by the number of legal moves
    Lengths(studies::LengthsArgs),
    /// How often the search chooses the move that was played, by rating
    Likeness(studies::LikenessArgs),
    /// How early the best moves come by interest and in inner nodes, with learned probabilities and without
    Ordering(studies::OrderingArgs),
    /// Quality of the line that a search is examining when it is stopped at random
    Stops(studies::StopsArgs),
    /// How many centipawns the unit of an nn.bin is worth, by the results of games
    #[command(after_help = eval_scale::EXAMPLES)]
    Evalscale(eval_scale::EvalScaleArgs),
    /// Write an nn.bin with random weights, to compare programs
    Randomnet(random_network::RandomNetworkArgs),
}

/// Runs an experiment.
pub(crate) fn run(args: &LabArgs, context: &Context) -> anyhow::Result<()> {
    match &args.experiment {
        Experiment::Tune(args) => tune::run(args, context),
        Experiment::Selfplay(args) => selfplay::run(args, context),
        #[cfg(feature = "cluster")]
        Experiment::Machines(args) => machines::run(args, context),
        Experiment::Plausible(args) => plausible::run(args, context),
        Experiment::Chains(args) => studies::chains(args, context),
        Experiment::Lengths(args) => studies::lengths(args, context),
        Experiment::Likeness(args) => studies::likeness(args, context),
        Experiment::Ordering(args) => studies::ordering(args, context),
        Experiment::Stops(args) => studies::stops(args, context),
        Experiment::Evalscale(args) => eval_scale::run(args, context),
        Experiment::Randomnet(args) => random_network::run(args, context),
    }
}
