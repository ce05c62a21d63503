//! `kyomi play`: one game after another, on the embedded server or on a real one.

use std::{
    thread,
    time::{Duration, Instant},
};

use clap::Args;

use crate::{
    client::{self, Shutdown},
    config::Override,
    service::Progress,
};

use super::{ConfigArgs, Context, SignalScope, Signals};

/// Arguments of `kyomi play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Time control of a local game: `1200`, `60+1` (increment), `600,byoyomi=10`
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// How many games to play; 0 plays until stopped
    #[arg(long, value_name = "N")]
    games: Option<String>,
    /// How the game is shown: auto, live, lines, quiet
    #[arg(long, value_name = "STYLE")]
    view: Option<String>,
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
}

/// Plays.
pub(crate) fn run(args: &PlayArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, args.overrides())?;
    context.start_logging(&config)?;
    context.output.outlive_reader();
    let manager = context.service_manager();
    let runtime = context.network_runtime()?;
    let (watcher, view) = context.show_games(config.view, &runtime)?;
    let done = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Game)?;
        let (reports, stopping) = (watcher.subscribe(), signals.finish.clone());
        let shutdown = Shutdown { finish: signals.finish, leave: signals.leave };
        let playing = Box::pin(client::run(&config, watcher, shutdown));
        let done = manager.accompany(playing, Progress::of_client(), reports, stopping).await;
        done.map_err(anyhow::Error::from)
    });
    // The last words of the view come before those of an error.
    let deadline = Instant::now() + LAST_WORDS_LIMIT;
    while !view.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    if !view.is_finished() {
        tracing::warn!("nobody reads standard output; the last lines are lost");
    } else if view.join().is_err() {
        tracing::error!("the view broke down");
    }
    done
}

/// A reader of standard output that has stalled does not keep the program for ever.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(10);
