//! The context of a command: output, configuration, log and runtime.

use std::{cell::RefCell, env, ffi::OsString, sync::Arc, thread::JoinHandle, time::Duration};

use anyhow::Context as _;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{
    client::{Account, ReadConfig},
    config::{Config, Loaded, Override, ViewStyle},
    service::ServiceManager,
    terminal::{Labelled, Surroundings, View, speech},
};

use super::{ConfigArgs, Output, logging};

/// The context of one command: standard output, environment, log, runtime.
pub struct Context {
    /// The only writer of standard output.
    pub output: Output,
    environment: Vec<(OsString, OsString)>,
    network_threads: usize,
    log: RefCell<Option<logging::LogGuard>>,
}

impl Context {
    /// Reads the environment. Opens and starts nothing yet.
    pub fn new(output: Output) -> Self {
        Self {
            output,
            environment: env::vars_os().collect(),
            network_threads: 2,
            log: RefCell::new(None),
        }
    }

    /// Loads the configuration. File, environment, `--set` and the command's flags override the defaults, each the ones
    /// before. Unknown `KYOMI_` variables cause warnings on standard error.
    pub fn load_config(&self, args: &ConfigArgs, flags: Vec<Override>) -> anyhow::Result<Config> {
        let loaded = self.load_config_quietly(args, flags)?;
        for warning in &loaded.warnings {
            speech::warn(warning);
        }
        Ok(loaded.config)
    }

    /// Reads the same configuration again at each call, or says in one line what is wrong with it.
    ///
    /// # Errors
    /// A `--set` argument is not valid.
    pub fn config_reader(
        &self,
        args: &ConfigArgs,
        flags: Vec<Override>,
    ) -> anyhow::Result<ReadConfig> {
        let mut overrides = args.overrides()?;
        overrides.extend(flags);
        let (path, environment) = (args.config.clone(), self.environment.clone());
        Ok(Arc::new(move || {
            Config::load(path.as_deref(), environment.clone(), &overrides)
                .map(|loaded| loaded.config)
                .map_err(|error| error.to_string())
        }))
    }

    /// The same, with the warnings returned.
    pub fn load_config_quietly(
        &self,
        args: &ConfigArgs,
        flags: Vec<Override>,
    ) -> anyhow::Result<Loaded> {
        let mut overrides = args.overrides()?;
        overrides.extend(flags);
        Ok(Config::load(args.config.as_deref(), self.environment.clone(), &overrides)?)
    }

    /// Opens the log file and writes to it until this context is dropped.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub fn start_logging(&self, config: &Config) -> anyhow::Result<()> {
        let guard = logging::start(&config.log)?;
        *self.log.borrow_mut() = Some(guard);
        Ok(())
    }

    /// The service manager that has started this process. One that cannot be reached is warned about.
    pub fn service_manager(&self) -> ServiceManager {
        ServiceManager::from_environment(&self.environment).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            ServiceManager::none()
        })
    }

    /// Shows the games of an account on standard output or another writer, in a separate thread. Drop every clone
    /// of the watchers, then join the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn show_games(
        style: ViewStyle,
        output: Output,
        account: &Account,
        runtime: &NetworkRuntime,
    ) -> anyhow::Result<JoinHandle<()>> {
        let reports = account.watchers.subscribe();
        view(style, output, account.label.as_deref())
            .spawn(reports, runtime.handle())
            .context("starting the thread that shows games")
    }

    /// Starts the runtime of sockets, timers, files and child processes, which has separate threads.
    pub fn network_runtime(&self) -> anyhow::Result<NetworkRuntime> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(self.network_threads)
            .thread_name("kyomi-net")
            .enable_all()
            .build()
            .context("starting the network threads")?;
        Ok(NetworkRuntime { runtime: Some(runtime) })
    }
}

/// A view of the games of an account.
pub(super) fn view(
    style: ViewStyle,
    output: Output,
    label: Option<&str>,
) -> View<Labelled<Output>> {
    let surroundings = Surroundings::detect(output.is_terminal());
    let view = View::new(style, Labelled::new(output, label), surroundings);
    if label.is_some() { view.beside_others() } else { view }
}

/// A runtime that does not wait for a thread blocked in a read when it is dropped.
pub struct NetworkRuntime {
    runtime: Option<Runtime>,
}

impl NetworkRuntime {
    /// Runs a future to its end.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime().block_on(future)
    }

    /// Runs a future in the background, as long as the runtime exists.
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime().spawn(future);
    }
}

impl NetworkRuntime {
    /// The handle by which other threads use the runtime.
    pub fn handle(&self) -> Handle {
        self.runtime().handle().clone()
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the runtime is taken only by drop")
    }
}

impl Drop for NetworkRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(SHUTDOWN_LIMIT);
        }
    }
}

/// The longest wait for the runtime at the end: enough for a last flush, too short to be noticed.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(500);
