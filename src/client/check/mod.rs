//! `kyomi check`: tests everything that a run needs, without playing.
//!
//! - [`storage`] checks the folders of records and log and the space there, [`machine`] the clock, cores, memory, huge
//!   pages and sleep, [`schedule`] the windows in which games begin, [`server`] the connection, the login and the round
//!   trip, [`engines`] the start and the speed of the engines, [`books`] the opening book. With the cargo feature
//!   `cluster` the broker and the workers of `[cluster]` are checked.
//! - [`rehearse`] plays one game at a fast time control.
//!
//! No check waits for a user or a pairing: a login is followed by a logout at once, and an offer that arrives in
//! between is rejected.

mod books;
mod clock;
#[cfg(feature = "cluster")]
mod cluster;
mod engines;
mod finding;
mod machine;
mod rehearsal;
mod schedule;
mod server;
mod storage;

pub use finding::{CheckStatus, Finding};
pub use rehearsal::{Rehearsal, rehearse};

use crate::{
    client::Account,
    config::{Config, ControlConfig, NotifyConfig},
    notify,
    service::awake_now,
};

/// Checks everything that a run needs. Logs in to the configured servers, and out again. With `notify` it sends a
/// message to the receivers of `[notify]`. Calls `report` with each finding. Returns the nodes/s of the engine of the
/// first account, if it could be measured.
pub async fn check(config: &Config, notify: bool, mut report: impl FnMut(Finding)) -> Option<u64> {
    storage::check(config).into_iter().for_each(&mut report);
    let (accounts, warnings) = Account::all(config);
    let configs: Vec<_> = accounts.iter().map(|account| &account.config).collect();
    machine::check(&configs).await.into_iter().for_each(&mut report);
    report(machine::sleep(config.sleep, awake_now().await));
    if config.notify.is_on() {
        check_notify(&config.notify, notify).await.into_iter().for_each(&mut report);
    }
    #[cfg(feature = "cluster")]
    if let Some(cluster) = &config.cluster {
        use super::player_settings::player_spec;

        let spec = player_spec(&config.engine, &config.budget, &config.book, 1);
        let search = spec.search_checksum();
        cluster::check(cluster, search).await.into_iter().for_each(&mut report);
    }
    for warning in warnings {
        report(Finding::warning("accounts", warning));
    }
    let mut first = None;
    for account in accounts {
        let mut report = |finding| report(Finding { account: account.label.clone(), ..finding });
        let nps = Box::pin(check_account(&account, &config.control, &mut report)).await;
        first = first.or(nps);
    }
    first
}

/// Checks one account. Returns the nodes/s of its engine.
async fn check_account(
    account: &Account,
    control: &ControlConfig,
    report: &mut impl FnMut(Finding),
) -> Option<u64> {
    let config = &account.config;
    report(machine::cores(config, account.cores));
    schedule::check(config).into_iter().for_each(&mut *report);
    server::check(config, control, &mut *report).await;
    let nps = engines::check(config, account.cores, &mut *report).await;
    books::check(config).into_iter().for_each(report);
    nps
}

async fn check_notify(config: &NotifyConfig, send: bool) -> Vec<Finding> {
    if !send {
        let text = "nothing was sent; `kyomi check --notify` sends a message to try it";
        return vec![Finding::ok("notify", text)];
    }
    let outcomes = notify::send_test(config).await.into_iter();
    outcomes
        .map(|(what, outcome)| match outcome {
            Ok(()) => Finding::ok("notify", format!("{what}: the message \"kyomi check\" is sent")),
            Err(error) => Finding::failed("notify", format!("{what}: {error}")),
        })
        .collect()
}
