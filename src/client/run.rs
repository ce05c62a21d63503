//! Plays with all accounts, each in a separate task.

use std::{collections::HashMap, panic::resume_unwind, sync::Arc};

use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use crate::config::{Config, ControlConfig};
use kyomi_csa::Suspension;

use super::{
    account::Account,
    control::{
        ClientControl, Reload,
        socket::{ControlTarget, login_in_use, open_socket},
    },
    error::ClientError,
    login::{address, login_name, may_resume, profile},
    saved_game::SavedGame,
    server_games,
    shutdown::Shutdown,
};

/// Reads the configuration again, or returns a one-line error.
pub type ReadConfig = Arc<dyn Fn() -> Result<Config, String> + Send + Sync>;

/// Plays with each account, in a separate task: the games of its configuration on its server, or on the embedded one if
/// no server is configured. Ends early when `shutdown` requests it. Everything is reported to the watchers of the
/// account.
///
/// The engine is ready before the first login. After a failure the client waits, longer each time, and tries
/// again, except that a run of a single game ends if it cannot log in. An account that fails for good does not stop the
/// others.
///
/// `read_config` is called when the user requests other engines ([`Request::Reload`](super::Request::Reload)).
///
/// # Errors
/// Why the run of an account could not continue.
pub async fn run(
    accounts: Vec<Account>,
    control: &ControlConfig,
    read_config: ReadConfig,
    shutdown: Shutdown,
) -> Result<(), ClientError> {
    let plays: Vec<_> =
        accounts.into_iter().map(|account| Play::new(account, &read_config, &shutdown)).collect();
    let reachable: Vec<_> = plays.iter().map(Play::reachable).collect();
    if let Some(login) = login_in_use(control, &reachable).await {
        let socket = control.socket.clone().unwrap_or_default();
        return Err(ClientError::AlreadyRunning { login, socket });
    }
    let _socket = open_socket(control, reachable).await;
    // All of them are found, and locked, before the first account opens the folder of records, which ends unlocked
    // games.
    let found: Vec<_> = plays.iter().map(Play::saved_game).collect();
    let all = plays.len();
    let mut tasks = JoinSet::new();
    let mut labels = HashMap::new();
    for (play, saved) in plays.into_iter().zip(found) {
        let Some(label) = play.account.label.clone() else {
            // A spawned task runs on the thread that has read the server's line. Otherwise each line would wake the
            // thread that waits for this function, and its answer another one.
            let playing = AbortOnDropHandle::new(tokio::spawn(play.all_games(saved)));
            return match playing.await {
                Ok(done) => done,
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    Err(_) => Ok(()),
                },
            };
        };
        let span = tracing::error_span!("account", label);
        let task = tasks.spawn(play.all_games(saved).instrument(span)).id();
        labels.insert(task, label);
    }
    let mut failed = Vec::new();
    while let Some(done) = tasks.join_next_with_id().await {
        let (task, reason) = match done {
            Ok((task, result)) => (task, result.err().map(|error| error.to_string())),
            Err(error) => (error.id(), Some("it ended unexpectedly".to_owned())),
        };
        let label = labels.remove(&task).unwrap_or_default();
        if let Some(reason) = reason {
            tracing::error!(label, "this account plays no more: {reason}");
            failed.push((label, reason));
        } else {
            tracing::info!(label, "this account has played its games");
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(ClientError::Accounts { failed, accounts: all }) }
}

/// The settings with which one account plays.
struct Play {
    account: Account,
    control: ClientControl,
    shutdown: Shutdown,
}

impl Play {
    fn new(account: Account, read_config: &ReadConfig, shutdown: &Shutdown) -> Self {
        let schedule = &account.config.schedule;
        let control = if let Some(server) = &account.config.server {
            let suspends = profile(server).behaviour().suspension == Suspension::ByAgreement;
            let (read, label) = (Arc::clone(read_config), account.label.clone());
            let reload = move || Ok(Account::of_label(&read()?, label.as_deref())?.config);
            ClientControl::on_server(
                schedule,
                account.surroundings.clock,
                Reload(Arc::new(reload)),
                suspends,
            )
        } else {
            ClientControl::new(schedule)
        };
        let is_one_of_several = account.label.is_some();
        let shutdown = if is_one_of_several { shutdown.child() } else { shutdown.clone() };
        Self { account, control, shutdown }
    }

    fn reachable(&self) -> ControlTarget {
        ControlTarget {
            label: self.account.label.clone(),
            login: self.account.config.server.as_ref().map(login_name),
            control: self.control.clone(),
            shutdown: self.shutdown.clone(),
            watchers: self.account.watchers.clone(),
        }
    }

    /// The game of a killed process that this account continues. Its journal is held.
    fn saved_game(&self) -> Option<SavedGame> {
        let config = &self.account.config;
        let server = config.server.as_ref().filter(|server| may_resume(server))?;
        let address = address(server);
        let (dir, name) = (&config.records.dir, &server.name);
        let now = self.account.surroundings.clock.now();
        SavedGame::find(dir, &address, name, profile(server), server.handicap(), now)
    }

    async fn all_games(self, saved: Option<SavedGame>) -> Result<(), ClientError> {
        if self.account.config.server.is_some() {
            let Self { account, control, shutdown } = self;
            Box::pin(server_games::play(account, control, shutdown, saved)).await
        } else {
            let Self { account, control, shutdown } = self;
            Box::pin(super::local::play(&account.config, account.watchers, control, shutdown)).await
        }
    }
}
