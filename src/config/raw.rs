//! The configuration as written: every key is optional, and every value has its place in the file.
//!
//! The macro `tables!` is the schema. For each table it generates the struct that `serde` fills (unknown keys are
//! denied), the function that sets a single key from the environment or the command line, and the list of keys for
//! suggestions.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::value::{DurationText, OptionText, PonderText, SizeText};

/// A value and its origin.
#[derive(Debug, Clone)]
pub(super) struct Field<T> {
    pub(super) value: T,
    pub(super) origin: Origin,
}

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The file, at this byte.
    File(usize),
    /// The environment or the command line, with the name of the variable or option for errors.
    External(Arc<str>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        let origin = Origin::File(spanned.span().start);
        Ok(Self { value: spanned.into_inner(), origin })
    }
}

/// A value that can also be given as plain text, outside TOML.
pub(super) trait FromText: Sized {
    /// A description of a valid text.
    const EXPECTED: &'static str;
    fn from_text(text: &str) -> Option<Self>;
}

impl FromText for String {
    const EXPECTED: &'static str = "a text";
    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl FromText for i64 {
    const EXPECTED: &'static str = "a whole number";
    fn from_text(text: &str) -> Option<Self> {
        text.trim().replace('_', "").parse().ok()
    }
}

impl FromText for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

impl FromText for PonderText {
    const EXPECTED: &'static str = "true, false or pv";
    fn from_text(text: &str) -> Option<Self> {
        Some(Self(text.trim().to_owned()))
    }
}

impl FromText for DurationText {
    const EXPECTED: &'static str = "a duration such as 60s";
    fn from_text(text: &str) -> Option<Self> {
        Some(Self(text.to_owned()))
    }
}

impl FromText for SizeText {
    const EXPECTED: &'static str = "a size such as 256MiB";
    fn from_text(text: &str) -> Option<Self> {
        Some(Self(text.to_owned()))
    }
}

impl FromText for Vec<String> {
    const EXPECTED: &'static str = "words between blanks, or a TOML list of texts";
    fn from_text(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct List {
            list: Vec<String>,
        }
        if text.trim_start().starts_with('[') {
            return toml::from_str::<List>(&format!("list = {text}")).ok().map(|it| it.list);
        }
        Some(text.split_whitespace().map(str::to_owned).collect())
    }
}

/// The reason a key could not be set from a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotSet {
    UnknownKey,
    /// A description of a valid text.
    Expected(&'static str),
}

macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident { $($key:ident: $type:ty,)* $(; $sub:ident: $sub_type:ty)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table {
            $(pub(super) $key: Option<Field<$type>>,)*
            $(#[serde(default)] pub(super) $sub: $sub_type,)?
        }

        impl $table {
            /// The names of the keys.
            pub(super) const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            /// Takes the keys that are missing here from another table of this kind.
            #[allow(dead_code, reason = "not every table has another one to take keys from")]
            pub(super) fn inherit(&mut self, from: &Self) {
                $(if self.$key.is_none() {
                    self.$key.clone_from(&from.$key);
                })*
                $(for (name, field) in &from.$sub {
                    self.$sub.entry(name.clone()).or_insert_with(|| field.clone());
                })?
            }

            /// Sets one key from a text outside the file.
            pub(super) fn set(&mut self, key: &str, text: &str, source: &Arc<str>) -> Result<(), NotSet> {
                $(if key == stringify!($key) {
                    let value = FromText::from_text(text)
                        .ok_or(NotSet::Expected(<$type as FromText>::EXPECTED))?;
                    self.$key = Some(Field { value, origin: Origin::External(source.clone()) });
                    return Ok(());
                })*
                $(if let Some(name) = key.strip_prefix(concat!(stringify!($sub), ".")) {
                    let value = OptionText(text.to_owned());
                    let field = Field { value, origin: Origin::External(source.clone()) };
                    self.$sub.insert(name.to_owned(), field);
                    return Ok(());
                })?
                Err(NotSet::UnknownKey)
            }
        }
    )*};
}

tables! {
    RawServer {
        host: String,
        port: i64,
        name: String,
        password: String,
        password_file: String,
        game: String,
        colour: String,
        challenge: bool,
        profile: String,
        mode: String,
        comments: bool,
        keep_alive: DurationText,
        handicap_black: DurationText,
        handicap_white: DurationText,
        tls: bool,
        tls_ca: String,
    }
    RawTime {
        total: DurationText,
        byoyomi: DurationText,
        increment: DurationText,
    }
    RawBudget {
        network_delay: DurationText,
        resign_score: i64,
        resign_moves: i64,
    }
    RawEngine {
        kind: String,
        threads: i64,
        hash: SizeText,
        ponder: PonderText,
        eval: String,
        path: String,
        args: Vec<String>,
        working_dir: String,
        ready_timeout: DurationText,
        restart: String,
        ; options: RawOptions
    }
    /// A name and the keys of [`RawEngine`]. They are repeated, since `serde` cannot flatten a struct and deny unknown
    /// keys.
    RawOpponent {
        name: String,
        kind: String,
        threads: i64,
        hash: SizeText,
        ponder: PonderText,
        eval: String,
        path: String,
        args: Vec<String>,
        working_dir: String,
        ready_timeout: DurationText,
        restart: String,
        ; options: RawOptions
    }
    RawBook {
        enabled: bool,
        file: String,
        choice: String,
        max_ply: i64,
        margin: i64,
        min_depth: i64,
        ignore_ply: bool,
        flipped: bool,
        seed: i64,
    }
    RawRecords {
        dir: String,
        name: String,
        index: String,
        comments: bool,
    }
    RawSchedule {
        windows: Vec<String>,
        games: i64,
        pause: DurationText,
    }
    RawNotify {
        command: Vec<String>,
        url: String,
        url_file: String,
        form: String,
        on: Vec<String>,
        summary: String,
    }
    RawControl {
        socket: String,
    }
    RawDashboard {
        address: String,
        token: String,
        token_file: String,
        host: String,
    }
    RawCluster {
        servers: Vec<String>,
        room: String,
        user: String,
        password: String,
        password_file: String,
        token: String,
        credentials: String,
        tls_ca: String,
        name: String,
    }
    RawLog {
        dir: String,
        level: String,
        keep_days: i64,
        max_size: SizeText,
    }
    RawView {
        style: String,
    }
    RawListen {
        address: String,
        after_game: String,
        resume_time: DurationText,
        records: String,
    }
    RawRules {
        max_moves: i64,
        declaration: String,
        least_time: DurationText,
        round_up: bool,
        repetition_counts_start: bool,
        rematch_on_draw: bool,
    }
}

/// The options of an engine by name.
pub(super) type RawOptions = BTreeMap<String, Field<OptionText>>;

impl RawOpponent {
    /// Splits the table into the name and the keys of the engine.
    pub(super) fn split(self) -> (Option<Field<String>>, RawEngine) {
        let Self {
            name,
            kind,
            threads,
            hash,
            ponder,
            eval,
            path,
            args,
            working_dir,
            ready_timeout,
            restart,
            options,
        } = self;
        let engine = RawEngine {
            kind,
            threads,
            hash,
            ponder,
            eval,
            path,
            args,
            working_dir,
            ready_timeout,
            restart,
            options,
        };
        (name, engine)
    }
}

/// `[[account]]` as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAccount {
    pub(super) label: Option<Field<String>>,
    pub(super) games: Option<Field<i64>>,
    pub(super) cores: Option<Field<i64>>,
    pub(super) memory: Option<Field<SizeText>>,
    pub(super) server: RawServer,
    pub(super) budget: RawBudget,
    pub(super) engine: RawEngine,
    pub(super) fallback: Option<Vec<RawEngine>>,
    pub(super) book: RawBook,
}

impl RawAccount {
    /// The names of the keys.
    pub(super) const KEYS: &'static [&'static str] = &["label", "games", "cores", "memory"];

    /// Fills the missing keys of the account from the tables of the file.
    fn inherit(&mut self, raw: &Raw) {
        if let Some(server) = &raw.server {
            let has_password =
                self.server.password.is_some() || self.server.password_file.is_some();
            let mut server = server.clone();
            if has_password {
                (server.password, server.password_file) = (None, None);
            }
            self.server.inherit(&server);
        }
        if self.games.is_none() {
            self.games.clone_from(&raw.games);
        }
        self.budget.inherit(&raw.budget);
        // `cores` and `memory` of the account default to `threads` and `hash` of its engine, and the reverse.
        if self.cores.is_none() {
            self.cores.clone_from(&self.engine.threads);
        }
        match (&self.memory, &self.engine.hash) {
            (None, own) => self.memory.clone_from(own),
            (Some(_), None) => self.engine.hash.clone_from(&self.memory),
            (Some(_), Some(_)) => {}
        }
        if self.engine.kind.is_none() && self.engine.path.is_none() {
            self.engine.inherit(&raw.engine);
        }
        if self.fallback.is_none() {
            self.fallback.clone_from(&raw.fallback);
        }
        self.book.inherit(&raw.book);
    }
}

/// All tables as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Raw {
    pub(super) games: Option<Field<i64>>,
    pub(super) sleep: Option<Field<bool>>,
    pub(super) account: Vec<RawAccount>,
    pub(super) server: Option<RawServer>,
    pub(super) time: RawTime,
    pub(super) budget: RawBudget,
    pub(super) engine: RawEngine,
    pub(super) fallback: Option<Vec<RawEngine>>,
    pub(super) opponent: Option<RawOpponent>,
    pub(super) book: RawBook,
    pub(super) records: RawRecords,
    pub(super) schedule: RawSchedule,
    pub(super) notify: RawNotify,
    pub(super) control: RawControl,
    pub(super) dashboard: RawDashboard,
    pub(super) cluster: RawCluster,
    pub(super) log: RawLog,
    pub(super) view: RawView,
    pub(super) listen: RawListen,
    pub(super) rules: RawRules,
}

/// The tables that a file may have several times, with their keys. Only the file sets them.
pub(super) const LISTS: &[(&str, &[&str])] =
    &[("account", RawAccount::KEYS), ("fallback", RawEngine::KEYS)];

/// Every table with its keys, except [`LISTS`]. The keys outside tables come first.
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("", &["games", "sleep"]),
    ("server", RawServer::KEYS),
    ("time", RawTime::KEYS),
    ("budget", RawBudget::KEYS),
    ("engine", RawEngine::KEYS),
    ("opponent", RawOpponent::KEYS),
    ("book", RawBook::KEYS),
    ("records", RawRecords::KEYS),
    ("schedule", RawSchedule::KEYS),
    ("notify", RawNotify::KEYS),
    ("control", RawControl::KEYS),
    ("dashboard", RawDashboard::KEYS),
    ("cluster", RawCluster::KEYS),
    ("log", RawLog::KEYS),
    ("view", RawView::KEYS),
    ("listen", RawListen::KEYS),
    ("rules", RawRules::KEYS),
];

impl Raw {
    /// Each account of `[[account]]`, with the keys that it takes from the other tables.
    pub(super) fn accounts(&self) -> Vec<RawAccount> {
        let mut accounts = self.account.clone();
        for account in &mut accounts {
            account.inherit(self);
        }
        accounts
    }

    /// Sets the dotted `key` from a text outside the file.
    pub(super) fn set(&mut self, key: &str, text: &str, source: &Arc<str>) -> Result<(), NotSet> {
        let Some((table, key)) = key.split_once('.') else {
            let origin = Origin::External(source.clone());
            match key {
                "games" => {
                    let value = i64::from_text(text).ok_or(NotSet::Expected(i64::EXPECTED))?;
                    self.games = Some(Field { value, origin });
                }
                "sleep" => {
                    let value = bool::from_text(text).ok_or(NotSet::Expected(bool::EXPECTED))?;
                    self.sleep = Some(Field { value, origin });
                }
                _ => return Err(NotSet::UnknownKey),
            }
            return Ok(());
        };
        match table {
            "server" => self.server.get_or_insert_default().set(key, text, source),
            "time" => self.time.set(key, text, source),
            "budget" => self.budget.set(key, text, source),
            "engine" => self.engine.set(key, text, source),
            "opponent" => self.opponent.get_or_insert_default().set(key, text, source),
            "book" => self.book.set(key, text, source),
            "records" => self.records.set(key, text, source),
            "schedule" => self.schedule.set(key, text, source),
            "notify" => self.notify.set(key, text, source),
            "control" => self.control.set(key, text, source),
            "dashboard" => self.dashboard.set(key, text, source),
            "cluster" => self.cluster.set(key, text, source),
            "log" => self.log.set(key, text, source),
            "view" => self.view.set(key, text, source),
            "listen" => self.listen.set(key, text, source),
            "rules" => self.rules.set(key, text, source),
            _ => Err(NotSet::UnknownKey),
        }
    }
}
