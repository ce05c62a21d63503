//! `kyomi spy`: keeps the records of games that others play on a server.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use crate::client::{self, Question, SpyEvent, SpySettings};
use crate::config::Override;
use crate::terminal::clean;
use kyomi_csa::spy::SpyOptions;

use super::{ConfigArgs, Context, ResultExt as _, SignalScope, Signals};

/// Arguments of `kyomi spy`.
#[derive(Debug, Args)]
pub(crate) struct SpyArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The server, instead of the one in the configuration
    #[arg(long, value_name = "HOST[:PORT]")]
    server: Option<String>,
    /// The login name; a name that plays on the server at the same time is refused
    #[arg(long, value_name = "NAME", default_value = "kyomi-spy")]
    name: String,
    /// The folder of the records
    #[arg(long, value_name = "FOLDER", default_value = "logs/spy")]
    dir: PathBuf,
    /// Watch this game only
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// Watch the games that are running now, and end with the last of them
    #[arg(long)]
    once: bool,
    /// Seconds between two looks at the list of games
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
    /// Print the running games and end
    #[arg(long, conflicts_with_all = ["who", "chat"])]
    list: bool,
    /// Print who is there and end
    #[arg(long, conflicts_with = "chat")]
    who: bool,
    /// Say this to all who are there in extended mode, and end
    #[arg(long, value_name = "TEXT")]
    chat: Option<String>,
}

pub(crate) const EXAMPLES: &str = "\
Examples:
  kyomi spy --server 127.0.0.1:4081             keep the records of all games there, in logs/spy
  kyomi spy --config config/floodgate.toml      those of the server that the configuration names
  kyomi spy --server lan-server --once          the games that are running now, to their end
  kyomi spy --server lan-server --list          which games are running?
  kyomi spy --server lan-server --chat 'lunch'  a word to all

One line for each event: connected, watching, move, ended (with the path of the record), lost.
The login is in extended mode, which shogi-server and kyomi have. Ctrl-C ends; the records of running
games are continued by the next spy.";

/// Runs `kyomi spy`.
pub(crate) fn run(args: &SpyArgs, context: &Context) -> anyhow::Result<()> {
    let is_named = args.server.is_some()
        || args.config.config.is_some()
        || args.config.set.iter().any(|it| it.trim_start().starts_with("server."));
    if !is_named {
        return Err(anyhow::anyhow!("no server is named"))
            .hint("kyomi spy --server HOST[:PORT], or a configuration with [server]")
            .written_by_user();
    }
    let mut flags = vec![Override::new("--name", "server.name", &args.name)];
    if let Some(server) = &args.server {
        let (host, port) = match server.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.starts_with('[') => (host, port),
            _ => (server.as_str(), "4081"),
        };
        flags.push(Override::new("--server", "server.host", host));
        flags.push(Override::new("--server", "server.port", port));
        // Servers of this kind check no password, but ask for one.
        flags.push(Override::new("--server", "server.password", "spy"));
    }
    let config = context.load_config(&args.config, flags)?;
    context.start_logging(&config)?;
    let server =
        config.server.as_ref().context("the configuration names no server").written_by_user()?;
    let settings = SpySettings {
        server: server.clone(),
        options: SpyOptions {
            name: server.name.clone(),
            password: server.password.clone(),
            game: args.game.clone(),
            once: args.once,
            every: Duration::from_secs(args.every),
        },
        dir: args.dir.clone(),
        template: config.records.name.clone(),
    };
    let question = match (args.list, args.who, &args.chat) {
        (true, ..) => Some(Question::List),
        (_, true, _) => Some(Question::Who),
        (.., Some(text)) => Some(Question::Chat(text.replace(char::is_control, " "))),
        _ => None,
    };
    let mut output = context.output.clone();
    let runtime = context.network_runtime()?;
    runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Work).context("listening for signals")?;
        if let Some(question) = question {
            let answer = tokio::select! {
                answer = client::ask(&settings, question) => answer?,
                () = signals.finish.cancelled() => return Ok(()),
            };
            for line in answer {
                writeln!(output, "{}", clean(&line))?;
            }
            output.flush()?;
            return Ok(());
        }
        // The records are written even if the reader of the output has closed it.
        output.outlive_reader();
        let tell = |event| {
            if let Err(error) = print(&mut output, &event) {
                tracing::debug!(%error, "an event was not printed");
            }
        };
        client::spy(&settings, tell, signals.finish).await.map_err(anyhow::Error::from)
    })
}

/// Prints one line for an event.
fn print(output: &mut impl Write, event: &SpyEvent) -> io::Result<()> {
    match event {
        SpyEvent::Connected { server } => writeln!(output, "connected {}", clean(server)),
        SpyEvent::Watching { id, names: [black, white], moves } => writeln!(
            output,
            "watching {}: {} - {}, {moves} moves so far",
            clean(id),
            clean(black),
            clean(white)
        ),
        SpyEvent::Move { id, ply, time, mv } => {
            let time = time.map_or_else(|| "-".to_owned(), |time| time.as_secs_f64().to_string());
            writeln!(output, "move {}: {ply} {} {time}", clean(id), clean(mv))
        }
        SpyEvent::Ended { id, word, moves, record } => writeln!(
            output,
            "ended {}: %{}, {moves} moves, {}",
            clean(id),
            clean(word),
            clean(&record.display().to_string())
        ),
        SpyEvent::Warning(text) => writeln!(output, "warning {}", clean(text)),
        SpyEvent::Said(text) => writeln!(output, "said {}", clean(text)),
        SpyEvent::Lost { reason, pause } => {
            writeln!(output, "lost {}; again in {} s", clean(reason), pause.as_secs())
        }
    }?;
    output.flush()
}
