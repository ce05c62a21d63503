//! `kyomi watch`: the games of a running client in another terminal.

use std::{
    collections::{HashMap, hash_map::Entry},
    thread::JoinHandle,
};

use anyhow::Context as _;
use clap::Args;
use serde_json::Value;

use crate::{
    client::watch_client,
    config::ViewStyle,
    watch::{EventReader, Watchers},
};

use super::{
    Context, NetworkRuntime, Output, SignalScope, Signals, context::view, ctl::ClientArgs,
};

/// Arguments of `kyomi watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    client: ClientArgs,
    /// Write a line for each move on a terminal too
    #[arg(long)]
    lines: bool,
}

pub(crate) const EXAMPLES: &str = "\
Examples:
  kyomi watch                                   the client that was started in this folder
  kyomi watch --config my.toml --account first
  kyomi watch | tee moves.txt                   one line for each move, as kyomi play writes them

Ctrl-C ends the watching; the client plays on. It never waits for a watcher: one that does not read is
dropped.";

/// Runs `kyomi watch`.
pub(crate) fn run(args: &WatchArgs, context: &Context) -> anyhow::Result<()> {
    let path = args.client.socket(context)?;
    let runtime = context.network_runtime()?;
    let style = if args.lines { ViewStyle::Lines } else { ViewStyle::Auto };
    let mut shown = Shown { accounts: HashMap::new(), style, output: context.output.clone() };
    let watched = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Watching).context("listening for signals")?;
        let mut failed = None;
        let tell = |event: &Value| {
            if let Err(error) = shown.take(event, &runtime) {
                failed.get_or_insert(error);
            }
        };
        tokio::select! {
            watched = watch_client(&path, args.client.account.as_deref(), tell) => {
                watched.with_context(|| format!(
                    "no client can be watched at {}; is `kyomi play` running, and started in this folder?",
                    path.display()
                ))?;
            }
            () = signals.finish.cancelled() => {}
        }
        failed.map_or(Ok(()), Err)
    });
    for (_, Account { watchers, view, .. }) in shown.accounts {
        drop(watchers);
        anyhow::ensure!(view.join().is_ok(), "the thread of the view panicked");
    }
    watched
}

/// The views of the accounts.
struct Shown {
    accounts: HashMap<Option<String>, Account>,
    style: ViewStyle,
    output: Output,
}

/// An account of the client.
struct Account {
    reader: EventReader,
    watchers: Watchers,
    view: JoinHandle<()>,
}

impl Shown {
    /// Shows an event.
    fn take(&mut self, event: &Value, runtime: &NetworkRuntime) -> anyhow::Result<()> {
        let label = event["account"].as_str().map(str::to_owned);
        let account = match self.accounts.entry(label.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let watchers = Watchers::new();
                let view = view(self.style, self.output.clone(), label.as_deref())
                    .of_other_process()
                    .spawn(watchers.subscribe(), runtime.handle())
                    .context("starting the thread that shows games")?;
                entry.insert(Account { reader: EventReader::default(), watchers, view })
            }
        };
        if let Some(report) = account.reader.read(event) {
            account.watchers.report(report);
        }
        Ok(())
    }
}
