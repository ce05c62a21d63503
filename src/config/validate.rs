//! Turns the raw configuration into a checked one: ranges, choices, paths, defaults.
//!
//! All faults of values are collected, so that a user sees them at once.

mod account;
mod cluster;
mod dashboard;
mod engine;
mod notify;
mod schedule;
mod server;

use std::{
    collections::HashSet,
    io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use kyomi_csa::server::{AfterGame, GameRules};
use kyomi_csa::text::nearest_word;
use kyomi_shogi::EnteringKingRule;
use kyomi_shogi::clock::GameTime;

use super::{
    BudgetConfig, Config, ConfigError, ConfigWarning, ControlConfig, ListenConfig, Loaded,
    LogConfig, LogLevel, NetworkDelay, OpponentConfig, RecordsConfig, ViewConfig, ViewStyle,
    defaults,
    document::Document,
    error::Fault,
    file::read_file,
    raw::{Field, Origin, Raw, RawBudget, RawListen, RawLog, RawRecords, RawRules, RawTime},
    suggest,
    value::{self, DurationText, SizeText},
};

/// Turns a raw configuration into a checked one, or reports all its faults.
pub(super) fn check(
    raw: Raw,
    document: &Document,
    faults: Vec<Fault>,
    warnings: Vec<ConfigWarning>,
) -> Result<Loaded, ConfigError> {
    let accounts = raw.accounts();
    let mut check = Check { document, faults, warnings, prefix: "" };
    let has_accounts = !accounts.is_empty();
    let config = Config {
        games: check.take("games", raw.games, defaults::games, |n| whole(n, 0..=1_000_000_000)),
        sleep: check.take("sleep", raw.sleep, || false, Ok),
        accounts: check.accounts(accounts),
        server: match raw.server {
            Some(server) if !has_accounts => Some(check.server(server)),
            _ => None,
        },
        time: check.time(raw.time),
        budget: check.budget(raw.budget),
        engine: check.engine("engine", raw.engine),
        fallback: raw.fallback.map(|fallbacks| {
            fallbacks.into_iter().map(|engine| check.engine("fallback", engine)).collect()
        }),
        opponent: raw.opponent.map(|opponent| {
            let (name, engine) = opponent.split();
            OpponentConfig {
                name: check.take("opponent.name", name, defaults::opponent_name, login_name),
                engine: check.engine("opponent", engine),
            }
        }),
        book: check.book(raw.book),
        records: check.records(raw.records),
        schedule: check.schedule(raw.schedule),
        notify: check.notify(raw.notify),
        control: ControlConfig {
            socket: check.take(
                "control.socket",
                raw.control.socket,
                || Some(defaults::control_socket()),
                |text| if text.is_empty() { Ok(None) } else { file_path(text).map(Some) },
            ),
        },
        dashboard: check.dashboard(raw.dashboard),
        cluster: check.cluster(raw.cluster),
        log: check.log(raw.log),
        view: ViewConfig {
            style: check.take("view.style", raw.view.style, ViewStyle::default, |text| {
                choice(&text, VIEW_STYLES)
            }),
        },
        listen: check.listen(raw.listen),
        rules: check.rules(raw.rules),
    };
    check.two_names(&config);
    check.cluster_support(&config);
    check.drop_repetitions();
    if check.faults.is_empty() {
        Ok(Loaded { config, warnings: check.warnings })
    } else {
        Err(ConfigError::Values(check.faults))
    }
}

const LOG_LEVELS: &[(&str, LogLevel)] = &[
    ("error", LogLevel::Error),
    ("warn", LogLevel::Warn),
    ("info", LogLevel::Info),
    ("debug", LogLevel::Debug),
    ("trace", LogLevel::Trace),
];
const VIEW_STYLES: &[(&str, ViewStyle)] = &[
    ("auto", ViewStyle::Auto),
    ("live", ViewStyle::Live),
    ("lines", ViewStyle::Lines),
    ("quiet", ViewStyle::Quiet),
];
const AFTER_GAME: &[(&str, AfterGame)] = &[("stay", AfterGame::Stay), ("close", AfterGame::Close)];
const DECLARATIONS: &[(&str, EnteringKingRule)] = &[
    ("27", EnteringKingRule::Points27),
    ("none", EnteringKingRule::None),
    ("NoEnteringKing", EnteringKingRule::None),
    ("CSARule24", EnteringKingRule::Points24),
    ("CSARule24H", EnteringKingRule::Points24Handicap),
    ("CSARule27", EnteringKingRule::Points27),
    ("CSARule27H", EnteringKingRule::Points27Handicap),
    ("TryRule", EnteringKingRule::Try),
];

/// The names that `records.name` may contain between braces; a record has its own values there.
const PLACEHOLDERS: [&str; 6] = ["datetime", "date", "time", "black", "white", "event"];

struct Check<'a> {
    document: &'a Document,
    faults: Vec<Fault>,
    warnings: Vec<ConfigWarning>,
    /// Stands before the keys in faults: `account.` while an account is read.
    prefix: &'static str,
}

impl Check<'_> {
    /// Checks that the sides of a local game have different names.
    fn two_names(&mut self, config: &Config) {
        if let Some(opponent) = &config.opponent
            && config.server.is_none()
            && opponent.name == config.player_name()
        {
            let problem = format!("{:?} is our own name; the two sides need two", opponent.name);
            self.fault(self.document.label().to_owned(), "opponent.name", problem);
        }
    }

    /// Warns if this program cannot join machines.
    fn cluster_support(&mut self, config: &Config) {
        if config.cluster.is_some() && !cfg!(feature = "cluster") {
            let warning = format!(
                "{}: [cluster] has no effect, since this kyomi was built without `cluster` (`cargo build --release --features cluster`)",
                self.document.label()
            );
            self.warnings.push(warning.into());
        }
    }

    fn fault(&mut self, place: String, key: &str, problem: impl Into<String>) {
        let key = format!("{}{key}", self.prefix);
        self.faults.push(Fault { place, key, problem: problem.into() });
    }

    fn place(&self, origin: &Origin) -> String {
        match origin {
            Origin::File(offset) => self.document.place(*offset),
            Origin::External(source) => source.to_string(),
        }
    }

    /// The converted value, or the default if the key is missing or its value is not valid; the latter adds a fault.
    fn take<T, U>(
        &mut self,
        key: &str,
        field: Option<Field<T>>,
        default: impl FnOnce() -> U,
        convert: impl FnOnce(T) -> Result<U, String>,
    ) -> U {
        let Some(field) = field else { return default() };
        match convert(field.value) {
            Ok(value) => value,
            Err(problem) => {
                let place = self.place(&field.origin);
                self.fault(place, key, problem);
                default()
            }
        }
    }

    /// An account repeats the faults of the tables that it takes keys from.
    fn drop_repetitions(&mut self) {
        let mut seen = HashSet::new();
        self.faults.retain(|fault| seen.insert((fault.place.clone(), fault.problem.clone())));
        let mut seen = HashSet::new();
        self.warnings.retain(|warning| seen.insert(warning.clone()));
    }

    fn time(&mut self, raw: RawTime) -> GameTime {
        let origin = [&raw.total, &raw.byoyomi, &raw.increment]
            .into_iter()
            .flatten()
            .map(|field| field.origin.clone())
            .next();
        let limit = Duration::from_secs(7 * 24 * 3600);
        let part = |text: DurationText| between(&text, Duration::ZERO, limit);
        let usual = defaults::time();
        let time = GameTime {
            total: self.take("time.total", raw.total, || usual.total, part),
            byoyomi: self.take("time.byoyomi", raw.byoyomi, || usual.byoyomi, part),
            increment: self.take("time.increment", raw.increment, || usual.increment, part),
        };
        if time.total.is_zero() && time.byoyomi.is_zero() && time.increment.is_zero() {
            let place = origin
                .map_or_else(|| self.document.label().to_owned(), |origin| self.place(&origin));
            self.fault(
                place,
                "time",
                "total, byoyomi and increment are all zero; neither side could move",
            );
        }
        time
    }

    fn budget(&mut self, raw: RawBudget) -> BudgetConfig {
        BudgetConfig {
            network_delay: self.take(
                "budget.network_delay",
                raw.network_delay,
                NetworkDelay::default,
                |text| match text.0.trim() {
                    "auto" => Ok(NetworkDelay::Auto),
                    _ => between(&text, Duration::ZERO, Duration::from_secs(60))
                        .map(NetworkDelay::Fixed)
                        .map_err(|problem| format!("{problem}; or \"auto\"")),
                },
            ),
            resign_score: self.take(
                "budget.resign_score",
                raw.resign_score,
                defaults::resign_score,
                |n| whole(n, -100_000..=0),
            ),
            resign_moves: self.take(
                "budget.resign_moves",
                raw.resign_moves,
                defaults::resign_moves,
                |n| whole(n, 0..=1000),
            ),
        }
    }

    fn records(&mut self, raw: RawRecords) -> RecordsConfig {
        RecordsConfig {
            dir: self.take("records.dir", raw.dir, defaults::records_dir, file_path),
            name: self.take("records.name", raw.name, defaults::record_name, template),
            index: self.take("records.index", raw.index, defaults::records_index, index_path),
            comments: self.take("records.comments", raw.comments, || true, Ok),
        }
    }

    fn log(&mut self, raw: RawLog) -> LogConfig {
        LogConfig {
            dir: self.take("log.dir", raw.dir, defaults::log_dir, file_path),
            level: self
                .take("log.level", raw.level, LogLevel::default, |text| choice(&text, LOG_LEVELS)),
            keep_days: self.take("log.keep_days", raw.keep_days, defaults::log_days, |n| {
                whole(n, 0..=100_000)
            }),
            max_size: self.take("log.max_size", raw.max_size, defaults::log_size, |text| {
                match value::size(&text.0)? {
                    bytes if bytes == 0 || (1 << 20..=1 << 44).contains(&bytes) => Ok(bytes),
                    _ => Err(format!(
                        "{:?} is out of range; 1MiB to 16TiB is right, 0B for no limit",
                        text.0
                    )),
                }
            }),
        }
    }

    fn listen(&mut self, raw: RawListen) -> ListenConfig {
        ListenConfig {
            address: self.take("listen.address", raw.address, defaults::listen_address, |text| {
                address(&text)
            }),
            after_game: self.take(
                "listen.after_game",
                raw.after_game,
                AfterGame::default,
                |text| choice(&text, AFTER_GAME),
            ),
            resume_time: self.take(
                "listen.resume_time",
                raw.resume_time,
                defaults::resume_time,
                |text| between(&text, Duration::ZERO, Duration::from_secs(3600)),
            ),
            records: self.take("listen.records", raw.records, defaults::server_records, file_path),
        }
    }

    fn rules(&mut self, raw: RawRules) -> GameRules {
        let usual = GameRules::default();
        GameRules {
            max_moves: self.take(
                "rules.max_moves",
                raw.max_moves,
                || usual.max_moves,
                |n| whole(n, 0..=100_000),
            ),
            declaration: self.take(
                "rules.declaration",
                raw.declaration,
                EnteringKingRule::default,
                |text| choice(&text, DECLARATIONS),
            ),
            least_time: self.take(
                "rules.least_time",
                raw.least_time,
                || usual.least_time,
                |text| between(&text, Duration::ZERO, Duration::from_secs(3600)),
            ),
            round_up: self.take("rules.round_up", raw.round_up, || false, Ok),
            repetition_counts_start: self.take(
                "rules.repetition_counts_start",
                raw.repetition_counts_start,
                || false,
                Ok,
            ),
            rematch_on_draw: self.take("rules.rematch_on_draw", raw.rematch_on_draw, || false, Ok),
        }
    }
}

fn whole<T: TryFrom<i64>>(number: i64, range: std::ops::RangeInclusive<i64>) -> Result<T, String> {
    let wrong =
        || format!("{number} is out of range; {} to {} is right", range.start(), range.end());
    if !range.contains(&number) {
        return Err(wrong());
    }
    T::try_from(number).map_err(|_| wrong())
}

fn between(text: &DurationText, least: Duration, most: Duration) -> Result<Duration, String> {
    let duration = value::duration(&text.0)?;
    if duration < least || duration > most {
        return Err(format!(
            "{:?} is out of range; {}s to {}s is right",
            text.0,
            least.as_secs(),
            most.as_secs()
        ));
    }
    if duration.subsec_nanos() % 1_000_000 != 0 {
        return Err(format!("{:?} is finer than a millisecond", text.0));
    }
    Ok(duration)
}

fn table_size(text: &SizeText) -> Result<u64, String> {
    let bytes = value::size(&text.0)?;
    if (1 << 20..=1 << 44).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(format!("{:?} is out of range; 1MiB to 16TiB is right", text.0))
    }
}

/// The first line of a file that holds a secret. The error shows neither the path, which may be the secret under the
/// wrong key, nor the content.
fn first_line(path: &std::path::Path) -> Result<String, String> {
    let no_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text");
    let read = read_file(path).and_then(|it| String::from_utf8(it).map_err(no_utf8));
    let text = read.map_err(|error| format!("reading the file it names: {error}"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

fn choice<T: Copy>(text: &str, known: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names = || known.iter().map(|(name, _)| *name);
    let all = suggest::list(names());
    match nearest_word(&text.to_lowercase(), names()) {
        Some(near) => {
            Err(format!("{text:?} is unknown; did you mean \"{near}\"? (known are {all})"))
        }
        None => Err(format!("{text:?} is unknown; known are {all}")),
    }
}

/// A login name by the CSA server protocol, section "LOGIN"; the reference server also accepts `@` and `.`.
fn login_name(text: String) -> Result<String, String> {
    let fine = |b: u8| b.is_ascii_alphanumeric() || b"_@.-".contains(&b);
    if (1..=32).contains(&text.len()) && text.bytes().all(fine) {
        Ok(text)
    } else {
        // As in game_name(), a password may follow a comma.
        let shown = text.split(',').next().unwrap_or_default();
        Err(format!("{shown:?} is no login name; 1 to 32 of A-Z a-z 0-9 _ @ . - are right"))
    }
}

fn file_path(text: String) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("the path is empty".to_owned());
    }
    without_nul(text).map(PathBuf::from)
}

/// `off` turns the index off.
fn index_path(text: String) -> Result<Option<PathBuf>, String> {
    if text == "off" { Ok(None) } else { file_path(text).map(Some) }
}

fn without_nul(text: String) -> Result<String, String> {
    if text.contains('\0') {
        Err(format!("{text:?} holds a character that no system takes"))
    } else {
        Ok(text)
    }
}

fn template(text: String) -> Result<String, String> {
    let known = suggest::list(PLACEHOLDERS);
    if text.trim().is_empty() {
        return Err(format!("the name is empty; use {known} between braces"));
    }
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let after = rest[at..].strip_prefix('{').and_then(|after| after.split_once('}'));
        let Some((name, behind)) = after else {
            return Err(format!("{text:?} has a brace without its partner"));
        };
        if !PLACEHOLDERS.contains(&name) {
            return Err(format!("{{{name}}} is unknown; known are {known}"));
        }
        rest = behind;
    }
    Ok(text)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let wrong = || format!("{text:?} is no address; write it as 0.0.0.0:4081, [::]:4081 or :4081");
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().map_err(|_| wrong())?;
    match host {
        "" | "*" => Ok((Ipv4Addr::UNSPECIFIED, port).into()),
        "localhost" => Ok((Ipv4Addr::LOCALHOST, port).into()),
        _ => Err(wrong()),
    }
}
