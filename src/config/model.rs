//! The configuration as the rest of the program reads it: checked, with all defaults filled in.

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, time::Duration};

use kyomi_csa::Profile;
use kyomi_csa::server::GameRules;
use kyomi_csa::text::Secret;
use kyomi_record::book::BookRules;
use kyomi_shogi::clock::GameTime;

use super::{ClusterConfig, ConfigWarning, ListenConfig, NotifyConfig, ScheduleConfig, defaults};

/// A configuration, and warnings about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// Warnings: unknown environment variables that begin with `KYOMI_`, and settings without effect.
    pub warnings: Vec<ConfigWarning>,
}

/// Everything a user can set, one field per TOML table.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The number of games to play; 0 means until stopped.
    pub games: u32,
    /// Whether the machine may go to sleep during a game.
    pub sleep: bool,
    /// `[[account]]`: accounts that play at the same time. With them there is no `server`.
    pub accounts: Vec<AccountConfig>,
    /// `[server]`: the server to connect to; without it the embedded server is started.
    pub server: Option<ServerConfig>,
    /// `[time]`: the time control of both sides in games on the embedded server and in the offers of `kyomi serve`.
    /// Not all times are zero.
    pub time: GameTime,
    /// `[budget]`: how the clock is used.
    pub budget: BudgetConfig,
    /// `[engine]`: our engine.
    pub engine: EngineConfig,
    /// `[[fallback]]`: the engines that play on when `[engine]` fails, in this order; without it the built-in engine
    /// plays on for a USI engine.
    pub fallback: Option<Vec<EngineConfig>>,
    /// `[opponent]`: the other side of a local game; without it the same engine (see [`Config::local_opponent`]).
    pub opponent: Option<OpponentConfig>,
    /// `[book]`: the opening book of `[engine]` and its fallbacks.
    pub book: BookConfig,
    /// `[records]`: the folder and the names of records.
    pub records: RecordsConfig,
    /// `[schedule]`: when the client plays.
    pub schedule: ScheduleConfig,
    /// `[notify]`: the receivers of messages about games and failures.
    pub notify: NotifyConfig,
    /// `[control]`: how other terminals reach a running client.
    pub control: ControlConfig,
    /// `[dashboard]`: the live page in a browser.
    pub dashboard: DashboardConfig,
    /// `[cluster]`: the broker that joins several machines; `None`: this machine alone.
    pub cluster: Option<ClusterConfig>,
    /// `[log]`: the folder and the level of the log.
    pub log: LogConfig,
    /// `[view]`: how a running game is shown.
    pub view: ViewConfig,
    /// `[listen]`: where `kyomi serve` listens.
    pub listen: ListenConfig,
    /// `[rules]`: the rules of our server.
    pub rules: GameRules,
}

impl Config {
    /// The name of our side: the login name at the server, or `kyomi` in a local game.
    pub fn player_name(&self) -> String {
        self.server.as_ref().map_or_else(defaults::player_name, |server| server.name.clone())
    }

    /// The other side of a local game: `[opponent]`, or the same engine under another name.
    pub fn local_opponent(&self) -> OpponentConfig {
        self.opponent.clone().unwrap_or_else(|| OpponentConfig {
            name: defaults::opponent_name(),
            engine: self.engine.clone(),
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            games: defaults::games(),
            sleep: false,
            accounts: Vec::new(),
            server: None,
            time: defaults::time(),
            budget: BudgetConfig::default(),
            engine: EngineConfig::default(),
            fallback: None,
            opponent: None,
            book: BookConfig::default(),
            records: RecordsConfig::default(),
            schedule: ScheduleConfig::default(),
            notify: NotifyConfig::default(),
            control: ControlConfig::default(),
            dashboard: DashboardConfig::default(),
            cluster: None,
            log: LogConfig::default(),
            view: ViewConfig::default(),
            listen: ListenConfig::default(),
            rules: GameRules::default(),
        }
    }
}

/// `[[account]]`: an account on a server, which plays beside the others of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountConfig {
    /// Its name for the user; unique in the file.
    pub label: String,
    /// The number of games to play; 0 means until stopped.
    pub games: u32,
    /// The number of cores that its engine may use; `None`: an even part of those that are left.
    pub cores: Option<NonZeroUsize>,
    /// The memory for the table of its engine, in bytes; `None`: an even part of `engine.hash`.
    pub memory: Option<u64>,
    /// `[account.server]`, and `[server]` for missing keys.
    pub server: ServerConfig,
    /// `[account.budget]`, and `[budget]` for missing keys.
    pub budget: BudgetConfig,
    /// `[account.engine]`. Without a kind and a path, missing keys are those of `[engine]`.
    pub engine: EngineConfig,
    /// `[[account.fallback]]`, or `[[fallback]]`.
    pub fallback: Option<Vec<EngineConfig>>,
    /// `[account.book]`, and `[book]` for missing keys.
    pub book: BookConfig,
}

/// `[server]`: a CSA server and our account there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Host name or address.
    pub host: String,
    /// TCP port, 4081 by custom.
    pub port: u16,
    /// Login name: 1 to 32 of `[A-Za-z0-9_@.-]`.
    pub name: String,
    /// Password, without the game name before it, as the user wrote it; see [`ServerConfig::login_password`].
    pub password: Secret,
    /// Game name (`floodgate-300-10F`): it goes before the password, in extended mode into `%%GAME`.
    pub game: Option<String>,
    /// The colour to ask for with the game.
    pub colour: ColorChoice,
    /// In extended mode: ask for a game only if an opponent is waiting (`%%CHALLENGE`).
    pub challenge: bool,
    /// The dialect of the server.
    pub profile: Profile,
    /// Plain ("CSA") or extended (`x1`) login.
    pub mode: ServerMode,
    /// Whether to send evaluation and PV with each move; `None`: the default of the profile.
    pub comments: Option<bool>,
    /// The time since our last line after which a blank line is sent; at least 35 s.
    pub keep_alive: Duration,
    /// Time that the server subtracts from the clocks without a line in the offer, `[color]`.
    pub handicap: [Duration; 2],
    /// How the connection is encrypted; `None`: not at all.
    pub tls: Option<TlsConfig>,
    /// Whether to ask the server's practice opponent for a game after the login (`kyomi check --rehearse server`). It
    /// has no key.
    pub practice_opponent: bool,
}

impl ServerConfig {
    /// The password to send: `game,password`, or the password alone, as in extended mode.
    pub fn login_password(&self) -> Secret {
        let suffix = match self.colour {
            ColorChoice::Any => "",
            ColorChoice::Black => "-B",
            ColorChoice::White => "-W",
        };
        match &self.game {
            Some(game) if self.mode == ServerMode::Plain => {
                Secret::new(format!("{game}{suffix},{}", self.password.expose()))
            }
            _ => self.password.clone(),
        }
    }
}

/// `server.tls`: an encrypted connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TlsConfig {
    /// A file with the certificates (PEM) of the authorities that are trusted; `None`: the public ones.
    pub authorities: Option<PathBuf>,
}

/// `server.colour`: the colour to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// As it comes.
    #[default]
    Any,
    /// Black, who usually moves first.
    Black,
    /// White.
    White,
}

/// `server.mode`: how to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServerMode {
    /// `LOGIN name password`.
    #[default]
    Plain,
    /// `LOGIN name password x1`.
    Extended,
}

/// `[budget]`: use of the clock, and resignation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetConfig {
    /// Time reserved for the way to the server and back.
    pub network_delay: NetworkDelay,
    /// Score in centipawns, from our view, at or below which a move counts towards resigning.
    pub resign_score: i32,
    /// Number of such moves in a row after which we resign; 0: never.
    pub resign_moves: u32,
}

impl Default for BudgetConfig {
    fn default() -> Self {
        Self {
            network_delay: NetworkDelay::default(),
            resign_score: defaults::resign_score(),
            resign_moves: defaults::resign_moves(),
        }
    }
}

/// `budget.network_delay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NetworkDelay {
    /// Measured from the server's answers.
    #[default]
    Auto,
    /// A fixed reserve for each move.
    Fixed(Duration),
}

/// `[engine]`: an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineConfig {
    /// Built-in search, a USI process, or random moves.
    pub kind: EngineKind,
    /// Search threads of the built-in engine; `None`: all cores.
    pub threads: Option<NonZeroUsize>,
    /// Transposition table of the built-in engine, in bytes.
    pub hash: u64,
    /// Whether to think in the opponent's time.
    pub ponder: Ponder,
    /// The network that the built-in engine evaluates with, a file or a folder with `nn.bin`; `None`: its own.
    pub eval: Option<PathBuf>,
    /// The program of a USI engine; always `Some` if `kind` is [`EngineKind::Usi`].
    pub path: Option<PathBuf>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory it runs in; `None`: the current one.
    pub working_dir: Option<PathBuf>,
    /// The longest time it may take from `isready` to `readyok`.
    pub ready_timeout: Duration,
    /// When the process is restarted.
    pub restart: Restart,
    /// `[engine.options]`, in the order written.
    pub options: Vec<EngineOption>,
}

/// `engine.restart`: when the process of an engine is restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restart {
    /// When it has failed.
    #[default]
    OnFailure,
    /// For each game.
    EachGame,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            kind: EngineKind::default(),
            threads: None,
            hash: defaults::hash(),
            ponder: Ponder::default(),
            eval: None,
            path: None,
            args: Vec::new(),
            working_dir: None,
            ready_timeout: defaults::ready_timeout(),
            restart: Restart::default(),
            options: Vec::new(),
        }
    }
}

/// `engine.ponder`: whether to think in the opponent's time, and on which move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ponder {
    /// Not at all.
    #[default]
    Off,
    /// On the move that the engine names with its answer.
    Named,
    /// On that move, or otherwise on the second move of the engine's PV.
    NamedOrPv,
    /// On the named move, as soon as our move is sent and not only after the server's echo. A USI engine is sent the
    /// clocks with `ponderhit`, which few engines understand.
    Early,
}

impl Ponder {
    /// Whether to ponder at all.
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }
}

/// `engine.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineKind {
    /// kyomi's own search.
    #[default]
    Builtin,
    /// An external USI engine.
    Usi,
    /// A random legal move with equal probabilities, for tests.
    Random,
}

/// `[opponent]`: the other side of a local game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpponentConfig {
    /// Login name on the embedded server.
    pub name: String,
    /// The same keys as `[engine]`.
    pub engine: EngineConfig,
}

/// `[book]`: the opening book, which is used before the search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BookConfig {
    /// Whether there is one; `None`: for the built-in engine, and for a USI engine where a file is named.
    pub enabled: Option<bool>,
    /// The file; `None`: the book that is built in.
    pub file: Option<PathBuf>,
    /// How moves are looked up and chosen.
    pub rules: BookRules,
}

/// `[records]`: the folder and the names of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordsConfig {
    /// Folder, created if missing.
    pub dir: PathBuf,
    /// File name without extension; `{datetime}`, `{date}`, `{time}`, `{black}`, `{white}`, `{event}` are replaced.
    pub name: String,
    /// The database over all records; `None`: games are not indexed.
    pub index: Option<PathBuf>,
    /// Whether records have what our engine reports with its moves: score, PV, depth, nodes.
    pub comments: bool,
}

impl Default for RecordsConfig {
    fn default() -> Self {
        Self {
            dir: defaults::records_dir(),
            name: defaults::record_name(),
            index: defaults::records_index(),
            comments: true,
        }
    }
}

/// `[log]`: the log of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// Folder, created if missing; it gets a file for each day.
    pub dir: PathBuf,
    /// The least important level that is logged.
    pub level: LogLevel,
    /// For how many days the files are kept; 0: for ever.
    pub keep_days: u32,
    /// How many bytes the files have together, at most; 0: no limit.
    pub max_size: u64,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            dir: defaults::log_dir(),
            level: LogLevel::default(),
            keep_days: defaults::log_days(),
            max_size: defaults::log_size(),
        }
    }
}

/// `log.level`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogLevel {
    /// Errors: the user must act.
    Error,
    /// Warnings: the program handled the problem.
    Warn,
    /// One line for each move and change of state.
    #[default]
    Info,
    /// Every protocol line, with passwords masked.
    Debug,
    /// Details of the search as well.
    Trace,
}

/// `[view]`: how a running game is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ViewConfig {
    /// Live board, lines or results only.
    pub style: ViewStyle,
}

/// `view.style`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ViewStyle {
    /// A live board on a terminal, lines elsewhere.
    #[default]
    Auto,
    /// A board that is redrawn in place.
    Live,
    /// One line per move.
    Lines,
    /// The result only.
    Quiet,
}

/// `[control]`: how `kyomi ctl` and `kyomi status` reach a running client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlConfig {
    /// The socket file; `None`: there is none.
    pub socket: Option<PathBuf>,
}

impl Default for ControlConfig {
    fn default() -> Self {
        Self { socket: Some(defaults::control_socket()) }
    }
}

/// `[dashboard]`: the live page of `kyomi play` and `kyomi serve` in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DashboardConfig {
    /// Where the page is served; `None`: nowhere. Port 0 lets the system choose.
    pub address: Option<SocketAddr>,
    /// The token that viewers must give; `None`: no token is needed, which is allowed on a loopback address only.
    pub token: Option<Secret>,
    /// A host name under which viewers ask for the page, beside addresses and `localhost`.
    pub host: Option<String>,
}

/// One option of an engine, as in `setoption name NAME value VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOption {
    /// USI name, which may contain spaces.
    pub name: String,
    /// Value as text: `true`, `4`, `eval/nn.bin`.
    pub value: String,
}
