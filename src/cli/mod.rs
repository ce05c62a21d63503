//! One file per subcommand: parse arguments, call one function below, print (layer 6).
//!
//! What a command needs from its surroundings comes in one `Context`: the writer of standard
//! output, the configuration, the log, signals and the network runtime. Errors are `anyhow` here
//! and here only; `fault` turns them into one line and an exit code.
//!
//! Not here: anything that could be tested without a process.

mod arguments;
mod bench;
mod book;
mod check;
mod context;
mod convert;
mod explain;
mod fault;
mod fit;
mod lab;
mod logging;
mod matches;
mod meter;
mod output;
mod perft;
mod plausible;
mod play;
mod positions;
mod selfplay;
mod serve;
mod show;
mod signals;
mod standard_input;
mod studies;
mod train;
mod tune;
mod usi;

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};

pub(crate) use arguments::{ConfigArgs, OpeningArgs};
pub(crate) use context::{Context, NetworkRuntime};
pub(crate) use fault::ResultExt;
pub use output::Output;
pub(crate) use signals::{SignalScope, Signals};
pub(crate) use standard_input::StandardInput;

/// A computer-shogi tournament client: it plays whole games over the CSA protocol.
#[derive(Debug, Parser)]
#[command(name = "kyomi", version, about, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play games: on the embedded server, or on the one the configuration names
    #[command(after_help = PLAY_EXAMPLES)]
    Play(play::PlayArgs),
    /// Run the local CSA server for other programs
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(serve::ServeArgs),
    /// Be a USI engine on standard input and output, for graphical programs
    Usi(usi::UsiArgs),
    /// Is the configuration right, can the server be reached, does the engine start?
    Check(check::CheckArgs),
    /// Convert records from any format to any other: files, folders, standard input
    #[command(after_help = convert::after_help())]
    Convert(convert::ConvertArgs),
    /// Opening books: make one of games, join, filter, show
    #[command(after_help = book::EXAMPLES)]
    Book(book::BookArgs),
    /// Let engines play against each other: Elo with error bars, SPRT, records, resumable
    #[command(name = "match", after_help = matches::EXAMPLES)]
    Match(Box<matches::MatchArgs>),
    /// Experiments: tuning, self-play, plausible moves, what games show of the search
    Lab(lab::LabArgs),
    /// Fit weights to games
    Train(train::TrainArgs),
    /// Count the leaves of the tree of legal moves
    #[command(after_help = PERFT_EXAMPLES)]
    Perft(perft::PerftArgs),
    /// Search fixed positions to a fixed limit: total nodes and nodes per second
    Bench(bench::BenchArgs),
    /// Show a position of a record: the board in the terminal, or as a picture
    #[command(after_help = SHOW_EXAMPLES)]
    Show(show::ShowArgs),
    /// Why the search looks at a move or not: interest, cost and cut of each
    #[command(after_help = explain::ExplainArgs::EXAMPLES)]
    Explain(Box<explain::ExplainArgs>),
}

const EXAMPLES: &str = "\
Examples:
  kyomi play                                    one game, kyomi against kyomi, on this machine
  kyomi play --time 60+1                        the same with 60 s and 1 s more for each move
  kyomi play --config config/floodgate.toml     the next game on floodgate
  kyomi serve --config config/lan-server.toml   a server for other programs
  kyomi check --config config/floodgate.toml    is everything ready?
  kyomi convert old-games --to csa3 -o new      a folder of records in another format
  kyomi perft startpos 5                        ends with: nodes 19861490

Exit codes: 0 done, 1 something went wrong while running, 2 wrong arguments or configuration.";

const PLAY_EXAMPLES: &str = "\
Examples:
  kyomi play --time 600,byoyomi=10 --games 3
  kyomi play --set engine.kind=usi --set engine.path=engines/my-engine
  kyomi play --config config/floodgate.toml | tee games.txt

Without a terminal: one line for each move, PLY MOVE T BLACK_LEFT WHITE_LEFT SCORE (times in seconds,
the score in centipawns from black's side, - for what is not known), then result, reason and record.
Ctrl-C finishes the running game and stops; twice resigns and leaves. SIGTERM counts as Ctrl-C.";

const SERVE_EXAMPLES: &str = "\
Examples:
  kyomi serve --config config/lan-server.toml
  kyomi serve --set listen.address=127.0.0.1:0

The first line on standard output is: listening on ADDRESS:PORT";

const PERFT_EXAMPLES: &str = "\
Examples:
  kyomi perft startpos 5
  kyomi perft 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1' 4 --divide

The last line on standard output is: nodes N";

const SHOW_EXAMPLES: &str = "\
Examples:
  kyomi show game.csa                           the last position
  kyomi show game.csa --ply 40 --svg board.svg  a picture of the board after 40 moves
  kyomi show - --letters < game.csa             with the letters of SFEN instead of Japanese
  kyomi show 'startpos moves 7g7f 3c3d'         a position as USI or SFEN has it

A file of several games shows the first, or the one of --game. NO_COLOR is honoured.";

/// The whole program: parses the arguments, runs one command, says what went wrong.
///
/// The exit code is 0 when the work was done (a lost game is done), 2 for what the user wrote,
/// 1 for everything met while running.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    logging::install_panic_hook();
    // The context outlives the last word, so that this reaches the log as well.
    let context = Context::new(Output::stdout());
    let outcome = match Cli::try_parse_from(arguments) {
        Ok(cli) => run(&cli.command, &context),
        Err(refused) => fault::explain_arguments(&refused, &context.output),
    };
    logging::finish_speaking();
    fault::conclude(outcome)
}

fn run(command: &Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Play(args) => play::run(args, context),
        Command::Serve(args) => serve::run(args, context),
        Command::Usi(args) => usi::run(args, context),
        Command::Check(args) => check::run(args, context),
        Command::Convert(args) => convert::run(args, context),
        Command::Book(args) => book::run(args, context),
        Command::Match(args) => matches::run(args, context),
        Command::Lab(args) => lab::run(args, context),
        Command::Train(args) => train::run(args, context),
        Command::Perft(args) => perft::run(args, context),
        Command::Bench(args) => bench::run(args, context),
        Command::Show(args) => show::run(args, context),
        Command::Explain(args) => explain::run(args, context),
    }
}
