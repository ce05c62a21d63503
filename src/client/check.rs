//! `kyomi check`: tests the record folder, the server and the engines without playing.

use crate::archive::check_folder;
use std::time::Instant;

use serde::Serialize;
use tokio::time::timeout;

use crate::{
    config::{BookConfig, Config, EngineConfig, EngineKind},
    csa::printable,
    engine::{
        self, BookOptions, PlayerEvent, PlayerSpec,
        book::{BookSpec, OpeningBook},
    },
    server::{Server, ServerSettings},
    shogi::Game,
};

use super::{
    connection::{Connection, connect},
    player_settings::all_cores,
    run::login_warnings,
};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was checked: `config`, `records`, `server`, `login`, `engine`, `book`, `opponent`.
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
        Self { what, status: CheckStatus::Ok, detail: detail.into() }
    }

    fn warning(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, status: CheckStatus::Warning, detail: detail.into() }
    }

    fn failed(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, status: CheckStatus::Failed, detail: detail.into() }
    }
}

/// Checks everything that a run needs, without logging in. Calls `report` with each finding.
pub async fn check(config: &Config, mut report: impl FnMut(Finding)) {
    report(check_records(config));
    for finding in check_server(config).await {
        report(finding);
    }
    for finding in check_engine("engine", &config.engine, config).await {
        report(finding);
    }
    if let Some(spec) = book_spec(config) {
        report(check_book(&spec));
    }
    for fallback in config.fallback.iter().flatten() {
        for finding in check_engine("fallback", fallback, config).await {
            report(finding);
        }
    }
    if let (None, Some(opponent)) = (&config.server, &config.opponent) {
        for finding in check_engine("opponent", &opponent.engine, config).await {
            report(finding);
        }
    }
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

async fn check_engine(what: &'static str, engine: &EngineConfig, config: &Config) -> Vec<Finding> {
    let started = Instant::now();
    // The book is checked by itself.
    let no_book = BookConfig { enabled: Some(false), ..BookConfig::default() };
    let mut player = engine::start(PlayerSpec::new(engine, &config.budget, &no_book, all_cores()));
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
