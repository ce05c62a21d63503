//! `kyomi ctl` and `kyomi status`: requests to a running client.

use std::{io::Write, path::PathBuf};

use anyhow::Context as _;
use clap::Args;

use crate::client::{Request, send_request};

use super::{ConfigArgs, Context, ResultExt as _};

/// Arguments of `kyomi ctl`.
#[derive(Debug, Args)]
pub(crate) struct CtlArgs {
    #[command(flatten)]
    client: ClientArgs,
    /// One of the requests below
    #[arg(required = true, num_args = 1..=2, value_name = "REQUEST")]
    request: Vec<String>,
}

/// Arguments of `kyomi status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    client: ClientArgs,
}

/// Which client.
#[derive(Debug, Args)]
pub(super) struct ClientArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    /// The socket of the client [default: control.socket of the configuration]
    #[arg(long, value_name = "FILE")]
    socket: Option<PathBuf>,
    /// The account that is asked, by its label [default: all accounts]
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(super) account: Option<String>,
}

impl ClientArgs {
    /// The socket of the client.
    pub(super) fn socket(&self, context: &Context) -> anyhow::Result<PathBuf> {
        if let Some(path) = &self.socket {
            return Ok(path.clone());
        }
        let config = context.load_config(&self.config, Vec::new())?;
        config.control.socket.context("control.socket is empty: the client has no socket")
    }
}

fn label(text: &str) -> Result<String, String> {
    let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| text.to_owned()).ok_or_else(|| "a label is one word".to_owned())
}

pub(crate) const REQUESTS: &str = "\
Requests:
  status       what the client is doing, in one line
  finish       end after the running game
  leave        resign in our next turn, and leave after 10 s at the latest
  games N      end after N games; the running one counts
  until HH:MM  begin no game after this time
  pause        begin no further game until `resume`
  resume       begin games again, and forget `games` and `until`
  suspend      propose to the opponent to suspend the game, where the server knows that
  reload       use the engines of the configuration as it is now, from the next game on";

/// Sends a request.
pub(crate) fn run(args: &CtlArgs, context: &Context) -> anyhow::Result<()> {
    let request = args.request.join(" ");
    request.parse::<Request>().written_by_user()?;
    ask(&args.client, &request, context)
}

/// Asks what the client is doing.
pub(crate) fn status(args: &StatusArgs, context: &Context) -> anyhow::Result<()> {
    ask(&args.client, "status", context)
}

fn ask(args: &ClientArgs, request: &str, context: &Context) -> anyhow::Result<()> {
    let path = args.socket(context)?;
    let request = match &args.account {
        Some(label) => format!("account {label} {request}"),
        None => request.to_owned(),
    };
    let runtime = context.network_runtime()?;
    let answer = runtime.block_on(send_request(&path, &request)).with_context(|| {
        format!(
            "no client answers at {}; is `kyomi play` running, and started in this folder?",
            path.display()
        )
    })?;
    if let Some(error) = answer.strip_prefix("error: ") {
        anyhow::bail!("the client says: {error}");
    }
    let mut output = context.output.clone();
    writeln!(output, "{answer}")?;
    output.flush()?;
    Ok(())
}
