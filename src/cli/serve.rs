//! `kyomi serve`: runs the CSA server for other programs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use crate::archive::import::Sources;
use crate::archive::{Sync, write_atomic};
use crate::config::{Config, Override, exposure, read_event};
use crate::dashboard::{Dashboard, Shows};
use crate::server::{Server, ServerError, Shutdown};
use crate::service::{Phases, Progress};
use crate::watch::{MergedReports, Report, Reports, Snapshot, Watchers};
use kyomi_csa::league::{Event, EventState, GameResult, to_html, to_json, to_text};
use kyomi_csa::reason_line;
use kyomi_record::read_bounded;

use super::descriptors::most_connections;
use super::play::show_page;
use super::{ConfigArgs, Context, Output, ResultExt as _, SignalScope, Signals};

/// Arguments of `kyomi serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Run an event: the file names the players, who are paired in rounds (docs/event.md)
    #[arg(long, value_name = "FILE")]
    event: Option<PathBuf>,
    /// Folder of the event's state and results [default: logs/league/NAME]
    #[arg(long, value_name = "FOLDER", requires = "event")]
    results: Option<PathBuf>,
    /// Show the games, and the pairings of an event, on a page in a browser, at this address [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8080")]
    dashboard: Option<String>,
}

/// Runs `kyomi serve`.
pub(crate) fn run(args: &ServeArgs, context: &Context) -> anyhow::Result<()> {
    let flags = Override::given([("--dashboard", "dashboard.address", args.dashboard.as_ref())]);
    let config = context.load_config(&args.config, flags)?;
    context.start_logging(&config)?;
    let event =
        args.event.as_ref().map(|path| open_event(path, args.results.as_ref())).transpose()?;
    let runtime = context.network_runtime()?;
    // Games continue when standard output is closed.
    context.output.outlive_reader();
    let manager = context.service_manager();
    let mut output = context.output.clone();
    runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Games).context("listening for signals")?;
        let server = bind(&config).await?;
        let address = server.local_addr();
        writeln!(output, "listening on {address}")?;
        output.flush()?;
        let watchers = Watchers::new();
        let subscribed = [(None, watchers.subscribe())];
        let page = Dashboard::open(&config.dashboard, Shows::Server, subscribed, None);
        let page = show_page(page, output.clone())?;
        let server = match event {
            None => server,
            Some(event) => event.run_on(server, output.clone(), page.as_ref())?,
        };
        tracing::info!(%address, "listening");
        if let Some(index) = &config.records.index
            && let Err(error) = Sources::add(index, &config.listen.records, true)
        {
            tracing::warn!(%error, "the folder of records is not noted in the list of sources");
        }

        let reports = watchers.subscribe();
        let (reports_too, stopping) = (watchers.subscribe(), signals.finish.clone());
        let shutdown = Shutdown { finish: signals.finish, abort: signals.abandon };
        let printer = tokio::task::spawn_blocking(move || print_games(output, reports));
        let serving = Box::pin(server.with_watchers(watchers).run(shutdown));
        let progress = Phases::one(Progress::of_server(address));
        let reports_too = MergedReports::new([reports_too]);
        manager.run_notified(serving, progress, reports_too, stopping).await;
        printer.await.context("printing the games")??;
        drop(page);
        Ok(())
    })
}

async fn bind(config: &Config) -> anyhow::Result<Server> {
    let mut settings = Server::settings(config);
    settings.limits.connections = most_connections(settings.limits.connections);
    match Server::bind(settings).await {
        Ok(server) => Ok(server),
        Err(error @ ServerError::Settings(_)) => Err(error).written_by_user(),
        Err(error) => {
            let hint = hint(&error);
            Err(error).hint(hint)
        }
    }
}

/// An event that was read from its file.
struct OpenedEvent {
    event: Event,
    state: EventState,
    results: Results,
}

impl OpenedEvent {
    /// Lets the server run the event, whose results are written, printed and shown on the page.
    fn run_on(
        self,
        server: Server,
        mut shown: Output,
        page: Option<&Dashboard>,
    ) -> anyhow::Result<Server> {
        let Self { event, state, results } = self;
        if !state.rounds.is_empty() {
            write!(shown, "continuing the event\n{}", to_text(&event, &state))?;
            shown.flush()?;
        }
        let open = event.players.iter().filter(|player| player.password.is_none());
        let open: Vec<&str> = open.map(|player| player.name.as_str()).collect();
        if !open.is_empty() {
            let names = open.join(", ");
            tracing::warn!("anybody can log in as {names}: [[player]] has no password");
        }
        let page = page.map(Dashboard::event_page);
        if let Some(page) = &page {
            page.show(&event, &state);
        }
        let mut known = state.clone();
        Ok(server.with_event(event, state, move |event, state| {
            results.write(event, state);
            if let Some(page) = &page {
                page.show(event, state);
            }
            if let Err(error) = print_event(&mut shown, event, &known, state) {
                tracing::debug!(%error, "the event was not printed");
            }
            known = state.clone();
        }))
    }
}

/// Reads the file of an event, and its state if it has begun already.
fn open_event(path: &Path, results: Option<&PathBuf>) -> anyhow::Result<OpenedEvent> {
    let shown = path.display();
    let text = read_text(path).with_context(|| format!("reading {shown}"));
    let event = read_event(&text.written_by_user()?)
        .with_context(|| format!("{shown}"))
        .hint("docs/event.md has a file to copy")
        .written_by_user()?;
    if event.players.iter().any(|player| player.password.is_some())
        && let Some(warning) = exposure(path, "passwords")
    {
        tracing::warn!("{warning}");
    }
    let dir = results.cloned().unwrap_or_else(|| Path::new("logs/league").join(&event.name));
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
    let results = Results { dir };
    let path = results.path(STATE);
    let state = match read_text(&path) {
        Ok(text) => EventState::parse(&text, &event)
            .with_context(|| format!("{}", path.display()))
            .hint("move it away to begin the event anew, or use another folder by --results")
            .written_by_user()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => EventState::new(&event),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    // A folder that cannot be written is an error now, and not after the first game.
    write_atomic(&path, state.to_text().as_bytes(), Sync::Now)
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(OpenedEvent { event, state, results })
}

/// Reads a file of an event or of its state, which is not larger than 16 MiB.
fn read_text(path: &Path) -> io::Result<String> {
    let bytes = fs::File::open(path).and_then(|file| read_bounded(file, 16 << 20))?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The files with the state and the results of an event.
#[derive(Debug)]
struct Results {
    dir: PathBuf,
}

impl Results {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes all files, the state first. A file that cannot be written is written with the next change.
    fn write(&self, event: &Event, state: &EventState) {
        let json = format!("{:#}\n", to_json(event, state));
        let files = [
            (STATE, state.to_text()),
            ("table.txt", to_text(event, state)),
            ("table.json", json),
            ("table.html", to_html(event, state)),
        ];
        for (name, text) in files {
            let path = self.path(name);
            if let Err(error) = write_atomic(&path, text.as_bytes(), Sync::Now) {
                tracing::error!(path = %path.display(), %error, "not written");
            }
        }
    }
}

const STATE: &str = "state.json";

/// Prints what is new: the pairings of a round that has begun, and the table after one.
fn print_event(
    output: &mut Output,
    event: &Event,
    known: &EventState,
    state: &EventState,
) -> io::Result<()> {
    for (number, round) in state.rounds.iter().enumerate() {
        let before = known.rounds.get(number);
        if before.is_none() {
            writeln!(output, "round {} of {}", number + 1, event.rounds())?;
            for game in &round.games {
                let [black, white] = game.players.map(|player| &state.players[player]);
                writeln!(output, "  {black} - {white}")?;
            }
            if let Some(bye) = round.bye {
                writeln!(output, "  {} has a bye", state.players[bye])?;
            }
        }
        for (board, game) in round.games.iter().enumerate() {
            let is_new = before.is_none_or(|it| it.games[board].result.is_none());
            if let Some(result) = game.result.filter(|it| is_new && !it.is_played()) {
                let [black, white] = game.players.map(|player| &state.players[player]);
                let who = match result {
                    GameResult::BlackByForfeit => format!("{white} forfeits against {black}"),
                    GameResult::WhiteByForfeit => format!("{black} forfeits against {white}"),
                    _ => format!("{black} and {white} forfeit"),
                };
                writeln!(output, "{who}")?;
            }
        }
        if round.ended.is_some() && before.is_none_or(|it| it.ended.is_none()) {
            write!(output, "{}", to_text(event, state))?;
        }
    }
    output.flush()
}

/// Prints one line for each game that begins or ends.
fn print_games(mut output: Output, mut reports: Reports) -> io::Result<()> {
    let mut state = Snapshot::default();
    while let Some(report) = reports.blocking_next() {
        state.apply(&report);
        match report {
            Report::GameStarted { game_id, names: [black, white], continued, .. } => {
                let verb = if continued { "continued" } else { "started" };
                writeln!(output, "{verb} {game_id}: {black} - {white}")?;
            }
            Report::GameEnded { number, end, record } => {
                let Some(game) = state.game(number) else { continue };
                let plies = if game.continued { game.plies() } else { game.moves.len() };
                let id = &game.game_id;
                let (result, reason) = (end.result_word(), reason_line(&end));
                let reason = reason.trim_start_matches('#');
                write!(output, "ended {id}: {result} {reason}, {plies} moves")?;
                match record {
                    Some(record) => writeln!(output, ", {}", record.display())?,
                    None => writeln!(output)?,
                }
            }
            Report::Snapshot { missed, .. } if missed > 0 => {
                writeln!(output, "{missed} lines were not read in time and are left out")?;
            }
            _ => continue,
        }
        output.flush()?;
    }
    Ok(())
}

/// A hint for a server that could not be started.
fn hint(error: &ServerError) -> &'static str {
    match error {
        ServerError::Bind { source, .. } => match source.kind() {
            io::ErrorKind::AddrInUse => {
                "another program listens there; end it, or set listen.address to another port"
            }
            io::ErrorKind::PermissionDenied => "ports below 1024 need rights; set listen.address",
            _ => "set listen.address to an address of this machine",
        },
        ServerError::Records(_) => "set listen.records to a folder you may write to",
        ServerError::Settings(_) => "see config/lan-server.toml",
    }
}
