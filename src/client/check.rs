//! `kyomi check`: tests the record folder, the server and the engines without playing.

use crate::archive::check_folder;
use std::time::Instant;

use serde::Serialize;
use tokio::time::timeout;

use crate::{
    config::{BookConfig, Config, EngineConfig, EngineKind, NotifyConfig},
    csa::printable,
    engine::{
        self, BookOptions, PlayerEvent, PlayerSpec,
        book::{BookSpec, OpeningBook},
    },
    notify,
    server::{Server, ServerSettings},
    shogi::Game,
};

use super::{
    account::Account,
    connection::{Connection, connect},
    run::login_warnings,
};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The account that was checked, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// What was checked: `config`, `records`, `notify`, `accounts`, `server`, `login`, `engine`, `book`, `opponent`.
    pub what: &'static str,
    /// Whether it works. The JSON key is an older name.
    #[serde(rename = "verdict")]
    pub status: CheckStatus,
    /// A description, with advice if something is wrong.
    pub detail: String,
}

/// The status of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It works.
    Ok,
    /// It works, but perhaps not as intended.
    Warning,
    /// It does not work.
    Failed,
}

impl Finding {
    /// A successful check.
    pub fn ok(what: &'static str, detail: impl Into<String>) -> Self {
        Self::new(what, CheckStatus::Ok, detail.into())
    }

    fn warning(what: &'static str, detail: impl Into<String>) -> Self {
        Self::new(what, CheckStatus::Warning, detail.into())
    }

    fn failed(what: &'static str, detail: impl Into<String>) -> Self {
        Self::new(what, CheckStatus::Failed, detail.into())
    }

    fn new(what: &'static str, status: CheckStatus, detail: String) -> Self {
        Self { account: None, what, status, detail }
    }
}

/// Checks everything that a run needs, without logging in. With `notify` it sends a message to the receivers of `[notify]`. Calls `report` with each finding.
pub async fn check(config: &Config, notify: bool, mut report: impl FnMut(Finding)) {
    report(check_records(config));
    if config.notify.is_on() {
        for finding in check_notify(&config.notify, notify).await {
            report(finding);
        }
    }
    let (accounts, warnings) = Account::all(config);
    for warning in warnings {
        report(Finding::warning("accounts", warning));
    }
    for account in accounts {
        let mut report = |finding| report(Finding { account: account.label.clone(), ..finding });
        check_account(&account.config, account.cores, &mut report).await;
    }
}

/// Checks one account.
async fn check_account(config: &Config, cores: usize, report: &mut impl FnMut(Finding)) {
    for finding in check_server(config).await {
        report(finding);
    }
    for finding in check_engine("engine", &config.engine, config, cores).await {
        report(finding);
    }
    if let Some(spec) = book_spec(config) {
        report(check_book(&spec));
    }
    for fallback in config.fallback.iter().flatten() {
        for finding in check_engine("fallback", fallback, config, cores).await {
            report(finding);
        }
    }
    if let (None, Some(opponent)) = (&config.server, &config.opponent) {
        for finding in check_engine("opponent", &opponent.engine, config, cores).await {
            report(finding);
        }
    }
}

async fn check_notify(config: &NotifyConfig, send: bool) -> Vec<Finding> {
    if !send {
        let text = "nothing was sent; `kyomi check --notify` sends a message to try it";
        return vec![Finding::ok("notify", text)];
    }
    let outcomes = notify::send_test(config).await.into_iter();
    outcomes
        .map(|(what, outcome)| match outcome {
            Ok(()) => Finding::ok("notify", format!("{what}: the message \"kyomi check\" is sent")),
            Err(error) => Finding::failed("notify", format!("{what}: {error}")),
        })
        .collect()
}

fn check_records(config: &Config) -> Finding {
    match check_folder(&config.records.dir) {
        Ok(()) => {
            Finding::ok("records", format!("{} can be written", config.records.dir.display()))
        }
        Err(error) => Finding::failed("records", error.to_string()),
    }
}

/// The book of `[engine]`.
fn book_spec(config: &Config) -> Option<BookSpec> {
    let options = BookOptions::of_config(&config.book);
    match config.engine.kind {
        EngineKind::Builtin => options.spec(),
        EngineKind::Usi => options.spec_for_usi_engine(),
        EngineKind::Random => None,
    }
}

fn check_book(spec: &BookSpec) -> Finding {
    let start = Game::default();
    match OpeningBook::open(spec) {
        Err(error) => Finding::failed("book", error.to_string()),
        Ok((book, faults)) => match (faults.summary(), book.choose(&start)) {
            (Some(text), _) => Finding::warning("book", format!("{}: {text}", spec.source)),
            (None, Some(_)) => Finding::ok("book", format!("{} can be read", spec.source)),
            (None, None) => {
                let text = format!("{} has no move for the start position", spec.source);
                Finding::warning("book", text)
            }
        },
    }
}

async fn check_server(config: &Config) -> Vec<Finding> {
    let Some(server) = &config.server else {
        return vec![match Server::bind(ServerSettings::embedded(config)).await {
            Ok(_) => Finding::ok("server", "the embedded server can be started"),
            Err(error) => Finding::failed("server", error.to_string()),
        }];
    };
    let started = Instant::now();
    let address = format!("{}:{}", server.host, server.port);
    let reached = match connect(&server.host, server.port).await {
        Ok(socket) => {
            let took = started.elapsed().as_millis();
            Connection::new(socket).close().await;
            Finding::ok(
                "server",
                format!("{address} answers (connected in {took} ms, no login made)"),
            )
        }
        Err(error) => Finding::failed(
            "server",
            format!("cannot connect to {address}: {error}; check server.host and server.port"),
        ),
    };
    let warnings = login_warnings(server).into_iter();
    [reached].into_iter().chain(warnings.map(|text| Finding::warning("login", text))).collect()
}

async fn check_engine(
    what: &'static str,
    engine: &EngineConfig,
    config: &Config,
    cores: usize,
) -> Vec<Finding> {
    let started = Instant::now();
    // The book is checked by itself.
    let no_book = BookConfig { enabled: Some(false), ..BookConfig::default() };
    let mut player = engine::start(PlayerSpec::new(engine, &config.budget, &no_book, cores));
    let mut findings = Vec::new();
    loop {
        // The player has its own time limits; this one is a safeguard in case they fail.
        let limit = engine.ready_timeout.saturating_mul(2) + std::time::Duration::from_secs(30);
        match timeout(limit, player.event()).await {
            Ok(Some(PlayerEvent::Ready { name })) => {
                let took = started.elapsed().as_secs_f64();
                let name = printable(&name);
                findings.push(Finding::ok(what, format!("{name} is ready after {took:.1} s")));
                break;
            }
            Ok(Some(PlayerEvent::Failed(error))) => {
                findings.push(Finding::failed(what, error.to_string()));
                break;
            }
            Ok(Some(PlayerEvent::Warning(text))) => {
                findings.push(Finding::warning(what, text));
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => {
                findings.push(Finding::failed(what, "it ended before it was ready"));
                break;
            }
        }
    }
    player.quit().await;
    findings
}
