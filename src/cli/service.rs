//! `kyomi service`: a systemd unit for this machine.

use std::{
    env,
    io::Write as _,
    path::{self, Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use clap::Args;

use super::{Context, ResultExt as _};
use crate::{
    config::{Config, ConfigError, EngineConfig, EngineKind, Override},
    service::{Command, Unit},
    terminal::speech,
};

/// Arguments of `kyomi service`.
#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Configuration of the service
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// The user that the service runs as [default: you, or kyomi if you are root]
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Name of the service
    #[arg(long, value_name = "NAME", default_value = "kyomi")]
    name: String,
    /// Run `kyomi serve` instead of `kyomi play`
    #[arg(long)]
    serve: bool,
}

/// Prints the unit.
pub(crate) fn run(args: &ServiceArgs, context: &Context) -> anyhow::Result<()> {
    let (config, needs_password) = load(&args.config)?;
    let command = if args.serve { Command::Serve } else { Command::Play };
    let all_games = config.accounts.iter().map(|account| account.games);
    let games = if config.accounts.is_empty() { Some(config.games) } else { all_games.max() };
    if let Some(games) = games.filter(|games| command == Command::Play && *games != 0) {
        speech::warn(format_args!(
            "{}: games = {games}: the service ends after that number of games; games = 0 plays on",
            args.config.display()
        ));
    }
    let working_dir = env::current_dir().context("finding the working directory")?;
    let text = Unit {
        command,
        name: args.name.clone(),
        user: args.user.clone().unwrap_or_else(user),
        program: env::current_exe().context("finding the path of this program")?,
        config: absolute(&args.config)?,
        writable: writable(&config, command, &working_dir)?,
        working_dir,
        needs_password: needs_password && command == Command::Play,
        runs_engines: command == Command::Play
            && engines(&config).any(|engine| engine.kind == EngineKind::Usi),
        start_limit: start_limit(&config),
    }
    .text()
    .written_by_user()?;
    let mut output = context.output.clone();
    output.write_all(text.as_bytes())?;
    output.flush()?;
    Ok(())
}

/// The configuration without the environment, which the service will not have, and whether its password is missing
/// there.
fn load(file: &Path) -> anyhow::Result<(Config, bool)> {
    let read = |overrides: &[Override]| Config::load(Some(file), [], overrides);
    let (loaded, needs_password) = match read(&[]) {
        Err(ConfigError::Values(faults))
            if faults.iter().all(|fault| fault.key.ends_with("server.password")) =>
        {
            (read(&[Override::new("--set", "server.password", "x")])?, true)
        }
        loaded => (loaded?, false),
    };
    for warning in &loaded.warnings {
        speech::warn(warning);
    }
    Ok((loaded.config, needs_password))
}

fn user() -> String {
    let user = env::var("USER").ok().filter(|user| !user.is_empty() && user != "root");
    user.unwrap_or_else(|| "kyomi".to_owned())
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path::absolute(path).with_context(|| format!("finding the absolute path of {}", path.display()))
}

/// The folders of the configuration that are outside the working directory.
fn writable(config: &Config, command: Command, working_dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let of_command = match command {
        Command::Play => {
            let socket = config.control.socket.as_deref().and_then(Path::parent);
            [Some(config.records.dir.as_path()), socket.filter(|it| !it.as_os_str().is_empty())]
        }
        Command::Serve => [Some(config.listen.records.as_path()), None],
    };
    let mut folders = Vec::new();
    for folder in [config.log.dir.as_path()].into_iter().chain(of_command.into_iter().flatten()) {
        let folder = absolute(folder)?;
        if !folder.starts_with(working_dir) && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(folders)
}

fn engines(config: &Config) -> impl Iterator<Item = &EngineConfig> {
    let opponent = config.opponent.as_ref().map(|opponent| &opponent.engine);
    let fallbacks = config.fallback.iter().flatten();
    let of_accounts = config
        .accounts
        .iter()
        .flat_map(|account| [&account.engine].into_iter().chain(account.fallback.iter().flatten()));
    [&config.engine].into_iter().chain(opponent).chain(fallbacks).chain(of_accounts)
}

/// Each engine may take its time, and be started twice.
fn start_limit(config: &Config) -> Duration {
    let all: Duration = engines(config).map(|engine| engine.ready_timeout).sum();
    (all * 2).saturating_add(Duration::from_secs(60))
}
