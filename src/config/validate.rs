//! The checks that combine several keys, and the values that several keys make.

use std::mem::take;

use kyomi_csa::text::Secret;

use super::{
    AccountConfig, BrokerAddress, BrokerLogin, ClusterConfig, Config, ConfigError, ConfigWarning,
    DashboardConfig, EngineConfig, EngineKind, EngineOption, HookConfig, HookForm, Loaded,
    NotifyConfig, OpponentConfig, ServerConfig,
    check::{Check, each, file_path, hook_url, login_name, password, some, token, word},
    document::Document,
    error::Fault,
    field::{Field, Origin, RawOptions, Table as _},
    keys::{Raw, RawAccount, RawCluster, RawDashboard, RawEngine, RawNotify, RawServer},
};

/// Turns a raw configuration into a checked one, or reports all its faults.
pub(super) fn check(
    mut raw: Raw,
    document: &Document,
    faults: Vec<Fault>,
    warnings: Vec<ConfigWarning>,
) -> Result<Loaded, ConfigError> {
    let mut check = Check::new(document.lines.clone(), faults, warnings);
    let accounts = accounts_of(&raw);
    let mut config = raw.read(&mut check, "");
    check.time(&config);
    if let (Some(server), Some(raw)) = (&mut config.server, &mut raw.server) {
        check.server("server", server, raw);
    }
    check.engine("engine", &mut config.engine, take(&mut raw.engine.options));
    let usual_name = || OpponentConfig::USUAL_NAME.to_owned();
    config.opponent = raw.opponent.map(|mut raw| {
        let name = check.take(("opponent", "name"), raw.name.take(), usual_name, login_name);
        let mut engine = raw.read(&mut check, "opponent");
        check.engine("opponent", &mut engine, raw.options);
        OpponentConfig { name, engine }
    });
    config.fallback = check.fallbacks("fallback", raw.fallback);
    check.notify(&mut config.notify, raw.notify);
    check.dashboard(&mut config.dashboard, raw.dashboard);
    config.cluster = check.cluster(raw.cluster);
    config.accounts = check.accounts(accounts);
    check.two_names(&config);
    check.cluster_support(&config);
    let (faults, warnings) = check.finish();
    if faults.is_empty() {
        Ok(Loaded { config, warnings })
    } else {
        Err(ConfigError::Values(faults))
    }
}

impl Check {
    fn time(&mut self, config: &Config) {
        let time = &config.time;
        if time.total.is_zero() && time.byoyomi.is_zero() && time.increment.is_zero() {
            let keys = ["time.total", "time.byoyomi", "time.increment"];
            let at = keys.into_iter().find(|key| self.place(key).is_some()).unwrap_or_default();
            let problem = "total, byoyomi and increment are all zero; neither side could move";
            self.fault_at(at, "time", problem);
        }
    }

    fn server(&mut self, table: &str, server: &mut ServerConfig, raw: &mut RawServer) {
        let key = |key: &str| format!("{table}.{key}");
        if raw.password.is_none() && raw.password_file.is_none() {
            let problem = "it is missing; write password or password_file into [server], \
                           or set KYOMI_SERVER_PASSWORD";
            // The place of the key may be that of another account.
            self.fault_at("", &key("password"), problem);
        }
        let (inline, file) = (raw.password.take(), raw.password_file.take());
        let secret = self.secret([table, "password", "a password"], inline, file, password);
        server.password = secret.unwrap_or_default();
        if self.place(&key("tls_ca")).is_some() && !server.tls {
            self.fault(&key("tls_ca"), "it has no effect without `tls = true`");
        }
    }

    fn engine(&mut self, table: &str, engine: &mut EngineConfig, options: RawOptions) {
        let key = |key: &str| format!("{table}.{key}");
        let is_usi = engine.kind == EngineKind::Usi;
        if is_usi && self.place(&key("path")).is_none() {
            let problem = "it is missing; a USI engine needs the path of its program";
            self.fault_at(&key("kind"), &key("path"), problem);
        }
        let unused =
            [("path", "usi", is_usi), ("eval", "builtin", engine.kind == EngineKind::Builtin)];
        for (name, kind, is_used) in unused {
            if let Some(place) = self.place(&key(name)).filter(|_| !is_used) {
                let table = table.trim_start_matches("account.");
                let warning = format!(
                    "{place}: {table}.{name} is not used, since {table}.kind is not {kind:?}"
                );
                self.warnings.push(warning.into());
            }
        }
        // In the order of the file, which may matter to an engine.
        let mut fields: Vec<_> = options.into_iter().collect();
        fields.sort_by_key(|(_, field)| match field.origin {
            Origin::File(offset) => offset,
            Origin::External(_) => usize::MAX,
        });
        for (name, field) in fields {
            let problem = if name.trim().is_empty() || name.contains(char::is_control) {
                Err("an option needs a name on one line".to_owned())
            } else {
                Ok(())
            };
            let value = self.take(
                (&key("options"), name.as_str()),
                Some(field),
                || None,
                |text| {
                    problem?;
                    if text.0.contains(char::is_control) {
                        return Err(
                            "an option's value is one line without control characters".into()
                        );
                    }
                    Ok(Some(text.0))
                },
            );
            engine.options.extend(value.map(|value| EngineOption { name, value }));
        }
    }

    fn fallbacks(&mut self, table: &str, raw: Option<Vec<RawEngine>>) -> Option<Vec<EngineConfig>> {
        let engine = |mut raw: RawEngine| {
            let mut engine = raw.read(self, table);
            self.engine(table, &mut engine, raw.options);
            engine
        };
        raw.map(|all| all.into_iter().map(engine).collect())
    }

    fn notify(&mut self, notify: &mut NotifyConfig, raw: RawNotify) {
        let what = "the address of the web hook of [notify], with which anybody can send messages";
        let url = self.secret(["notify", "url", what], raw.url, raw.url_file, hook_url);
        notify.hook = url.map(|url| HookConfig {
            form: notify.form.unwrap_or_else(|| HookForm::of_url(&url)),
            url: Secret::new(url),
        });
    }

    fn dashboard(&mut self, dashboard: &mut DashboardConfig, raw: RawDashboard) {
        let names = ["dashboard", "token", "a password"];
        dashboard.token = self.secret(names, raw.token, raw.token_file, token);
        if let (Some(at), None) = (dashboard.address, &dashboard.token)
            && !at.ip().is_loopback()
        {
            let problem = format!(
                "{at} is reached from other machines, and there is no token; write 127.0.0.1:{}, or set dashboard.token_file",
                at.port()
            );
            self.fault("dashboard.address", problem);
        }
    }

    /// `None` without servers, which is the normal case.
    fn cluster(&mut self, mut raw: RawCluster) -> Option<ClusterConfig> {
        let mut cluster = raw.read(self, "cluster");
        let at = "cluster.servers";
        let key = |key| ("cluster", key);
        let servers_in_file = raw.servers.as_ref().is_some_and(Field::is_in_file);
        let token_in_file = raw.token.as_ref().is_some_and(Field::is_in_file);
        let address = |text: String| BrokerAddress::parse(&text);
        let servers = self.take(key("servers"), raw.servers, Vec::new, each(address));
        let (servers, mut in_addresses): (Vec<_>, Vec<_>) = servers.into_iter().unzip();
        in_addresses.retain(|login| *login != BrokerLogin::None);
        in_addresses.dedup();
        if in_addresses.len() > 1 {
            let problem = "the addresses hold different logins; one login is for all servers";
            self.fault(at, problem);
        }
        let in_address = in_addresses.pop();
        let user = self.take(key("user"), raw.user, || None, some(word));
        let secret = |text| word(text).map(Secret::new);
        let names = ["cluster", "password", "a password"];
        let password = self.secret(names, raw.password, raw.password_file, secret);
        let token = self.take(key("token"), raw.token, || None, some(secret));
        if servers_in_file && in_address.is_some() || token_in_file && token.is_some() {
            self.warn_of_exposure(None, "a password");
        }
        let credentials = self.take(key("credentials"), raw.credentials, || None, some(file_path));
        if let Some(path) = credentials.as_ref().and_then(|path| path.to_str()) {
            self.warn_of_exposure(Some(path), "the login of the broker");
        }
        let mut logins: Vec<BrokerLogin> = Vec::new();
        match (user, password) {
            (Some(user), Some(password)) => logins.push(BrokerLogin::Password { user, password }),
            (Some(_), None) => {
                let problem = "it is missing beside user; write password or password_file into \
                               [cluster], or set KYOMI_CLUSTER_PASSWORD";
                self.fault_at(at, "cluster.password", problem);
            }
            (None, Some(_)) if !servers.is_empty() => {
                self.fault_at(at, "cluster.user", "it is missing beside password");
            }
            (None, _) => {}
        }
        logins.extend(token.map(BrokerLogin::Token));
        logins.extend(credentials.map(BrokerLogin::Credentials));
        logins.extend(in_address);
        if logins.len() > 1 {
            let problem = "there are several logins (user and password, token, credentials, or in \
                           an address); keep one of them";
            self.fault_at(at, "cluster", problem);
        }
        cluster.login = logins.pop().unwrap_or_default();
        cluster.servers = servers;
        Some(cluster).filter(|cluster| !cluster.servers.is_empty())
    }

    fn accounts(&mut self, raw: Vec<RawAccount>) -> Vec<AccountConfig> {
        if raw.len() > MOST_ACCOUNTS {
            let problem = format!("{} accounts; {MOST_ACCOUNTS} at most are right", raw.len());
            self.fault("account", problem);
            return Vec::new();
        }
        let accounts: Vec<_> = raw.into_iter().map(|account| self.account(account)).collect();
        for (number, account) in accounts.iter().enumerate() {
            let others = || accounts.iter().take(number);
            let server = |account: &AccountConfig| {
                let server = &account.server;
                (server.host.to_ascii_lowercase(), server.port, server.name.clone())
            };
            let problem = if others().any(|other| server(other) == server(account)) {
                let (name, host) = (&account.server.name, &account.server.host);
                format!("two accounts log in as {name:?} at {host}; each needs its own server.name")
            } else if others().any(|other| other.label == account.label) {
                format!("two accounts are called {:?}; give each its own label", account.label)
            } else {
                continue;
            };
            self.fault("account", problem);
        }
        accounts
    }

    fn account(&mut self, mut raw: RawAccount) -> AccountConfig {
        let mut account = raw.read(self, "account");
        self.server("account.server", &mut account.server, &mut raw.server);
        self.engine("account.engine", &mut account.engine, raw.engine.options);
        let name = account.server.name.clone();
        account.label = self.take(("account", "label"), raw.label, || name, login_name);
        account.fallback = self.fallbacks("account.fallback", raw.fallback);
        account
    }

    /// Checks that the sides of a local game have different names.
    fn two_names(&mut self, config: &Config) {
        if let Some(opponent) = &config.opponent
            && config.server.is_none()
            && opponent.name == config.player_name()
        {
            let problem = format!("{:?} is our own name; the two sides need two", opponent.name);
            self.fault_at("", "opponent.name", problem);
        }
    }

    /// Warns if this program cannot join machines.
    fn cluster_support(&mut self, config: &Config) {
        if config.cluster.is_some() && !cfg!(feature = "cluster") {
            let warning = format!(
                "{}: [cluster] has no effect, since this kyomi was built without `cluster` (`cargo build --release --features cluster`)",
                self.lines.label
            );
            self.warnings.push(warning.into());
        }
    }
}

/// More than one machine can play for.
const MOST_ACCOUNTS: usize = 64;

/// Each account of `[[account]]`, with the keys that it takes from the other tables.
fn accounts_of(raw: &Raw) -> Vec<RawAccount> {
    let mut accounts = raw.account.clone();
    for account in &mut accounts {
        if let Some(server) = &raw.server {
            let own = &account.server;
            let mut server = server.clone();
            if own.password.is_some() || own.password_file.is_some() {
                (server.password, server.password_file) = (None, None);
            }
            account.server.inherit(&server);
        }
        if account.games.is_none() {
            account.games.clone_from(&raw.games);
        }
        account.budget.inherit(&raw.budget);
        // `cores` and `memory` of the account default to `threads` and `hash` of its engine, and the reverse.
        if account.cores.is_none() {
            account.cores.clone_from(&account.engine.threads);
        }
        match (&account.memory, &account.engine.hash) {
            (None, own) => account.memory.clone_from(own),
            (Some(_), None) => account.engine.hash.clone_from(&account.memory),
            (Some(_), Some(_)) => {}
        }
        if account.engine.kind.is_none() && account.engine.path.is_none() {
            account.engine.inherit(&raw.engine);
        }
        if account.fallback.is_none() {
            account.fallback.clone_from(&raw.fallback);
        }
        account.book.inherit(&raw.book);
    }
    accounts
}
