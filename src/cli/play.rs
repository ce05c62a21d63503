//! `kyomi play`: plays one game after another, on the embedded server or on another one.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use clap::Args;

use crate::{
    client::{self, Account, Shutdown},
    config::Override,
    dashboard::{Dashboard, DashboardError, PastGames, Shows},
    notify,
    service::{Phases, keep_awake},
    watch::MergedReports,
};

use super::{ConfigArgs, Context, Output, ResultExt as _, SignalScope, Signals};

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
    /// Show the games on a page in a browser, at this address [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8080")]
    dashboard: Option<String>,
}

impl PlayArgs {
    fn overrides(&self) -> Vec<Override> {
        Override::given([
            ("--time", "time", self.time.as_ref()),
            ("--games", "games", self.games.as_ref()),
            ("--view", "view.style", self.view.as_ref()),
            ("--dashboard", "dashboard.address", self.dashboard.as_ref()),
        ])
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
    let (accounts, warnings) = Account::all(&config);
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let subscribed = accounts.iter().map(|it| (it.label.clone(), it.watchers.subscribe()));
    let past = config.records.index.clone().map(|database| PastGames {
        database,
        records: accounts.iter().map(|it| it.config.records.dir.clone()).collect(),
    });
    let page = Dashboard::open(&config.dashboard, Shows::Client, subscribed, past);
    let page = show_page(page, shown.clone())?;
    let views = accounts
        .iter()
        .map(|account| Context::show_games(config.view.style, shown.clone(), account, &runtime))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let events = start_events(args, &accounts, context)?;
    let read_config = context.config_reader(&args.config, args.overrides())?;
    let done = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Game)?;
        let told = accounts.iter().map(|it| (it.label.clone(), it.watchers.subscribe()));
        let notifier = notify::start(&config.notify, told.collect());
        let all = |accounts: &[Account]| {
            MergedReports::new(accounts.iter().map(|account| account.watchers.subscribe()))
        };
        let (reports, stopping) = (all(&accounts), signals.finish.clone());
        let phases = Phases::of_clients(accounts.iter().map(Account::prefix));
        let shutdown = Shutdown { finish: signals.finish, leave: signals.abandon };
        if !config.sleep {
            tokio::spawn(keep_awake(all(&accounts)));
        }
        let playing = client::run(accounts, &config.control, read_config, shutdown);
        let playing = Box::pin(playing);
        let done = manager.run_notified(playing, phases, reports, stopping).await;
        if let Some(notifier) = notifier {
            notifier.finish().await;
        }
        done.map_err(anyhow::Error::from)
    });
    drop(page);
    // The view finishes its output before an error is printed.
    finish_output(views, &events);
    done
}

/// Prints the address of the page of the games, if there is one.
pub(super) fn show_page(
    page: Result<Option<Dashboard>, DashboardError>,
    mut shown: Output,
) -> anyhow::Result<Option<Dashboard>> {
    let hint = "set dashboard.address to another port; 127.0.0.1:0 lets the system choose one";
    let page = page.hint(hint)?;
    if let Some(page) = &page {
        writeln!(shown, "dashboard: {}", page.url())?;
        shown.flush()?;
    }
    Ok(page)
}

/// Starts the threads that write the events of the accounts, if `--events` is given.
fn start_events(
    args: &PlayArgs,
    accounts: &[Account],
    context: &Context,
) -> anyhow::Result<Vec<JoinHandle<()>>> {
    Ok(match &args.events {
        None => Vec::new(),
        Some(_) if args.events_on_stdout() => {
            client::write_events(accounts, context.output.clone())?
        }
        Some(path) => {
            let file = client::open_events(path)
                .with_context(|| format!("opening {} for --events", path.display()))?;
            client::write_events(accounts, file)?
        }
    })
}

/// Waits until the threads have written what is left.
fn finish_output(views: Vec<JoinHandle<()>>, events: &[JoinHandle<()>]) {
    let deadline = Instant::now() + VIEW_LIMIT;
    for view in views {
        if !finished_by(&view, deadline) {
            tracing::warn!("nobody reads standard output; the last lines are lost");
        } else if view.join().is_err() {
            tracing::error!("the thread of the view panicked");
        }
    }
    for thread in events {
        finished_by(thread, deadline);
    }
}

/// Waits for a thread, and returns whether it has ended.
fn finished_by(thread: &JoinHandle<()>, deadline: Instant) -> bool {
    while !thread.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    thread.is_finished()
}

/// The longest wait for the view at the end, in case the reader of standard output has stalled.
const VIEW_LIMIT: Duration = Duration::from_secs(10);
