//! The subcommands, one file for each: parse arguments, call one function of a lower layer, print.
//!
//! A `Context` gives a command the writer of standard output, the configuration, the log and the network runtime.
//! Errors are `anyhow` here and here only; `fault` turns them into one line and an exit code.
//!
//! Not here: code that could be tested without a process.

mod analyze;
mod arguments;
mod bench;
mod book;
mod check;
mod completions;
mod context;
mod convert;
mod ctl;
mod descriptors;
mod eval;
mod evaluation_args;
mod explain;
mod fault;
mod games;
mod line_thread;
mod logging;
mod man;
mod matches;
mod meter;
mod output;
mod perft;
mod play;
mod progress_bar;
#[cfg(feature = "cluster")]
pub mod room;
mod serve;
mod service;
mod show;
mod signals;
mod spy;
mod standard_input;
mod usi;
mod watch;
#[cfg(not(feature = "cluster"))]
mod without_cluster;
mod worker;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory as _, Parser, Subcommand};

pub use arguments::{ConfigArgs, OpeningArgs, at_least_0, parallel};
pub use bench::parameters;
pub use context::{Context, NetworkRuntime};
pub use convert::format_named;
pub use evaluation_args::EvaluationArgs;
pub use fault::{ResultExt, interrupted};
pub use matches::play_match;
pub use meter::Meter;
pub use output::Output;
pub use signals::{SignalScope, Signals};
pub(crate) use standard_input::StandardInput;
pub use worker::WorkerArgs;
#[cfg(feature = "cluster")]
pub use worker::run_worker;

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
    /// Show in one line what a running client is doing
    Status(ctl::StatusArgs),
    /// Show the games of a running client in another terminal
    #[command(after_help = watch::EXAMPLES)]
    Watch(watch::WatchArgs),
    /// Ask a running client to finish, leave or pause, or to stop after some games
    #[command(after_help = ctl::REQUESTS)]
    Ctl(ctl::CtlArgs),
    /// Run the local CSA server for other programs
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(serve::ServeArgs),
    /// Keep the records of games that others play on a server; list its players and games
    #[command(after_help = spy::EXAMPLES)]
    Spy(spy::SpyArgs),
    /// Search for the machines of a room, or do its jobs, joined by a NATS server
    #[command(after_help = worker::EXAMPLES)]
    Worker(WorkerArgs),
    /// Run as a USI engine on standard input and output, for graphical programs
    Usi(usi::UsiArgs),
    /// Print a systemd unit that plays or serves day and night
    #[command(after_help = SERVICE_EXAMPLES)]
    Service(service::ServiceArgs),
    /// Check what a tournament needs: machine, login, engine, book; play a rehearsal
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArgs),
    /// Convert records from any format to any other: files, folders, standard input
    #[command(after_help = convert::after_help())]
    Convert(convert::ConvertArgs),
    /// The games of a season: import, list, search, statistics, export
    #[command(after_help = games::EXAMPLES)]
    Games(Box<games::GamesArgs>),
    /// Opening books: make one of games, join, filter, show
    #[command(after_help = book::EXAMPLES)]
    Book(book::BookArgs),
    /// Let engines play against each other: Elo with error bars, SPRT, records, resumable
    #[command(name = "match", after_help = matches::EXAMPLES)]
    Match(Box<matches::MatchArgs>),
    /// Count the leaves of the tree of legal moves (perft)
    #[command(after_help = PERFT_EXAMPLES)]
    Perft(perft::PerftArgs),
    /// Print the static values of positions, by the built-in evaluation or by an nn.bin
    #[command(after_help = eval::EXAMPLES)]
    Eval(eval::EvalArgs),
    /// Search fixed positions to a fixed limit: total nodes and nodes per second
    Bench(bench::BenchArgs),
    /// Show a position of a record: the board in the terminal, or as a picture
    #[command(after_help = SHOW_EXAMPLES)]
    Show(show::ShowArgs),
    /// Search every position of games; mark mistakes; write pages, annotated records, JSON
    #[command(after_help = analyze::AnalyzeArgs::EXAMPLES)]
    Analyze(Box<analyze::AnalyzeArgs>),
    /// Explain why the search examines each move or not: interest, cost and cut
    #[command(after_help = explain::ExplainArgs::EXAMPLES)]
    Explain(Box<explain::ExplainArgs>),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Print a manual page, or write those of all commands
    #[command(after_help = MAN_EXAMPLES)]
    Man(man::ManArgs),
}

const EXAMPLES: &str = "\
Examples:
  kyomi play                                    one game, kyomi against kyomi, on this machine
  kyomi play --time 60+1                        the same with 60 s and 1 s for each move
  kyomi play --config config/floodgate.toml     the next game on floodgate
  kyomi serve --config config/lan-server.toml   a server for other programs
  kyomi check --config config/floodgate.toml    is everything ready?
  kyomi convert old-games --to csa3 -o new      a folder of records in another format
  kyomi perft startpos 5                        ends with: nodes 19861490

Exit codes: 0 success, 1 an error while running, 2 wrong arguments or configuration.";

const PLAY_EXAMPLES: &str = "\
Examples:
  kyomi play --time 600,byoyomi=10 --games 3
  kyomi play --set engine.kind=usi --set engine.path=engines/my-engine
  kyomi play --config config/floodgate.toml | tee games.txt

Without a terminal: one line for each move, PLY MOVE T BLACK_LEFT WHITE_LEFT SCORE (times in seconds,
the score in centipawns from black's side, - for unknown values), then result, reason and record.
Ctrl-C finishes the running game and stops; a second Ctrl-C resigns and leaves. SIGTERM counts as Ctrl-C.";

const SERVE_EXAMPLES: &str = "\
Examples:
  kyomi serve --config config/lan-server.toml
  kyomi serve --set listen.address=127.0.0.1:0
  kyomi serve --event league.toml               pair the players of an event, keep its results

The first line on standard output is: listening on ADDRESS:PORT";

const SERVICE_EXAMPLES: &str = "\
Examples:
  kyomi service --config my.toml > /etc/systemd/system/kyomi.service
  kyomi service --config config/lan-server.toml --serve --name kyomi-server

The service runs in the folder in which this command is called. The first lines of the unit say how to
install it and how to follow its log.";

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
  kyomi show 'startpos moves 7g7f 3c3d'         a position in USI or SFEN notation

A file of several games shows the first, or the one of --game. NO_COLOR is honoured.";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  kyomi completions bash > ~/.local/share/bash-completion/completions/kyomi
  kyomi completions zsh > ~/.zfunc/_kyomi
  kyomi completions powershell >> $PROFILE";

const MAN_EXAMPLES: &str = "\
Examples:
  kyomi man | man -l -                          read it here
  kyomi man --out ~/.local/share/man/man1       then: man kyomi, man kyomi-play";

/// The whole program: parses the arguments, runs one command, reports an error.
///
/// The exit code is 0 for success (a lost game is a success), 2 for errors in the user's input, and 1 for all other
/// errors.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_program(arguments, |cli: &Cli, context| run(&cli.command, context))
}

/// A whole program with other subcommands.
pub fn run_program<P: Parser>(
    arguments: impl IntoIterator<Item = OsString>,
    run: impl FnOnce(&P, &Context) -> anyhow::Result<()>,
) -> ExitCode {
    logging::install_panic_hook();
    // The context outlives the final error line, so that the line reaches the log as well.
    let context = Context::new(Output::stdout());
    let outcome = match P::try_parse_from(arguments) {
        Ok(parsed) => run(&parsed, &context),
        Err(refused) => {
            fault::explain_arguments(&refused, P::command().get_name(), &context.output)
        }
    };
    logging::flush_stderr();
    fault::conclude(outcome)
}

fn run(command: &Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Play(args) => play::run(args, context),
        Command::Status(args) => ctl::status(args, context),
        Command::Watch(args) => watch::run(args, context),
        Command::Ctl(args) => ctl::run(args, context),
        Command::Serve(args) => serve::run(args, context),
        Command::Spy(args) => spy::run(args, context),
        Command::Worker(args) => worker::run(args, context),
        Command::Usi(args) => usi::run(args, context),
        Command::Service(args) => service::run(args, context),
        Command::Check(args) => check::run(args, context),
        Command::Convert(args) => convert::run(args, context),
        Command::Games(args) => games::run(args, context),
        Command::Book(args) => book::run(args, context),
        Command::Match(args) => matches::run(args, context),
        Command::Perft(args) => perft::run(args, context),
        Command::Bench(args) => bench::run(args, context),
        Command::Eval(args) => eval::run(args, context),
        Command::Show(args) => show::run(args, context),
        Command::Analyze(args) => analyze::run(args, context),
        Command::Explain(args) => explain::run(args, context),
        Command::Completions(args) => completions::run(args, Cli::command(), context),
        Command::Man(args) => man::run(args, Cli::command(), context),
    }
}
