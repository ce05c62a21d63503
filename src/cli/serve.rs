//! `kyomi serve`.

use std::io::{self, Write};

use anyhow::Context as _;
use clap::Args;
use tokio::sync::mpsc;

use crate::server::{Notice, Server, ServerError, ServerSettings, Shutdown};

use super::{ConfigArgs, Context, Output, ResultExt as _, SignalScope, Signals};

/// Arguments of `kyomi serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ServeArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    context.start_logging(&config)?;
    let runtime = context.network_runtime()?;
    // Games go on when nobody reads about them any more.
    context.output.outlive_reader();
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

        let (notices, inbox) = mpsc::channel(NOTICE_QUEUE);
        let shutdown = Shutdown { finish: signals.finish, abort: signals.leave };
        let teller = tokio::task::spawn_blocking(move || tell(output, inbox));
        server.with_notices(notices).run(shutdown).await;
        teller.await.context("telling about the games")??;
        Ok(())
    })
}

/// One line for each game that begins or ends.
fn tell(mut output: Output, mut notices: mpsc::Receiver<Notice>) -> io::Result<()> {
    while let Some(notice) = notices.blocking_recv() {
        match notice {
            Notice::Started { game_id, black, white } => {
                writeln!(output, "started {game_id}: {black} - {white}")?;
            }
            Notice::Ended { game_id, result, reason, plies, record, .. } => {
                write!(output, "ended {game_id}: {result} {reason}, {plies} moves")?;
                match record {
                    Some(record) => writeln!(output, ", {}", record.display())?,
                    None => writeln!(output)?,
                }
            }
        }
        output.flush()?;
    }
    Ok(())
}

/// What helps against a server that could not be started.
fn hint(error: &ServerError) -> &'static str {
    match error {
        ServerError::Bind { source, .. } => match source.kind() {
            io::ErrorKind::AddrInUse => {
                "another program listens there; end it, or set listen.address to another port"
            }
            io::ErrorKind::PermissionDenied => "ports below 1024 need rights; set listen.address",
            _ => "set listen.address to an address of this machine",
        },
        ServerError::Records { .. } => "set listen.records to a folder you may write to",
        ServerError::Settings(_) => "see config/lan-server.toml",
    }
}

/// Lines that may wait to be printed.
const NOTICE_QUEUE: usize = 1024;
