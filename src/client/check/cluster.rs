//! The broker of `[cluster]`, and the workers of its room. [`jobs`] tries what work by the thousand needs.

mod jobs;

use std::time::Duration;

use super::Finding;
use crate::{
    cluster::{BrokerError, LinkState, NatsTransport, Room, Survey, message::WorkerCard, survey},
    config::ClusterConfig,
};

/// Connects to the broker, measures the round trip of messages, and asks for the workers. `search` is the checksum of
/// our search, if workers can help it.
pub(super) async fn check(config: &ClusterConfig, search: Option<u32>) -> Vec<Finding> {
    let broker = match NatsTransport::connect(config, "check").await {
        Ok(broker) => broker,
        Err(error) => {
            let remedy = match error {
                BrokerError::Refused { .. } => "check cluster.servers",
                BrokerError::Authorities { .. } => {
                    "name a file with the certificates (PEM) of the authority of the broker"
                }
                BrokerError::Credentials { .. } | BrokerError::NoCredentials(_) => {
                    "check cluster.credentials"
                }
            };
            let source = std::error::Error::source(&error);
            let cause = source.map_or_else(String::new, |cause| format!(": {cause}"));
            return vec![Finding::failed("broker", format!("{error}{cause}")).remedy(remedy)];
        }
    };
    let servers = broker.servers().to_owned();
    match broker.wait_while_connecting(CONNECT_LIMIT).await {
        LinkState::Connected => {}
        LinkState::Connecting => {
            let text = format!("{servers}: no answer within {} s", CONNECT_LIMIT.as_secs());
            return vec![Finding::failed("broker", text).remedy(UNREACHED)];
        }
        LinkState::Lost(reason) => {
            let finding = Finding::failed("broker", format!("{servers}: {reason}"));
            // What is said about TLS and certificates names the remedy (`cluster/tls.rs`).
            if reason.contains("certificate") || reason.contains("TLS") {
                return vec![finding];
            }
            let remedy = if reason.contains("login") { REFUSED } else { UNREACHED };
            return vec![finding.remedy(remedy)];
        }
    }
    let room: Room = match config.room.parse() {
        Ok(room) => room,
        Err(error) => return vec![Finding::failed("broker", format!("{error}"))],
    };
    let found = survey(&broker.shared(), &room).await;
    let encryption = if broker.is_encrypted() { "encrypted" } else { "not encrypted" };
    let mut findings = vec![of_broker(&format!("{servers}: connected, {encryption}"), &found)];
    let refused = broker.server_errors();
    if !refused.is_empty() {
        findings.push(
            Finding::failed("permissions", refused.join("; ")).remedy(
                "give this user the subjects of a coordinator, as in config/nats-server.conf",
            ),
        );
    }
    findings.extend(jobs::check(config, &room, CONNECT_LIMIT).await);
    findings.extend(of_workers(&room, &found, search));
    findings
}

/// `connected` says to which servers, and how.
fn of_broker(connected: &str, found: &Survey) -> Finding {
    let (Some(median), Some(late)) = (found.quantile(0.5), found.quantile(0.99)) else {
        return Finding::failed("broker", format!("{connected}, but no message comes back"))
            .remedy("check the permissions of this user for the room (config/nats-server.conf)");
    };
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let text = format!(
        "{connected}; {} messages, round trip median {:.2} ms, 99 % within {:.2} ms",
        found.round_trips.len(),
        milliseconds(median),
        milliseconds(late)
    );
    if found.lost > 0 {
        return Finding::warning("broker", format!("{text}; {} lost", found.lost))
            .remedy("a busy or distant broker? run it nearer to the machine that plays");
    }
    if median > SLOW {
        return Finding::warning("broker", text)
            .remedy("run the broker nearer to the machine that plays, or use nearer workers");
    }
    Finding::ok("broker", text)
}

fn of_workers(room: &Room, found: &Survey, search: Option<u32>) -> Vec<Finding> {
    let unread = found.unread.iter().map(|reason| {
        Finding::warning("workers", format!("a message in room {room} is not read: {reason}"))
            .remedy("run the same version of kyomi everywhere")
    });
    let mut findings: Vec<_> = unread.collect();
    for worker in &found.workers {
        let text = format!(
            "{}: {} {}, {} threads, {} MiB, {} nodes/s{}",
            worker.name,
            worker.engine,
            worker.program,
            worker.threads,
            worker.hash >> 20,
            worker.nps,
            if worker.busy_for.is_some() { ", busy" } else { "" }
        );
        findings.push(if takes_part(worker, search) {
            Finding::ok("worker", text)
        } else if worker.program == PROGRAM && worker.interest {
            Finding::warning(
                "worker",
                format!("{text}; its search has other parameters or another evaluation than [engine]"),
            )
            .remedy("use the same options of the search and the same evaluation file; this worker takes no part")
        } else if worker.program == PROGRAM {
            Finding::warning("worker", format!("{text}; its engine takes no part in games"))
                .remedy("use kind = \"builtin\" in its [engine]")
        } else {
            Finding::warning("worker", format!("{text}; this program has version {PROGRAM}"))
                .remedy("run the same version of kyomi everywhere; this worker takes no part")
        });
    }
    let joined = || found.workers.iter().filter(|worker| takes_part(worker, search));
    if joined().next().is_none() {
        findings.push(
            Finding::warning(
                "workers",
                format!(
                    "none that help in a game in room {room}; those with --jobs are not seen here"
                ),
            )
            .remedy(format!(
                "run `kyomi worker --room {room}` with the broker's address on other machines"
            )),
        );
    } else {
        let threads: u32 = joined().map(|worker| worker.threads).sum();
        let nps: u64 = joined().map(|worker| worker.nps).sum();
        let number = joined().count();
        let text = format!("{number} in room {room}: {threads} threads, {nps} nodes/s in sum");
        findings.push(Finding::ok("workers", text));
    }
    findings
}

/// Whether a worker helps in games.
fn takes_part(worker: &WorkerCard, search: Option<u32>) -> bool {
    worker.program == PROGRAM
        && worker.interest
        && search.is_none_or(|search| worker.search == search)
}

const PROGRAM: &str = env!("CARGO_PKG_VERSION");
const CONNECT_LIMIT: Duration = Duration::from_secs(6);
/// With this round trip a worker loses a noticeable part of a short turn.
const SLOW: Duration = Duration::from_millis(100);
const UNREACHED: &str =
    "is nats-server running there? check cluster.servers, the port (4222) and the firewall";
const REFUSED: &str = "check cluster.user and cluster.password (or token, credentials)";
