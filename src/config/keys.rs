//! The keys of the configuration. Each is stated here once: its name, its type in the file, its default, its type in
//! the program, its check, and its text.
//!
//! From a table the macro `keys!` makes the struct that `serde` fills (every key is optional, unknown ones are denied),
//! the function that sets a single key from the environment or the command line, the list of keys for suggestions, and
//! the function that reads the table, checked and with its defaults, into the struct of the program. `config/local.toml`
//! is made from it too (`UPDATE_EXPECT=1 cargo test --lib local_toml`).
//!
//! After the type in the file follows, with `=`, the default; with `~`, an example of a key that is absent by default;
//! with `|`, an example that excludes another key. A key without a type in the program is read together with others,
//! in `validate`. The section `raw` has the tables within a table. The section `model` has what is not a key; `raw` and
//! `check` may be used in its values.

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

use jiff::civil::Time;
use serde::Deserialize;

use kyomi_csa::{
    Profile,
    server::{AfterGame, GameRules},
    text::Secret,
};
use kyomi_shogi::{
    Color, EnteringKingRule,
    clock::{DelayPolicy, GameTime},
};

use super::{
    BookChoice, BrokerAddress, BrokerLogin, EngineKind, HookForm, LogLevel, NotifyKind, Ponder,
    Restart, ServerMode, ViewStyle, Window,
    check::{
        Check, WEEK, address, arguments, choice, command, cores, each, file_path, game_name, host,
        log_size, login_name, network_delay, page_address, path_or, ponder, room, seconds, some,
        table_size, template, time_of_day, usual, whole, worker_name,
    },
    field::{Field, NotSet, RawOptions, Table},
    value::{DurationText, PonderText, SizeText, Texts},
};

macro_rules! keys {
    ($(#[doc = $doc:literal])+ $raw:ident => pub struct $model:ident {
        $(#[doc = $text:literal] $key:ident: $kind:ident $mark:tt $shown:literal $(=> $type:ty, $check:expr)?;)*
        $(raw { $($sub:ident: $sub_type:ty,)* })?
        $(model($own:ident, $checks:ident) {
            $($(#[doc = $more_text:literal])+ $more:ident: $more_type:ty = $value:expr,)*
        })?
    }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $model {
            $($(#[doc = $text] pub $key: $type,)?)*
            $($($(#[doc = $more_text])+ pub $more: $more_type,)*)?
        }

        impl Default for $model {
            fn default() -> Self {
                $raw::default().read(&mut Check::default(), "")
            }
        }

        keys! { $(#[doc = $doc])+ $raw => $model {
            $(#[doc = $text] $key: $kind $mark $shown $(=> $type, $check)?;)*
            $(raw { $($sub: $sub_type,)* })?
            $(model($own, $checks) { $($more: $value,)* })?
        } }
    };
    ($(#[doc = $doc:literal])+ $raw:ident => $model:ident {
        $(#[doc = $text:literal] $key:ident: $kind:ident $mark:tt $shown:literal $(=> $type:ty, $check:expr)?;)*
        $(raw { $($sub:ident: $sub_type:ty,)* })?
        $(model($own:ident, $checks:ident) { $($more:ident: $value:expr,)* })?
    }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(super) struct $raw {
            $(pub(super) $key: Option<Field<$kind>>,)*
            $($(pub(super) $sub: $sub_type,)*)?
        }

        impl $raw {
            /// Takes the keys out and checks them. `table` is the name of the table in faults.
            pub(super) fn read(&mut self, check: &mut Check, table: &str) -> $model {
                $model {
                    $($($key: check.take(
                        (table, stringify!($key)),
                        self.$key.take(),
                        || default!($mark $shown, $check),
                        $check,
                    ),)?)*
                    $($($more: {
                        #[allow(unused_variables, reason = "not every value uses both")]
                        let ($own, $checks) = (&mut *self, &mut *check);
                        $value
                    },)*)?
                }
            }
        }

        impl Table for $raw {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];
            const TABLES: &'static [(&'static str, &'static [&'static str])] =
                &[$($((stringify!($sub), <$sub_type as Table>::KEYS)),*)?];

            fn set(&mut self, key: &str, text: &str, source: &Arc<str>) -> Result<(), NotSet> {
                $(if key == stringify!($key) {
                    self.$key = Some(Field::external(text, source)?);
                    return Ok(());
                })*
                $($(if let Some(key) = key.strip_prefix(concat!(stringify!($sub), ".")) {
                    return self.$sub.set(key, text, source);
                })*)?
                Err(NotSet::UnknownKey)
            }

            fn inherit(&mut self, from: &Self) {
                $(if self.$key.is_none() {
                    self.$key.clone_from(&from.$key);
                })*
                $($(self.$sub.inherit(&from.$sub);)*)?
            }
        }

        #[cfg(test)]
        impl super::tests::local_toml::Documented for $raw {
            const TEXT: &'static [&'static str] = &[$($doc),+];
            const KEYS: &'static [super::tests::local_toml::Key] = &[$(super::tests::local_toml::Key {
                name: stringify!($key),
                kind: stringify!($kind),
                mark: stringify!($mark),
                shown: $shown,
                text: $text,
                refusal: || [$(super::tests::local_toml::refusal::<$kind, $type>($check),)? String::new()][0].clone(),
            }),*];
        }
    };
}

macro_rules! default {
    (= $shown:literal, $check:expr) => {
        usual($shown, $check)
    };
    ($mark:tt $shown:literal, $check:expr) => {
        Default::default()
    };
}

/// The keys of an engine, in `[engine]` and in `[opponent]`. `serde` cannot flatten a struct and deny unknown keys.
macro_rules! engine_keys {
    ($(#[doc = $doc:literal])+ $raw:ident => { $($model:tt)+ } { $($name:tt)* } { $($more:tt)* }) => {
        keys! { $(#[doc = $doc])+ $raw => $($model)+ {
            $($name)*
            /// Who thinks: kyomi's own search, an engine of yours that speaks USI, or random moves
            kind: String = "builtin" => EngineKind, choice(EngineKind::WORDS);
            /// builtin: the number of search threads; absent: all cores
            threads: i64 ~ "2" => Option<NonZeroUsize>, cores;
            /// The transposition table
            hash: SizeText = "256MiB" => u64, table_size;
            /// builtin: evaluate with this file, or with `nn.bin` in this folder; absent: with its own weights
            eval: String ~ "eval/nn.bin" => Option<PathBuf>, some(file_path);
            /// Think in the opponent's time: true, on the move that the engine names; "pv", where it names none on the second of its line; "early", on the named move before the server repeats ours (usi: clocks come with ponderhit)
            ponder: PonderText = "false" => Ponder, ponder;
            /// usi: the program ...
            path: String ~ "engines/my-engine" => Option<PathBuf>, some(file_path);
            /// ... its arguments ...
            args: Texts = "[]" => Vec<String>, arguments;
            /// ... and the folder it runs in; absent: the current one
            working_dir: String ~ "engines" => Option<PathBuf>, some(file_path);
            /// usi: the longest time from isready to readyok, since engines may load books and networks
            ready_timeout: DurationText = "120s" => Duration, seconds(1..=24 * 3600);
            /// usi: when the process is started anew
            restart: String = "on failure" => Restart, choice(Restart::WORDS);
            raw { options: RawOptions, }
            model(_raw, _check) { $($more)* }
        } }
    };
}

keys! {
    /// Everything that a user can set, one field for each table of the file.
    Raw => pub struct Config {
        /// How many games to play; 0 = until stopped
        games: i64 = "1" => u32, whole(0..=1_000_000_000);
        /// Whether the machine may go to sleep during a game
        sleep: bool = "false" => bool, Ok;
        raw {
            server: Option<RawServer>,
            time: RawTime,
            budget: RawBudget,
            engine: RawEngine,
            opponent: Option<RawOpponent>,
            book: RawBook,
            records: RawRecords,
            schedule: RawSchedule,
            notify: RawNotify,
            control: RawControl,
            dashboard: RawDashboard,
            cluster: RawCluster,
            log: RawLog,
            view: RawView,
            listen: RawListen,
            rules: RawRules,
            account: Vec<RawAccount>,
            fallback: Option<Vec<RawEngine>>,
        }
        model(raw, check) {
            /// `[[account]]`: accounts that play at the same time. With them there is no `server`.
            accounts: Vec<AccountConfig> = Vec::new(),
            /// `[server]`: the server to connect to; without it the embedded server is started.
            server: Option<ServerConfig> = match &mut raw.server {
                Some(server) if raw.account.is_empty() => Some(server.read(check, "server")),
                _ => None,
            },
            /// `[time]`: the time control of both sides in games on the embedded server and in the offers of `kyomi
            /// serve`. Not all times are zero.
            time: GameTime = raw.time.read(check, "time"),
            /// `[budget]`: how the clock is used.
            budget: BudgetConfig = raw.budget.read(check, "budget"),
            /// `[engine]`: our engine.
            engine: EngineConfig = raw.engine.read(check, "engine"),
            /// `[[fallback]]`: the engines that play on when `[engine]` fails, in this order; without it the built-in
            /// engine plays on for a USI engine.
            fallback: Option<Vec<EngineConfig>> = None,
            /// `[opponent]`: the other side of a local game; without it the same engine (see
            /// [`Config::local_opponent`]).
            opponent: Option<OpponentConfig> = None,
            /// `[book]`: the opening book of `[engine]` and its fallbacks.
            book: BookConfig = raw.book.read(check, "book"),
            /// `[records]`: the folder and the names of records.
            records: RecordsConfig = raw.records.read(check, "records"),
            /// `[schedule]`: when the client plays.
            schedule: ScheduleConfig = raw.schedule.read(check, "schedule"),
            /// `[notify]`: the receivers of messages about games and failures.
            notify: NotifyConfig = raw.notify.read(check, "notify"),
            /// `[control]`: how other terminals reach a running client.
            control: ControlConfig = raw.control.read(check, "control"),
            /// `[dashboard]`: the live page in a browser.
            dashboard: DashboardConfig = raw.dashboard.read(check, "dashboard"),
            /// `[cluster]`: the broker that joins several machines; `None`: this machine alone.
            cluster: Option<ClusterConfig> = None,
            /// `[log]`: the folder and the level of the log.
            log: LogConfig = raw.log.read(check, "log"),
            /// `[view]`: how a running game is shown.
            view: ViewConfig = raw.view.read(check, "view"),
            /// `[listen]`: where `kyomi serve` listens.
            listen: ListenConfig = raw.listen.read(check, "listen"),
            /// `[rules]`: the rules of our server.
            rules: GameRules = raw.rules.read(check, "rules"),
        }
    }
}

keys! {
    /// A CSA server and our account there. Without this table the embedded server is started.
    RawServer => pub struct ServerConfig {
        /// A name or an address: wdoor.c.u-tokyo.ac.jp for floodgate
        host: String = "127.0.0.1" => String, host;
        /// The TCP port, 4081 by custom
        port: i64 = "4081" => u16, whole(1..=65_535);
        /// The login name: 1 to 32 of A-Z a-z 0-9 _ @ . -
        name: String = "kyomi" => String, login_name;
        /// The password, without a game name; or safer, KYOMI_SERVER_PASSWORD in the environment; or ...
        password: String ~ "secret";
        /// ... the first line of a file
        password_file: String | "password.txt";
        /// The game name, put before the password with a comma; in extended mode put into %%GAME
        game: String ~ "floodgate-300-10F" => Option<String>, some(game_name);
        /// The colour to ask for: -B or -W behind the game name; + or - in extended mode
        colour: String = "any" => Option<Color>, choice(COLOURS);
        /// Extended mode: %%CHALLENGE, which needs an opponent who waits, instead of %%GAME
        challenge: bool = "false" => bool, Ok;
        /// The dialect of the server
        profile: String = "auto" => Profile, choice(Profile::ALL.map(|it| (it.name(), it)));
        /// How to log in; extended: one login for all games, which are asked for by %%GAME
        mode: String = "plain" => ServerMode, choice(ServerMode::WORDS);
        /// Send score and PV with each move; absent: as the profile says
        comments: bool ~ "true" => Option<bool>, some(Ok);
        /// The time without a line of ours after which a blank line is sent; servers want 30 s between two
        keep_alive: DurationText = "40s" => Duration, seconds(35..=3600);
        /// Encrypt the line, where the server can; the public CSA servers cannot
        tls: bool = "false" => bool, Ok;
        /// With tls: trust the certificates (PEM) of this file instead of the public authorities
        tls_ca: String | "ca.pem" => Option<PathBuf>, some(file_path);
        /// Taken by the server from black's clock without saying so (Denryu-sen)
        handicap_black: DurationText = "0s" => Duration, seconds(0..=86_400);
        /// The same from white's
        handicap_white: DurationText = "0s" => Duration, seconds(0..=86_400);
        model(_raw, _check) {
            /// The password without the game name before it, as the user wrote it; see [`ServerConfig::login_password`].
            password: Secret = Secret::default(),
            /// Whether to ask the server's practice opponent for a game after the login (`kyomi check --rehearse
            /// server`). It has no key.
            practice_opponent: bool = false,
        }
    }
}

keys! {
    /// Time control of games on the embedded server, and of those that `kyomi serve` offers. 60 s is the 20-minute budget
    /// at a scale of 1:20.
    RawTime => GameTime {
        /// The time for all moves
        total: DurationText = "60s" => Duration, seconds(0..=WEEK);
        /// The time for each move, once the total is used up
        byoyomi: DurationText = "0s" => Duration, seconds(0..=WEEK);
        /// What is added for each move
        increment: DurationText = "0s" => Duration, seconds(0..=WEEK);
    }
}

keys! {
    /// How the clock is used, and when an engine resigns.
    RawBudget => pub struct BudgetConfig {
        /// Kept in reserve for the way to the server and back; "auto" measures it
        network_delay: DurationText = "auto" => DelayPolicy, network_delay;
        /// Centipawns, from our side; at or below it for ...
        resign_score: i64 = "-3000" => i32, whole(-100_000..=0);
        /// ... this many moves in a row the built-in engine resigns; a USI engine may only then, or mated; 0 = none resigns
        resign_moves: i64 = "3" => u32, whole(0..=1000);
    }
}

engine_keys! {
    /// Our engine.
    RawEngine => { pub struct EngineConfig } {} {
        /// `[engine.options]`, in the order written.
        options: Vec<EngineOption> = Vec::new(),
    }
}

engine_keys! {
    /// The other side of a local game: a name, and the keys of `[engine]`. Without this table the same engine plays both
    /// sides.
    RawOpponent => { EngineConfig } {
        /// Its name on the embedded server
        name: String ~ "kyomi2";
    } {
        options: Vec::new(),
    }
}

/// `[opponent]`: the other side of a local game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpponentConfig {
    /// Login name on the embedded server.
    pub name: String,
    /// The same keys as `[engine]`.
    pub engine: EngineConfig,
}

impl OpponentConfig {
    /// The name if there is no other.
    pub(super) const USUAL_NAME: &'static str = "kyomi2";
}

/// One option of an engine, as in `setoption name NAME value VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOption {
    /// USI name, which may contain spaces.
    pub name: String,
    /// Value as text: `true`, `4`, `eval/nn.bin`.
    pub value: String,
}

keys! {
    /// An account that plays beside the others of the file, on one server or on several. What its own tables do not say
    /// stands in the tables of the file. An `[account.engine]` that names a kind or a path takes nothing from `[engine]`.
    RawAccount => pub struct AccountConfig {
        /// Its name for `kyomi ctl --account`, status and log; absent: the name at the server
        label: String ~ "floodgate";
        /// How many games to play; absent: as at the top of the file
        games: i64 = "1" => u32, whole(0..=1_000_000_000);
        /// The cores that its engine may use; absent: an even part of what the others leave
        cores: i64 ~ "2" => Option<NonZeroUsize>, cores;
        /// The memory for the table of its engine; absent: an even part of engine.hash
        memory: SizeText ~ "1GiB" => Option<u64>, some(table_size);
        raw {
            server: RawServer,
            budget: RawBudget,
            engine: RawEngine,
            fallback: Option<Vec<RawEngine>>,
            book: RawBook,
        }
        model(raw, check) {
            /// Its name for the user; unique in the file.
            label: String = String::new(),
            /// `[account.server]`, and `[server]` for missing keys.
            server: ServerConfig = raw.server.read(check, "account.server"),
            /// `[account.budget]`, and `[budget]` for missing keys.
            budget: BudgetConfig = raw.budget.read(check, "account.budget"),
            /// `[account.engine]`. Without a kind and a path, missing keys are those of `[engine]`.
            engine: EngineConfig = raw.engine.read(check, "account.engine"),
            /// `[[account.fallback]]`, or `[[fallback]]`.
            fallback: Option<Vec<EngineConfig>> = None,
            /// `[account.book]`, and `[book]` for missing keys.
            book: BookConfig = raw.book.read(check, "account.book"),
        }
    }
}

keys! {
    /// Opening book of `[engine]` and its fallbacks, also before a USI engine (docs/engine-in-use.md).
    RawBook => pub struct BookConfig {
        /// Whether there is one; absent: on for the built-in engine, for a USI engine where a file is named
        enabled: bool ~ "true" => Option<bool>, some(Ok);
        /// A file in YaneuraOu's text format; absent: a small book that is built in
        file: String ~ "book/standard.db" => Option<PathBuf>, some(file_path);
        /// random: a move as often as its count says; narrow: always the best move
        choice: String = "random" => BookChoice, choice(BookChoice::WORDS);
        /// The last move of a game that may come from the book
        max_ply: i64 = "60" => u32, whole(0..=10_000);
        /// random: moves that are worse than the best by more centipawns are left out
        margin: i64 = "30" => u32, whole(0..=99_999);
        /// Moves that were searched less deeply are left out
        min_depth: i64 = "0" => u32, whole(0..=99_999);
        /// Find positions at any move of the game, not only at the one that the book gives
        ignore_ply: bool = "true" => bool, Ok;
        /// A position that the book has only with the colours exchanged is found too
        flipped: bool = "true" => bool, Ok;
        /// The seed: the same moves in the same positions; absent: others in each game
        seed: i64 ~ "1" => Option<u64>, some(whole(0..=i64::MAX));
    }
}

keys! {
    /// One CSA record for each game, of the side of `[engine]`.
    RawRecords => pub struct RecordsConfig {
        /// The folder, created if missing
        dir: String = "logs/games" => PathBuf, file_path;
        /// The name of a file without extension; {date} {time} {event} are replaced too
        name: String = "{datetime}_{black}_{white}" => String, template;
        /// The database of all games, see `kyomi games`; "off": none
        index: String = "logs/kyomi.db" => Option<PathBuf>, path_or("off");
        /// Write score, PV, depth and nodes of our moves; does not depend on server.comments
        comments: bool = "true" => bool, Ok;
    }
}

keys! {
    /// When to play, in local time. Outside its windows the client is logged out and sleeps until the next one; a game that
    /// is running at the end of a window is finished.
    RawSchedule => pub struct ScheduleConfig {
        /// When games may begin: times of day, days and dates; absent: always
        windows: Texts ~ "[\"18:00-23:00\", \"sat,sun 9:00-24:00\", \"2027-05-03 9:00 - 2027-05-05 18:00\"]" => Vec<Window>, each(|text| Window::parse(&text));
        /// The most games in each window; 0 = no limit
        games: i64 = "0" => u32, whole(0..=1_000_000_000);
        /// The least time from the end of a game to the next login
        pause: DurationText = "0s" => Duration, seconds(0..=WEEK);
    }
}

keys! {
    /// Messages about games, lost connections, failed engines and the day, to a program or a web hook. Absent: none.
    RawNotify => pub struct NotifyConfig {
        /// A program to run, with its arguments; the text is in `KYOMI_TEXT` and on its standard input
        command: Texts ~ "[\"notify-send\", \"kyomi\"]" => Vec<String>, command;
        /// A web hook; or safer, KYOMI_NOTIFY_URL in the environment; or ...
        url: String ~ "https://discord.com/api/webhooks/1/secret";
        /// ... the first line of a file
        url_file: String | "hook.txt";
        /// The form of a message; absent: by the host of the address
        form: String ~ "discord" => Option<HookForm>, some(choice(HookForm::WORDS));
        /// What the messages are about; absent: everything
        on: Texts ~ "[\"game\", \"connection\", \"engine\", \"pairing\", \"schedule\", \"summary\"]" => Option<Vec<NotifyKind>>, some(each(choice(NotifyKind::WORDS)));
        /// When to send the day's summary; absent: only at the end of the run
        summary: String ~ "23:00" => Option<Time>, some(time_of_day);
        model(_raw, _check) {
            /// The web hook.
            hook: Option<HookConfig> = None,
        }
    }
}

/// A web hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookConfig {
    /// Its address. It is a secret: any program that has it can post messages.
    pub url: Secret,
    /// The form of a message.
    pub form: HookForm,
}

keys! {
    /// How `kyomi status` and `kyomi ctl` reach a running client: a socket that only you may open.
    RawControl => pub struct ControlConfig {
        /// The socket file; "": none
        socket: String = "logs/kyomi.sock" => Option<PathBuf>, path_or("");
    }
}

keys! {
    /// The live page in a browser, for `kyomi play` and `kyomi serve` (docs/play.md). Without an address there is none.
    RawDashboard => pub struct DashboardConfig {
        /// An address that other machines reach needs a token; port 0: any free one
        address: String ~ "127.0.0.1:8080" => Option<SocketAddr>, page_address;
        /// What a viewer has to know; or safer, KYOMI_DASHBOARD_TOKEN in the environment; or ...
        token: String ~ "a-long-random-word";
        /// ... the first line of a file
        token_file: String | "token.txt";
        /// A host name that viewers use, beside addresses and localhost
        host: String ~ "shogi.local" => Option<String>, some(host);
        model(_raw, _check) {
            /// The token that viewers must give; `None`: none is needed, which is allowed on a loopback address only.
            token: Option<Secret> = None,
        }
    }
}

keys! {
    /// Several machines (docs/machines.md; in a kyomi built with `--features cluster`). Without servers there is one.
    RawCluster => pub struct ClusterConfig {
        /// The servers of the broker, of which one is used; tls://… for an encrypted connection
        servers: Texts | "[\"nats://broker:4222\"]";
        /// The room; machines of other rooms are not seen
        room: String = "kyomi" => String, room;
        /// The login: a user ...
        user: String | "coordinator";
        /// ... and a password; or safer, KYOMI_CLUSTER_PASSWORD in the environment; or ...
        password: String | "secret";
        /// ... the first line of a file
        password_file: String | "broker.txt";
        /// Instead of user and password, or ...
        token: String | "secret";
        /// ... a file of `nsc generate creds`
        credentials: String | "kyomi.creds";
        /// Trust the certificates (PEM) of this file instead of the system's; the connection is then encrypted
        tls_ca: String ~ "ca.pem" => Option<PathBuf>, some(file_path);
        /// The name of a worker for people; absent: that of its machine
        name: String ~ "attic" => Option<String>, some(worker_name);
        model(_raw, _check) {
            /// The servers of the broker, at least one; one of them is connected to.
            servers: Vec<BrokerAddress> = Vec::new(),
            /// How to log in.
            login: BrokerLogin = BrokerLogin::None,
        }
    }
}

keys! {
    /// The program's own log: one file a day, or more if the day's file grows too large.
    RawLog => pub struct LogConfig {
        /// The folder, created if missing
        dir: String = "logs" => PathBuf, file_path;
        /// The least important level that is logged; debug: every protocol line
        level: String = "info" => LogLevel, choice(LogLevel::WORDS);
        /// For how many days files are kept; 0 = for ever
        keep_days: i64 = "30" => u32, whole(0..=100_000);
        /// The most that all files have together, else the oldest are removed
        max_size: SizeText = "1GiB" => u64, log_size;
    }
}

keys! {
    /// How a running game is shown.
    RawView => pub struct ViewConfig {
        /// The style; auto: live in a terminal, else lines; quiet: the results only
        style: String = "auto" => ViewStyle, choice(ViewStyle::WORDS);
    }
}

keys! {
    /// Where and how `kyomi serve` listens.
    RawListen => pub struct ListenConfig {
        /// The address; port 0: any free one, told on standard output
        address: String = "0.0.0.0:4081" => SocketAddr, address;
        /// Whether a connection stays after its game, for LOGOUT or the next game, or is closed
        after_game: String = "stay" => AfterGame, choice([("stay", AfterGame::Stay), ("close", AfterGame::Close)]);
        /// A player whose line is lost in a game may come back within it; 0s: it loses at once
        resume_time: DurationText = "30s" => Duration, seconds(0..=3600);
        /// The folder of the server's records
        records: String = "logs/server" => PathBuf, file_path;
    }
}

keys! {
    /// What our own server judges by.
    RawRules => GameRules {
        /// After this number of moves nobody wins; 0 = no limit
        max_moves: i64 = "256" => u32, whole(0..=100_000);
        /// How an entered king wins
        declaration: String = "27" => EnteringKingRule, choice(DECLARATIONS);
        /// The least time that is counted for a move
        least_time: DurationText = "0s" => Duration, seconds(0..=3600);
        /// Round each move's time up to the unit instead of down
        round_up: bool = "false" => bool, Ok;
        /// Count the start position as its own first occurrence
        repetition_counts_start: bool = "false" => bool, Ok;
        /// A drawn game is played again at once with reversed colours, three times at the most
        rematch_on_draw: bool = "false" => bool, Ok;
    }
}

const COLOURS: [(&str, Option<Color>); 3] =
    [("any", None), ("black", Some(Color::Black)), ("white", Some(Color::White))];
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
