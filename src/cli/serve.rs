//! `kyomi serve`: runs the CSA server for other programs.

use std::collections::HashMap;
use std::io::{self, Write};

use anyhow::Context as _;
use clap::Args;

use crate::csa::reason_line;
use crate::server::{Server, ServerError, ServerSettings, Shutdown};
use crate::service::{Phases, Progress};
use crate::watch::{LiveGame, MergedReports, Report, Reports, Watchers};

use super::{ConfigArgs, Context, Output, ResultExt as _, SignalScope, Signals};

/// Arguments of `kyomi serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs `kyomi serve`.
pub(crate) fn run(args: &ServeArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let runtime = context.network_runtime()?;
    // Games continue when standard output is closed.
    context.output.outlive_reader();
    let manager = context.service_manager();
    let mut output = context.output.clone();
    runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Games).context("listening for signals")?;
        let server = match Server::bind(ServerSettings::from_config(&config)).await {
            Ok(server) => server,
            Err(error @ ServerError::Settings(_)) => return Err(error).written_by_user(),
            Err(error) => {
                let hint = hint(&error);
                return Err(error).hint(hint);
            }
        };
        let address = server.local_addr();
        writeln!(output, "listening on {address}")?;
        output.flush()?;
        tracing::info!(%address, "listening");

        let watchers = Watchers::new();
        let reports = watchers.subscribe();
        let (reports_too, stopping) = (watchers.subscribe(), signals.finish.clone());
        let shutdown = Shutdown { finish: signals.finish, abort: signals.leave };
        let printer = tokio::task::spawn_blocking(move || print_games(output, reports));
        let serving = Box::pin(server.with_watchers(watchers).run(shutdown));
        let progress = Phases::one(Progress::of_server(address));
        let reports_too = MergedReports::new([reports_too]);
        manager.accompany(serving, progress, reports_too, stopping).await;
        printer.await.context("printing the games")??;
        Ok(())
    })
}

/// Prints one line for each game that begins or ends.
fn print_games(mut output: Output, mut reports: Reports) -> io::Result<()> {
    let mut running: HashMap<u64, Running> = HashMap::new();
    while let Some(report) = reports.blocking_next() {
        match report {
            Report::GameStarted { number, game_id, names: [black, white], .. } => {
                writeln!(output, "started {game_id}: {black} - {white}")?;
                running.insert(number, Running { game_id, plies: 0 });
            }
            Report::Moved { number, .. } => {
                if let Some(game) = running.get_mut(&number) {
                    game.plies += 1;
                }
                continue;
            }
            Report::GameEnded { number, end, record } => {
                let Some(Running { game_id, plies }) = running.remove(&number) else { continue };
                let (result, reason) = (end.result_word(), reason_line(&end));
                let reason = reason.trim_start_matches('#');
                write!(output, "ended {game_id}: {result} {reason}, {plies} moves")?;
                match record {
                    Some(record) => writeln!(output, ", {}", record.display())?,
                    None => writeln!(output)?,
                }
            }
            Report::Snapshot { snapshot, missed } => {
                let live = snapshot.games.into_iter().filter(|game| game.end.is_none());
                let running_now = |game: LiveGame| {
                    (game.number, Running { game_id: game.game_id, plies: game.moves.len() })
                };
                running = live.map(running_now).collect();
                if missed > 0 {
                    writeln!(output, "{missed} lines were not read in time and are left out")?;
                }
            }
            _ => continue,
        }
        output.flush()?;
    }
    Ok(())
}

/// A running game.
struct Running {
    game_id: String,
    plies: usize,
}

/// A hint for a server that could not be started.
fn hint(error: &ServerError) -> &'static str {
    match error {
        ServerError::Bind { source, .. } => match source.kind() {
            io::ErrorKind::AddrInUse => {
                "another program listens there; end it, or set listen.address to another port"
            }
            io::ErrorKind::PermissionDenied => "ports below 1024 need rights; set listen.address",
            _ => "set listen.address to an address of this machine",
        },
        ServerError::Records(_) => "set listen.records to a folder you may write to",
        ServerError::Settings(_) => "see config/lan-server.toml",
    }
}
