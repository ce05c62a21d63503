//! What every command may need from its surroundings.

use std::{cell::RefCell, env, ffi::OsString, thread::JoinHandle, time::Duration};

use anyhow::Context as _;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{
    config::{Config, Override, ViewConfig},
    service::ServiceManager,
    terminal::{Surroundings, View},
    watch::Watchers,
};

use super::{ConfigArgs, Output, logging};

/// The surroundings of one command: standard output, configuration, log, runtime.
pub(crate) struct Context {
    /// The one writer of standard output.
    pub(crate) output: Output,
    environment: Vec<(OsString, OsString)>,
    network_threads: usize,
    log: RefCell<Option<logging::LogGuard>>,
}

impl Context {
    /// Reads the environment; nothing is opened or started yet.
    pub(crate) fn new(output: Output) -> Self {
        Self {
            output,
            environment: env::vars_os().collect(),
            network_threads: 2,
            log: RefCell::new(None),
        }
    }

    /// Defaults < file < environment < `--set` < the command's own flags; unknown environment
    /// variables of ours are warned about on standard error.
    pub(crate) fn load_config(
        &self,
        args: &ConfigArgs,
        flags: Vec<Override>,
    ) -> anyhow::Result<Config> {
        let mut overrides = args.overrides()?;
        overrides.extend(flags);
        let loaded = Config::load(args.config.as_deref(), self.environment.clone(), &overrides)?;
        for warning in &loaded.warnings {
            logging::warn_early(warning);
        }
        Ok(loaded.config)
    }

    /// Opens the log file and writes to it until this context is dropped.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub(crate) fn start_logging(&self, config: &Config) -> anyhow::Result<()> {
        let guard = logging::start(&config.log)?;
        *self.log.borrow_mut() = Some(guard);
        Ok(())
    }

    /// The service manager that has started this process. One that cannot be reached is warned about.
    pub(crate) fn service_manager(&self) -> ServiceManager {
        ServiceManager::from_environment(&self.environment).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            ServiceManager::none()
        })
    }

    /// Shows games on standard output, in a separate thread. Drop every clone
    /// of the watchers, then join the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn show_games(
        &self,
        view: ViewConfig,
        runtime: &NetworkRuntime,
    ) -> anyhow::Result<(Watchers, JoinHandle<()>)> {
        let watchers = Watchers::new();
        let reports = watchers.subscribe();
        let surroundings = Surroundings::detect(self.output.is_terminal());
        let thread = View::new(view.style, self.output.clone(), surroundings)
            .spawn(reports, runtime.handle())
            .context("starting the thread that shows games")?;
        Ok((watchers, thread))
    }

    /// The runtime of sockets, timers, files and child processes, with threads of its own.
    pub(crate) fn network_runtime(&self) -> anyhow::Result<NetworkRuntime> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(self.network_threads)
            .thread_name("kyomi-net")
            .enable_all()
            .build()
            .context("starting the network threads")?;
        Ok(NetworkRuntime { runtime: Some(runtime) })
    }
}

/// A runtime whose end never waits for a thread that is stuck in a read.
pub(crate) struct NetworkRuntime {
    runtime: Option<Runtime>,
}

impl NetworkRuntime {
    /// Runs one future to its end.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime().block_on(future)
    }

    /// Runs a future beside everything else, as long as the runtime lives.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime().spawn(future);
    }
}

impl NetworkRuntime {
    fn handle(&self) -> Handle {
        self.runtime().handle().clone()
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the runtime is taken only by drop")
    }
}

impl Drop for NetworkRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(PATIENCE_AT_THE_END);
        }
    }
}

/// Long enough for a last flush, short enough not to be felt.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(500);
