//! `kyomi play`: plays one game after another, on the embedded server or on another one.

use std::{
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use clap::Args;

use crate::{
    client::{self, Shutdown},
    config::Override,
    service::Progress,
};

use super::{ConfigArgs, Context, Output, SignalScope, Signals};

/// Arguments of `kyomi play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Time control of a local game: `1200`, `60+1` (increment), `600,byoyomi=10`
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// Number of games to play; 0: until stopped
    #[arg(long, value_name = "N")]
    games: Option<String>,
    /// Style of the view: auto, live, lines, quiet
    #[arg(long, value_name = "STYLE")]
    view: Option<String>,
    /// Write what happens to this file, one line of JSON for each event; `-`: standard output, instead of the view
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
}

impl PlayArgs {
    fn overrides(&self) -> Vec<Override> {
        let flags = [
            ("--time", "time", &self.time),
            ("--games", "games", &self.games),
            ("--view", "view.style", &self.view),
        ];
        flags
            .into_iter()
            .filter_map(|(flag, key, value)| Some(Override::new(flag, key, value.as_deref()?)))
            .collect()
    }

    fn events_on_stdout(&self) -> bool {
        self.events.as_deref() == Some(Path::new("-"))
    }
}

/// Runs `kyomi play`.
pub(crate) fn run(args: &PlayArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, args.overrides())?;
    context.start_logging(&config)?;
    context.output.outlive_reader();
    let manager = context.service_manager();
    let runtime = context.network_runtime()?;
    let shown = if args.events_on_stdout() {
        Output::new(Box::new(io::sink()), false)
    } else {
        context.output.clone()
    };
    let (watcher, view) = Context::show_games(config.view, shown, &runtime)?;
    let events = match &args.events {
        None => None,
        Some(_) if args.events_on_stdout() => {
            Some(client::write_events(watcher.subscribe(), context.output.clone())?)
        }
        Some(path) => {
            let file = client::open_events(path)
                .with_context(|| format!("opening {} for --events", path.display()))?;
            Some(client::write_events(watcher.subscribe(), file)?)
        }
    };
    let done = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Game)?;
        let (reports, stopping) = (watcher.subscribe(), signals.finish.clone());
        let shutdown = Shutdown { finish: signals.finish, leave: signals.leave };
        let playing = Box::pin(client::run(&config, watcher, shutdown));
        let done = manager.accompany(playing, Progress::of_client(), reports, stopping).await;
        done.map_err(anyhow::Error::from)
    });
    // The view finishes its output before an error is printed.
    let deadline = Instant::now() + VIEW_LIMIT;
    while !view.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    if !view.is_finished() {
        tracing::warn!("nobody reads standard output; the last lines are lost");
    } else if view.join().is_err() {
        tracing::error!("the thread of the view panicked");
    }
    if let Some(events) = events {
        while !events.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }
    done
}

/// The longest wait for the view at the end, in case the reader of standard output has stalled.
const VIEW_LIMIT: Duration = Duration::from_secs(10);
