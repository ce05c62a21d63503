//! The subcommands of `kyomi-lab`, one file for each: parse arguments, call one function, print.

mod courses;
mod eval_scale;
mod fit;
mod machines;
mod plausible;
mod positions;
mod random_network;
mod selfplay;
mod studies;
mod train;
mod tune;
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use kyomi::cli::{Context, WorkerArgs, run_program};

/// Experiments with kyomi's engine: self-play, training, tuning, studies.
#[derive(Debug, Parser)]
#[command(name = "kyomi-lab", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Tune numbers of the search by games (SPSA); resumable, everything is kept in a folder
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<tune::TuneArgs>),
    /// Play games of the engine against itself, to learn from; resumable, everything is kept in a folder
    #[command(after_help = selfplay::EXAMPLES)]
    Selfplay(Box<selfplay::SelfplayArgs>),
    /// Fit weights to games
    Train(train::TrainArgs),
    /// Do the jobs of a room: those of `kyomi-lab` and of `kyomi worker --jobs`
    #[command(after_help = worker::EXAMPLES)]
    Worker(WorkerArgs),
    /// Play matches of several machines against one, on virtual time; resumable
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
    /// How often engines choose the best move of a deep search, and after how many nodes; resumable
    #[command(after_help = courses::AGREEMENT_EXAMPLES)]
    Agreement(courses::AgreementArgs),
    /// Nodes and time of engines to each depth, and where the nodes go; a page with plots; resumable
    #[command(after_help = courses::GROWTH_EXAMPLES)]
    Growth(courses::GrowthArgs),
    /// Quality of the line that a search is examining when it is stopped at random
    Stops(studies::StopsArgs),
    /// How many centipawns the unit of an nn.bin is worth, by the results of games
    #[command(after_help = eval_scale::EXAMPLES)]
    Evalscale(eval_scale::EvalScaleArgs),
    /// Write an nn.bin with random weights, to compare programs
    Randomnet(random_network::RandomNetworkArgs),
}

/// The whole program: parses the arguments, runs one command, reports an error. The exit codes are those of `kyomi`.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_program(arguments, |cli: &Cli, context| run(&cli.command, context))
}

fn run(command: &Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Tune(args) => tune::run(args, context),
        Command::Selfplay(args) => selfplay::run(args, context),
        Command::Train(args) => train::run(args, context),
        Command::Worker(args) => worker::run(args, context),
        Command::Machines(args) => machines::run(args, context),
        Command::Plausible(args) => plausible::run(args, context),
        Command::Chains(args) => studies::chains(args, context),
        Command::Lengths(args) => studies::lengths(args, context),
        Command::Likeness(args) => studies::likeness(args, context),
        Command::Ordering(args) => studies::ordering(args, context),
        Command::Agreement(args) => courses::agreement(args, context),
        Command::Growth(args) => courses::growth(args, context),
        Command::Stops(args) => studies::stops(args, context),
        Command::Evalscale(args) => eval_scale::run(args, context),
        Command::Randomnet(args) => random_network::run(args, context),
    }
}
